import { expect, test } from "vitest";
import type { ModelEvent } from "../../protocol/model.ts";
import { textOf } from "../../protocol/fold.ts";
import { say, startInstance } from "../support/instance.ts";

const HOUR_MS = 3_600_000;
const overloaded: ModelEvent = {
  type: "failed",
  failure: { code: "overloaded", fault: "provider", text: "The provider is overloaded.", retryAfterMs: 40 },
};

test("retries when the wait is over although the clock was set back by an hour", async () => {
  let calls = 0;
  let offsetMs = 0;
  let readsAfterJump = 0;
  const { start, send, follow } = await startInstance({
    clock: {
      now: () => {
        if (offsetMs !== 0) readsAfterJump += 1;
        return Date.now() - offsetMs;
      },
      monotonic: () => performance.now(),
    },
    script: () => ((calls += 1) === 1 ? [overloaded] : say("done")),
  });
  const threadId = await start();
  const live = follow(threadId);
  await send(threadId, "hello");
  // The notice is published with the commit that stores when the next attempt is due.
  await live.until(({ messages }) => messages.at(-1)?.parts.some(({ kind }) => kind === "notice") ?? false);
  offsetMs = HOUR_MS;
  const run = await live.ended();
  expect(run.outcome).toBe("done");
  expect(textOf(live.view().messages.at(-1)?.parts ?? [])).toBe("done");
  expect(calls).toBe(2);
  expect(readsAfterJump).toBeGreaterThan(0);
});
