import { expect, test } from "vitest";
import { toDay, toMoment } from "./moment.ts";

const at = Date.parse("2026-11-18T22:58:03Z");

test.each([
  [null, "Wednesday, 18 November 2026, 22:58 UTC"],
  ["UTC", "Wednesday, 18 November 2026, 22:58 UTC"],
  ["Pacific/Auckland", "Thursday, 19 November 2026, 11:58 Pacific/Auckland (UTC+13:00)"],
  ["Europe/Berlin", "Wednesday, 18 November 2026, 23:58 Europe/Berlin (UTC+01:00)"],
  ["America/St_Johns", "Wednesday, 18 November 2026, 19:28 America/St_Johns (UTC-03:30)"],
  ["Europe/London", "Wednesday, 18 November 2026, 22:58 Europe/London (UTC+00:00)"],
])("the time in %j", (timeZone, expected) => {
  expect(toMoment(at, timeZone)).toBe(expected);
});

test("midnight is 00:00, and the day is that of the time zone", () => {
  expect(toMoment(Date.parse("2026-03-01T00:00:00Z"), null)).toBe("Sunday, 1 March 2026, 00:00 UTC");
  expect(toDay(at, null)).toBe("18 November 2026");
  expect(toDay(at, "Pacific/Auckland")).toBe("19 November 2026");
});
