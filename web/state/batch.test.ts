import { expect, test } from "vitest";
import { createBatch } from "./batch.ts";

function createManualSchedule() {
  let due: (() => void) | null = null;
  let asked = 0;
  return {
    schedule: (run: () => void) => {
      asked += 1;
      due = run;
      return () => void (due = null);
    },
    tick: () => due?.(),
    asked: () => asked,
  };
}

test("delivers the items of one frame together and in order", () => {
  const taken: (readonly number[])[] = [];
  const { schedule, tick, asked } = createManualSchedule();
  const batch = createBatch<number>((items) => taken.push(items), schedule);
  batch.add(1);
  batch.add(2);
  tick();
  batch.add(3);
  tick();
  expect(taken).toEqual([[1, 2], [3]]);
  expect(asked()).toBe(2);
});

test("flush delivers waiting items once", () => {
  const taken: (readonly number[])[] = [];
  const { schedule, tick } = createManualSchedule();
  const batch = createBatch<number>((items) => taken.push(items), schedule);
  batch.add(1);
  batch.flush();
  tick();
  batch.flush();
  expect(taken).toEqual([[1]]);
});

test("clear drops waiting items", () => {
  const taken: (readonly number[])[] = [];
  const { schedule, tick } = createManualSchedule();
  const batch = createBatch<number>((items) => taken.push(items), schedule);
  batch.add(1);
  batch.clear();
  tick();
  expect(taken).toEqual([]);
});
