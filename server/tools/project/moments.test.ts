import { expect, test } from "vitest";
import { toIso, parseMoment } from "./moments.ts";

test("a date starts with its first and ends with its last millisecond, and is formatted as a date again", () => {
  expect(parseMoment("2026-11-20", "start")).toBe(Date.UTC(2026, 10, 20));
  expect(parseMoment("2026-11-20", "end")).toBe(Date.UTC(2026, 10, 21) - 1);
  expect(toIso(Date.UTC(2026, 10, 20))).toBe("2026-11-20");
  expect(toIso(Date.UTC(2026, 10, 21) - 1)).toBe("2026-11-20");
});

test.each([
  ["2026-11-20T09:30", Date.UTC(2026, 10, 20, 9, 30)],
  ["2026-11-20 09:30", Date.UTC(2026, 10, 20, 9, 30)],
  ["2026-11-20T09:30:15.250Z", Date.UTC(2026, 10, 20, 9, 30, 15, 250)],
  ["2026-11-20T09:30+02:00", Date.UTC(2026, 10, 20, 7, 30)],
  ["2026-11-20t09:30:00-0330", Date.UTC(2026, 10, 20, 13, 0)],
])("%s is read in UTC unless it says otherwise", (text, at) => {
  expect(parseMoment(text, "start")).toBe(at);
  expect(parseMoment(toIso(at), "end")).toBe(at);
});

test.each(["", "tomorrow", "20.11.2026", "2026-02-30", "2026-13-01", "2026-11-20T25:00", "2026-11-20T09:30+99:99"])(
  "%j is no moment",
  (text) => {
    expect(parseMoment(text, "start")).toBeUndefined();
  },
);
