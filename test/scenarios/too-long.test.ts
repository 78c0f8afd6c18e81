import { expect, test } from "vitest";
import type { ModelRequest } from "../../protocol/model.ts";
import { countTokens } from "../../server/lib/tokens.ts";
import { say, startInstance } from "../support/instance.ts";

const failure = { code: "too-long", fault: "request", text: "The prompt is longer than the model's window." } as const;
const sizeOf = (request: ModelRequest): number => JSON.stringify(request.messages).length;

test("a prompt that is too long is shortened and sent again, with the user's message unchanged", async () => {
  const requests: ModelRequest[] = [];
  const { start, send, follow, client } = await startInstance({
    script: (request) => {
      requests.push(request);
      return sizeOf(request) > 60_000 ? [{ type: "failed", failure }] : say("word ".repeat(900));
    },
  });
  const threadId = await start();
  const live = follow(threadId);
  let turn = 0;
  while (requests.length === turn && turn < 40) {
    turn += 1;
    await send(threadId, `question ${turn} ${"of many words ".repeat(150)}`);
    expect((await live.ended(turn)).outcome).toBe("done");
  }
  const [long, short] = requests.slice(-2);
  expect(sizeOf(long!)).toBeGreaterThan(60_000);
  expect(sizeOf(short!)).toBeLessThan(60_000);
  expect(JSON.stringify(short)).toContain(`question ${turn} `);
  const notices = live
    .view()
    .messages.at(-1)
    ?.parts.filter(({ kind }) => kind === "notice");
  expect(notices).toMatchObject([{ code: "too-long" }]);
  const { epochs } = await client.getContext({ params: { threadId } });
  expect(epochs[0]?.reason).toBe("too-long");
});

test("a limit that the error names holds for later turns and other threads: no prompt is refused twice", async () => {
  const limit = 3_000;
  const refused: number[] = [];
  let calls = 0;
  const { start, send, follow } = await startInstance({
    script: (request) => {
      calls += 1;
      const tokens = countTokens(JSON.stringify([request.system, request.tools, request.messages]));
      if (tokens <= limit) return say("Noted.");
      refused.push(calls);
      return [{ type: "failed", failure: { ...failure, windowTokens: limit } }];
    },
  });
  const threads = [await start(), await start()];
  const [first, other] = threads.map(follow);
  for (let turn = 1; turn <= 4; turn += 1) {
    await send(threads[0]!, `question ${turn} ${"of many words ".repeat(400)}`);
    expect((await first!.ended(turn)).outcome).toBe("done");
  }
  await send(threads[1]!, `another ${"of many words ".repeat(400)}`);
  expect((await other!.ended(1)).outcome).toBe("done");
  expect(refused).toEqual([1]);
  expect(calls).toBe(6);
});

test("if the shortened prompt is still too long, the answer ends with the reason and the next turn works", async () => {
  let fail = true;
  const { start, send, follow } = await startInstance({
    script: () => (fail ? [{ type: "failed", failure }] : say("here I am")),
  });
  const threadId = await start();
  const live = follow(threadId);
  await send(threadId, "hello");
  expect(await live.ended(1)).toMatchObject({ outcome: "failed", reason: { text: expect.stringContaining("longer") } });
  fail = false;
  await send(threadId, "and now?");
  expect((await live.ended(2)).outcome).toBe("done");
});
