import { afterEach, expect, test, vi } from "vitest";
import { addDays, countDays, describeDay, fromDay, isWholeDay, toDayKey, toMonday, toTime, toToday } from "./dates.ts";

afterEach(() => vi.unstubAllEnvs());

test("reads a whole day back as the same day, at either edge", () => {
  for (const edge of ["start", "end"] as const) {
    const at = fromDay("2026-11-20", edge) ?? 0;
    expect([isWholeDay(at), toDayKey(at), toTime(at)]).toEqual([true, "2026-11-20", ""]);
  }
  expect(fromDay("2026-11-20", "end")).toBe(Date.parse("2026-11-20T23:59:59.999Z"));
});

test("reads a moment back in the reader's time zone", () => {
  const at = fromDay("2026-11-20", "start", "09:30") ?? 0;
  expect([toDayKey(at), toTime(at)]).toEqual(["2026-11-20", "09:30"]);
  expect(fromDay("never", "start")).toBeNull();
});

test.each([
  ["UTC", "00:00"],
  ["America/Los_Angeles", "16:00"],
  ["Asia/Tokyo", "09:00"],
  ["Asia/Kolkata", "05:30"],
])("in %s, %s is a time of the day although a day begins in UTC", (zone, time) => {
  vi.stubEnv("TZ", zone);
  for (const edge of ["start", "end"] as const) {
    const at = fromDay("2026-11-20", edge, time) ?? 0;
    expect([isWholeDay(at), toDayKey(at), toTime(at)]).toEqual([false, "2026-11-20", time]);
  }
  expect(toToday(Date.parse(`2026-11-20T${time}`))).toBe("2026-11-20");
});

test("counts days across months and years; weeks start on Monday", () => {
  expect(addDays("2026-12-31", 1)).toBe("2027-01-01");
  expect(addDays("2028-03-01", -1)).toBe("2028-02-29");
  expect(countDays("2026-10-20", "2026-11-20")).toBe(31);
  expect(toMonday("2026-11-15")).toBe("2026-11-09");
  expect(toMonday("2026-11-09")).toBe("2026-11-09");
});

const inLocale = (day: string, options: Intl.DateTimeFormatOptions) =>
  new Date(`${day}T00:00:00Z`).toLocaleDateString(undefined, { ...options, timeZone: "UTC" });

test.each([
  ["2026-11-15", "Today"],
  ["2026-11-16", "Tomorrow"],
  ["2026-11-14", "Yesterday"],
  ["2026-11-19", inLocale("2026-11-19", { weekday: "long" })],
  ["2026-11-22", inLocale("2026-11-22", { day: "numeric", month: "short" })],
  ["2026-11-12", inLocale("2026-11-12", { day: "numeric", month: "short" })],
  ["2027-01-02", inLocale("2027-01-02", { dateStyle: "medium" })],
])("%s is %s", (day, words) => {
  const now = fromDay("2026-11-15", "start", "12:00") ?? 0;
  expect(describeDay(fromDay(day, "end") ?? 0, now)).toBe(words);
});
