import { expect, test } from "vitest";
import type { ThreadSummary } from "../../protocol/events.ts";
import { groupThreads, toMidnight } from "./group-threads.ts";

const now = new Date(2026, 10, 15, 9, 30).getTime();
const at = (month: number, day: number, hour = 12, year = 2026) => new Date(year, month - 1, day, hour).getTime();

const toThread = (id: string, updatedAt: number, pinned = false) => ({ id, updatedAt, pinned }) as ThreadSummary;
const show = (...threads: readonly ThreadSummary[]) =>
  groupThreads(threads, now).map((row) => (row.kind === "heading" ? `# ${row.title}` : row.thread.id));

test("groups threads by the period of their last change", () => {
  expect(
    show(
      toThread("pinned long ago", at(1, 2), true),
      toThread("now", now),
      toThread("early", at(11, 15, 0)),
      toThread("late yesterday", at(11, 14, 23)),
      toThread("this week", at(11, 8, 0)),
      toThread("this month", at(11, 7, 23)),
      toThread("thirty days", at(10, 16, 0)),
      toThread("before that", at(10, 15, 23)),
      toThread("in October", at(10, 1)),
      toThread("in March", at(3, 31)),
      toThread("last December", at(12, 31, 23, 2025)),
      toThread("a year before", at(12, 31, 23, 2024)),
    ),
  ).toEqual([
    ...["# Pinned", "pinned long ago", "# Today", "now", "early", "# Yesterday", "late yesterday"],
    ...["# Previous 7 days", "this week", "# Previous 30 days", "this month", "thirty days"],
    ...["# October", "before that", "in October", "# March", "in March"],
    ...["# December 2025", "last December", "# December 2024", "a year before"],
  ]);
});

test("puts a time in the future under Today", () => {
  expect(show(toThread("ahead", now + 3 * 86_400_000))).toEqual(["# Today", "ahead"]);
});

test("has no headings without threads", () => {
  expect(show()).toEqual([]);
});

test("gives every row a unique key", () => {
  const rows = groupThreads([toThread("Today", now), toThread("b", at(11, 14)), toThread("c", at(9, 1))], now);
  expect(new Set(rows.map(({ key }) => key)).size).toBe(6);
});

test("uses the reader's midnight, also across daylight saving time changes", () => {
  for (const daysAgo of [0, 1, 30, 200]) {
    const day = new Date(toMidnight(now, daysAgo));
    expect([day.getHours(), day.getMinutes()]).toEqual([0, 0]);
  }
  expect(toMidnight(now)).toBeLessThanOrEqual(now);
});
