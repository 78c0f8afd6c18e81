import { afterEach, expect, test, vi } from "vitest";
import type { Model } from "../../model/model.ts";
import { askModel, toRequest } from "./ask-model.ts";

afterEach(() => vi.useRealTimers());

test("waits for a silent model as long as the model's own timeouts allow, because a local one may be loading", async () => {
  vi.useFakeTimers();
  const seen: boolean[] = [];
  const model = {
    info: { prices: { input: 0, output: 0, cacheRead: 0, cacheWrite: 0 } },
    stream: async function* (_request: unknown, signal: AbortSignal) {
      vi.advanceTimersByTime(10 * 60_000);
      seen.push(signal.aborted);
      yield { type: "start", key: "t", kind: "text" };
      yield { type: "delta", key: "t", text: "A summary." };
      yield { type: "finish", reason: "stop", usage: null };
    },
  } as unknown as Model;
  const reply = await askModel(model, toRequest(["Words."]), new AbortController().signal);
  expect(seen).toEqual([false]);
  expect(reply).toMatchObject({ ok: true, text: "A summary." });
});
