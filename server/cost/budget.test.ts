import { expect, test } from "vitest";
import { put, putThread, rows } from "../../test/support/store-rows.ts";
import { describeStores } from "../../test/support/stores.ts";
import type { Tables } from "../store/schema.ts";
import { checkBudget, type FixedBudgets } from "./budget.ts";
import { createSpending } from "./spending.ts";

const MINUTE = 60_000;
const NOON = Date.UTC(2026, 4, 20, 12);
const none: FixedBudgets = { dayUsd: null, monthUsd: null };

describeStores("budgets", ({ store, id }) => {
  const open = async (config: FixedBudgets = none) => {
    const [owner, thread] = [id("owner"), id("thread")];
    await putThread(store(), owner, thread);
    const time = { now: NOON };
    const clock = { now: () => time.now, monotonic: () => 0 };
    const asked = { spent: 0, tail: 0 };
    const { read } = store();
    const counted: typeof read = {
      ...read,
      spent: (...range) => {
        asked.spent += 1;
        return read.spent(...range);
      },
      callsSince: async (...range) => {
        const calls = await read.callsSince(...range);
        asked.tail += calls.length;
        return calls;
      },
    };
    const check = checkBudget({ read: counted, config, clock });
    const spend = async (cost_usd: number | null, more: Partial<Tables["calls"]> = {}) => {
      const row = rows.call({ id: id("call"), thread, owner, started_at: time.now, ended_at: 1, cost_usd, ...more });
      await put(store(), { do: "insert", table: "calls", row });
      return row.id;
    };
    const limit = (scope: string, limit_usd: number) =>
      put(store(), { do: "put", table: "budgets", row: { owner, scope, limit_usd, updated_at: 1 } });
    return { owner, thread, time, clock, check, spend, limit, asked, counted };
  };

  test("refuses a call that would exceed a budget, and says what is spent and what to do", async () => {
    const { owner, thread, check, spend, limit } = await open();
    await limit("day", 1);
    await spend(0.9);
    expect(await check(owner, thread, 0.1)).toBeNull();
    expect(await check(owner, thread, 0.11)).toMatchObject({
      scope: "day",
      limitUsd: 1,
      spentUsd: 0.9,
      text:
        "Your budget of $1.00 for today does not allow this call: $0.90 is spent. This call is expected to cost $0.11. " +
        "Raise the budget, choose a free or cheaper model, or continue tomorrow (UTC). " +
        "Your messages are saved.",
    });
  });

  test("allows free calls without reading the ledger", async () => {
    const { owner, thread, check, spend, limit, asked } = await open();
    await limit("day", 1);
    await spend(5);
    expect(await check(owner, thread, 0)).toBeNull();
    expect(asked).toEqual({ spent: 0, tail: 0 });
  });

  test("allows a call of unknown price while some budget is left, and names it as unknown", async () => {
    const { owner, thread, check, spend, limit } = await open();
    await limit("month", 1);
    await spend(0.99);
    await spend(null);
    expect(await check(owner, thread, null)).toBeNull();
    await spend(0.01);
    const refused = await check(owner, thread, null);
    expect(refused?.text).toContain("The cost of this call is unknown.");
    expect(refused?.text).toContain("1 call of unknown price is not included.");
  });

  test("counts days, months and threads separately", async () => {
    const { owner, thread, time, check, spend, limit } = await open();
    const other = id("thread");
    await putThread(store(), owner, other);
    for (const [scope, usd] of [
      ["day", 2],
      ["month", 3],
      ["thread", 1],
    ] as const) {
      await limit(scope, usd);
    }
    await spend(0.875, { thread });
    expect(await check(owner, thread, 0.2)).toMatchObject({ scope: "thread", spentUsd: 0.875 });
    expect(await check(owner, other, 0.2)).toBeNull();
    await spend(1.0625, { thread: other });
    expect(await check(owner, id("third"), 0.2)).toMatchObject({ scope: "day", spentUsd: 1.9375 });
    time.now += 24 * 60 * MINUTE;
    expect(await check(owner, id("third"), 1)).toBeNull();
    expect(await check(owner, id("third"), 1.1)).toMatchObject({ scope: "month", spentUsd: 1.9375 });
    time.now = Date.UTC(2026, 5, 1);
    expect(await check(owner, id("third"), 1)).toBeNull();
    expect(await check(owner, thread, 0.2)).toMatchObject({ scope: "thread", spentUsd: 0.875 });
  });

  test("applies the operator's budget to every user, and the lower of two budgets counts", async () => {
    const { owner, thread, check, spend, limit } = await open({ dayUsd: 1, monthUsd: null });
    await spend(0.5);
    expect((await check(owner, thread, 0.6))?.text).toContain("The operator of this server set this budget");
    await limit("day", 0.4);
    expect(await check(owner, thread, 0.1)).toMatchObject({ limitUsd: 0.4 });
    await limit("day", 9);
    expect(await check(owner, thread, 0.1)).toBeNull();
    expect(await check(owner, thread, 0.6)).toMatchObject({ limitUsd: 1 });
  });

  test("counts an open call at its expected cost until it ends", async () => {
    const { owner, thread, check, spend, limit } = await open();
    await limit("day", 1);
    const call = await spend(0.8, { outcome: "open", ended_at: null });
    expect(await check(owner, thread, 0.3)).not.toBeNull();
    const set = { outcome: "ok", cost_usd: 0.1 };
    await put(store(), { do: "update", table: "calls", set, where: { id: call } });
    expect(await check(owner, thread, 0.3)).toBeNull();
  });

  test("reads only new calls, and the sums match the ledger", async () => {
    const { owner, thread, time, spend, asked, counted, clock } = await open();
    const look = createSpending(counted, clock);
    let late = "";
    const read: number[] = [];
    for (let n = 0; n < 60; n += 1) {
      time.now += 2 * MINUTE;
      if (n === 20) late = await spend(100, { outcome: "open", ended_at: null });
      else await spend(0.25);
      if (n === 40) {
        const set = { outcome: "ok", cost_usd: 0.25, ended_at: time.now };
        await put(store(), { do: "update", table: "calls", set, where: { id: late } });
      }
      const before = asked.tail;
      const { day, thread: within } = await look(owner, thread);
      const whole = await store().read.spent(owner, Date.UTC(2026, 4, 20), time.now + 1);
      expect(day.costUsd).toBeCloseTo(whole.costUsd, 9);
      expect(within.costUsd).toBeCloseTo(whole.costUsd, 9);
      read.push(asked.tail - before);
    }
    expect(Math.max(...read.slice(50))).toBeLessThanOrEqual(7);
    expect(asked.spent).toBe(2);
  });

  test("concurrent reads give the same result", async () => {
    const { owner, thread, time, spend, counted, clock } = await open();
    const look = createSpending(counted, clock);
    for (let n = 0; n < 5; n += 1) await spend(0.5);
    time.now += 60 * MINUTE;
    const seen = await Promise.all(Array.from({ length: 8 }, () => look(owner, thread)));
    expect(seen.map(({ day, thread: within }) => [day.costUsd, within.costUsd])).toEqual(Array(8).fill([2.5, 2.5]));
    expect((await look(owner, thread)).day.costUsd).toBe(2.5);
  });
});
