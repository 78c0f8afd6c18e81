import { expect, test } from "vitest";
import { toFrameWork, type TraceEvent } from "./trace.ts";

const page = { pid: 1, tid: 1 };
const task = (ts: number, dur: number, at = page): TraceEvent => ({ name: "RunTask", ph: "X", ts, dur, ...at });
const frame = (ts: number, at = page): TraceEvent => ({ name: "BeginCommitCompositorFrame", ph: "I", ts, ...at });

test("a frame's work is its task and the tasks until the next frame", () => {
  const events = [
    task(0, 500),
    task(1_000, 3_000),
    frame(1_200),
    task(5_000, 2_000),
    task(17_000, 4_000),
    frame(17_100),
  ];
  expect(toFrameWork([...events, task(33_000, 1_000), frame(33_500)])).toEqual([5, 4]);
});

test("ignores other threads and pages that draw less", () => {
  const spare = { pid: 2, tid: 1 };
  const worker = { pid: 1, tid: 9 };
  const own = [task(0, 1_000), frame(10), task(16_000, 2_000), frame(16_010), task(32_000, 1_000), frame(32_010)];
  const others = [task(2_000, 9_000, worker), task(3_000, 9_000, spare), frame(3_001, spare)];
  expect(toFrameWork([...others, ...own])).toEqual([1, 2]);
});

test("counts the whole work of a late frame", () => {
  expect(toFrameWork([task(0, 40_000), frame(5), task(41_000, 1_000), frame(41_100)])).toEqual([40]);
});

test("returns no frames for a trace without frames", () => {
  expect(toFrameWork([task(0, 40_000)])).toEqual([]);
});

test("separates the time that the thread waited for a processor", () => {
  const waited: TraceEvent = { ...task(0, 9_000), tdur: 2_000 };
  const events = [waited, frame(5), task(16_000, 1_000), frame(16_100)];
  expect([toFrameWork(events), toFrameWork(events, "cpu")]).toEqual([[9], [2]]);
});
