import { afterEach, expect, test, vi } from "vitest";
import type { EntityLine } from "../../../protocol/project/project.ts";
import { fromDay, isWholeDay } from "../../lib/dates.ts";
import { blocksPerSide, findBlock, layoutDays, readEntry, toBlockStart } from "./day-layout.ts";

afterEach(() => vi.unstubAllEnvs());

const line = (kind: string, startsAt: number | null, endsAt: number | null): EntityLine =>
  ({ id: kind, kind, title: kind, startsAt, endsAt }) as EntityLine;
const daysOf = (lines: readonly EntityLine[]) =>
  [...layoutDays(lines, "2026-11-09")].map(([day, items]) => [day, items.map(({ line: { kind } }) => kind)]);

test("events and tasks are on each of their days, and a task is due on the last one", () => {
  const trip = line("event", fromDay("2026-11-10", "start"), fromDay("2026-11-12", "end"));
  const task = line("task", fromDay("2026-11-09", "start"), fromDay("2026-11-11", "end"));
  expect(daysOf([trip, task])).toEqual([
    ["2026-11-10", ["event", "task"]],
    ["2026-11-11", ["event", "task"]],
    ["2026-11-12", ["event"]],
    ["2026-11-09", ["task"]],
  ]);
  const due = [...layoutDays([task], "2026-11-09")].filter(([, items]) => items.some(({ isDue }) => isDue));
  expect(due.map(([day]) => day)).toEqual(["2026-11-11"]);
});

test("leaves out days outside the range and entities without a date", () => {
  const long = line("event", fromDay("2026-11-01", "start"), fromDay("2026-11-09", "end"));
  expect(daysOf([long, line("task", null, null)])).toEqual([["2026-11-09", ["event"]]]);
});

test("finds the block of a day", () => {
  const monday = "2026-11-09";
  expect(findBlock(monday, monday)).toBe(blocksPerSide);
  expect(findBlock(monday, "2026-12-06")).toBe(blocksPerSide);
  expect(findBlock(monday, "2026-12-07")).toBe(blocksPerSide + 1);
  expect(findBlock(monday, "2026-11-08")).toBe(blocksPerSide - 1);
  expect(toBlockStart(monday, blocksPerSide - 1)).toBe("2026-10-12");
});

test("an entry with a time starts then; without one it takes the whole day, or is due that day", () => {
  expect(readEntry("14:00 Standup", "2026-11-20", "event")).toEqual({
    title: "Standup",
    startsAt: fromDay("2026-11-20", "start", "14:00"),
    endsAt: fromDay("2026-11-20", "start", "15:00"),
  });
  expect(readEntry("Fair", "2026-11-20", "event")).toEqual({
    title: "Fair",
    startsAt: fromDay("2026-11-20", "start"),
    endsAt: fromDay("2026-11-20", "end"),
  });
  expect(readEntry("25:00 Nonsense", "2026-11-20", "task")).toEqual({
    title: "25:00 Nonsense",
    startsAt: null,
    endsAt: fromDay("2026-11-20", "end"),
  });
});

test.each([
  ["UTC", "23:00", "00:00"],
  ["America/Los_Angeles", "15:00", "16:00"],
  ["Asia/Tokyo", "08:00", "09:00"],
])("in %s, entries at %s and at %s keep their times and their day", (zone, ...times) => {
  vi.stubEnv("TZ", zone);
  for (const time of times) {
    const { startsAt, endsAt } = readEntry(`${time} Standup`, "2026-11-20", "event");
    const [first] = layoutDays([line("event", startsAt, endsAt)], "2026-11-09");
    expect(first?.[0]).toBe("2026-11-20");
    expect(first?.[1]).toMatchObject([{ time }]);
    expect(isWholeDay(endsAt ?? 0)).toBe(false);
  }
});
