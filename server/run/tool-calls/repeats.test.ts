import { expect, test } from "vitest";
import { findRepeat, type EarlierCall } from "./repeats.ts";

const read = (name: string, ok = true): EarlierCall => ({ name, input: { b: 1, a: [name] }, pure: true, ok });
const write = (name: string): EarlierCall => ({ name, input: {}, pure: false, ok: true });

test("the same read is known, in any order of arguments, until something is written", () => {
  const again = { name: "x", input: { a: ["x"], b: 1 }, pure: true };
  expect(findRepeat([read("x"), read("y")], again)).toEqual({ kind: "known", index: 0 });
  expect(findRepeat([read("x"), write("w")], again)).toBeUndefined();
  expect(findRepeat([read("x", false)], again)).toBeUndefined();
  expect(findRepeat([read("y")], again)).toBeUndefined();
});

test("a write is never answered with an earlier result", () => {
  expect(findRepeat([write("w")], write("w"))).toBeUndefined();
});

test.each([
  ["A-A-A", ["a", "a"], "a", true],
  ["A-B-A-B", ["a", "b", "a"], "b", true],
  ["A-B-A", ["a", "b"], "a", false],
  ["A-B-C-A", ["a", "b", "c"], "a", false],
  ["B-A-A", ["b", "a"], "a", false],
])("%s", (_, before, next, isCircle) => {
  expect(findRepeat(before.map(write), write(next))?.kind === "circle").toBe(isCircle);
});

test("data that others may change is read again, up to a limit", () => {
  const look = { ...read("logs"), changing: true };
  expect(findRepeat([look], look)).toBeUndefined();
  expect(findRepeat([look, look, look], look)).toBeUndefined();
  expect(findRepeat([look, look, look, look], look)?.kind).toBe("circle");
  expect(findRepeat([look, look, write("w"), look, look], look)).toBeUndefined();
});
