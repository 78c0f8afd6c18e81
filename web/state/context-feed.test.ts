import { expect, test } from "vitest";
import type { ContextView } from "../../protocol/context/context.ts";
import { createContextFeed } from "./context-feed.ts";

const view: ContextView = { policy: "stone", epochs: [], summaries: [], pins: [], state: null };

function tell() {
  const asked: PromiseWithResolvers<ContextView>[] = [];
  const feed = createContextFeed({
    threadId: "t",
    client: {
      getContext: () => {
        const one = Promise.withResolvers<ContextView>();
        asked.push(one);
        return one.promise;
      },
    },
  });
  return { feed, asked };
}

test("reloads after a change only if it was loaded before", () => {
  const { feed, asked } = tell();
  feed.change();
  expect(asked).toHaveLength(0);
  void feed.load();
  expect(asked).toHaveLength(1);
});

test("coalesces changes during a request into one more request", async () => {
  const { feed, asked } = tell();
  const loaded = feed.load();
  feed.change();
  feed.change();
  expect(asked).toHaveLength(1);
  asked[0]!.resolve(view);
  await expect.poll(() => asked.length).toBe(2);
  asked[1]!.resolve({ ...view, policy: "replay" });
  await loaded;
  expect(asked).toHaveLength(2);
  expect(feed.state.get()).toMatchObject({ phase: "ready", value: { policy: "replay" } });
});

test("reports a failure but keeps a loaded value", async () => {
  const { feed, asked } = tell();
  const first = feed.load();
  asked[0]!.reject(new Error("no"));
  await first;
  expect(feed.state.get().phase).toBe("failed");
  const second = feed.load();
  asked[1]!.resolve(view);
  await second;
  const third = feed.load();
  asked[2]!.reject(new Error("no"));
  await third;
  expect(feed.state.get()).toEqual({ phase: "ready", value: view });
});
