import { expect, test } from "vitest";
import { createRunMemo } from "./run-memo.ts";

const count = () => {
  let times = 0;
  return { work: async () => ++times, times: () => times };
};

test("does the work once per run, also for concurrent callers", async () => {
  const memo = createRunMemo<number>(() => true);
  const { work, times } = count();
  const all = await Promise.all([memo.once("r", "k", work), memo.once("r", "k", work), memo.once("r", "k", work)]);
  expect(all.map(({ value, isFirst }) => [value, isFirst])).toEqual([
    [1, true],
    [1, false],
    [1, false],
  ]);
  expect(await memo.once("r", "other", work)).toEqual({ value: 2, isFirst: true });
  expect(await memo.once("s", "k", work)).toEqual({ value: 3, isFirst: true });
  expect(times()).toBe(3);
});

test("repeats failed or empty work in one of the waiting callers", async () => {
  const memo = createRunMemo<number>((value) => value > 1);
  const { work, times } = count();
  const [, second, third] = await Promise.all([1, 2, 3].map(() => memo.once("r", "k", work)));
  expect([second, third].map((one) => one!.value)).toEqual([2, 2]);
  expect(times()).toBe(2);
  const failing = () => Promise.reject(new Error("no"));
  await expect(memo.once("r", "x", failing)).rejects.toThrow("no");
  expect(await memo.once("r", "x", work)).toEqual({ value: 3, isFirst: true });
});

test("evicts the oldest runs and keeps the newest", async () => {
  const memo = createRunMemo<number>(() => true);
  const { work } = count();
  for (let run = 0; run < 120; run++) await memo.once(`run-${run}`, "k", work);
  expect((await memo.once("run-119", "k", work)).isFirst).toBe(false);
  expect((await memo.once("run-0", "k", work)).isFirst).toBe(true);
});
