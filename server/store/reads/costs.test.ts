import { expect, test } from "vitest";
import { put, putThread, rows } from "../../../test/support/store-rows.ts";
import { describeStores } from "../../../test/support/stores.ts";
import type { Tables } from "../schema.ts";
import type { CostSum } from "./costs.ts";
import { DAY_MS } from "../../lib/clock.ts";

const usage = (inputTokens: number, outputTokens = 0, cacheReadTokens = 0): string =>
  JSON.stringify({ inputTokens, outputTokens, cacheReadTokens, cacheWriteTokens: 0, reasoningTokens: 0 });
const byKey = (sums: readonly CostSum[]): readonly CostSum[] =>
  sums.toSorted((a, b) => (String(a.key) < String(b.key) ? -1 : 1));

describeStores("costs", ({ store, id }) => {
  const open = async () => {
    const [owner, thread, other] = [id("owner"), id("thread"), id("thread")];
    await putThread(store(), owner, thread);
    await putThread(store(), owner, other);
    const add = (...calls: readonly Partial<Tables["calls"]>[]) =>
      put(
        store(),
        ...calls.map((call) => ({
          do: "insert" as const,
          table: "calls" as const,
          row: rows.call({ id: id("call"), thread, owner, ...call }),
        })),
      );
    return { owner, thread, other, add };
  };

  test("are summed by day, model, thread and purpose, with unpriced calls counted separately", async () => {
    const { owner, thread, other, add } = await open();
    await add(
      { started_at: 5 * DAY_MS, cost_usd: 0.25, usage: usage(100, 10, 40), model: "a" },
      { started_at: 6 * DAY_MS - 1, cost_usd: 0.5, usage: usage(200, 20), model: "b" },
      { started_at: 6 * DAY_MS, cost_usd: null, usage: usage(300), model: "a", purpose: "title" },
      { started_at: 7 * DAY_MS, cost_usd: 0.125, usage: usage(1), thread: other, model: "a" },
      { started_at: 9 * DAY_MS, cost_usd: 8, usage: usage(1) },
      { started_at: 4 * DAY_MS, cost_usd: 8, usage: usage(1) },
    );
    const ask = async (by: "day" | "model" | "thread" | "purpose", within?: string) =>
      byKey(await store().read.costs({ owner, from: 5 * DAY_MS, to: 9 * DAY_MS, by, thread: within }));
    const zero = { outputTokens: 0, cacheReadTokens: 0, unpriced: 0 };
    expect(await ask("day")).toEqual([
      { key: 5, calls: 2, inputTokens: 300, outputTokens: 30, cacheReadTokens: 40, costUsd: 0.75, unpriced: 0 },
      { ...zero, key: 6, calls: 1, inputTokens: 300, costUsd: 0, unpriced: 1 },
      { ...zero, key: 7, calls: 1, inputTokens: 1, costUsd: 0.125 },
    ]);
    expect(await ask("model")).toMatchObject([
      { key: "a", calls: 3, costUsd: 0.375, unpriced: 1 },
      { key: "b", calls: 1, costUsd: 0.5, unpriced: 0 },
    ]);
    expect(await ask("purpose")).toMatchObject([
      { key: "answer", calls: 3, costUsd: 0.875 },
      { key: "title", calls: 1, unpriced: 1 },
    ]);
    expect((await ask("thread")).map(({ key, costUsd }) => [key, costUsd])).toEqual([
      [thread, 0.75],
      [other, 0.125],
    ]);
    expect(await ask("model", other)).toMatchObject([{ key: "a", calls: 1, costUsd: 0.125 }]);
    expect(await store().read.spent(owner, 6 * DAY_MS, 10 * DAY_MS)).toEqual({
      costUsd: 8.125,
      ownKeyUsd: 0,
      unpriced: 1,
    });
    expect(await store().read.spentIn(other, 9 * DAY_MS)).toEqual({ costUsd: 0.125, ownKeyUsd: 0, unpriced: 0 });
    expect(await store().read.callsSince(owner, 7 * DAY_MS)).toHaveLength(2);
  });

  test("exclude other users, and are zero without calls", async () => {
    const { owner, add } = await open();
    await add({ started_at: 1, cost_usd: 1, owner: id("stranger") });
    expect(await store().read.costs({ owner, from: 0, to: 9, by: "model" })).toEqual([]);
    expect(await store().read.spent(owner, 0, 9)).toEqual({ costUsd: 0, ownKeyUsd: 0, unpriced: 0 });
  });

  test("count an open call with its expected cost, not as unpriced", async () => {
    const { owner, add } = await open();
    await add({ outcome: "open", cost_usd: 0.5 }, { outcome: "open", cost_usd: null });
    expect(await store().read.spent(owner, 0, 9)).toEqual({ costUsd: 0.5, ownKeyUsd: 0, unpriced: 0 });
  });

  test("stay when the thread is deleted", async () => {
    const { owner, add } = await open();
    await add({ thread: "", cost_usd: 2 });
    expect(await store().read.costs({ owner, from: 0, to: 9, by: "thread" })).toMatchObject([{ key: "", costUsd: 2 }]);
  });

  test("a budget is one row per user and scope", async () => {
    const { owner } = await open();
    for (const limit_usd of [1, 2.5]) {
      await put(store(), { do: "put", table: "budgets", row: { owner, scope: "day", limit_usd, updated_at: 1 } });
    }
    expect(await store().read.budgets(owner)).toEqual([{ owner, scope: "day", limit_usd: 2.5, updated_at: 1 }]);
  });
});
