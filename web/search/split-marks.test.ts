import { expect, test } from "vitest";
import { splitMarks } from "./split-marks.ts";

const show = (text: string, marks: readonly (readonly [number, number])[]): string =>
  splitMarks(text, marks)
    .map((run) => (run.marked ? `[${run.text}]` : run.text))
    .join("");

test("marks are cut out of the snippet", () => {
  expect(
    show("the tide and the moon", [
      [4, 8],
      [17, 21],
    ]),
  ).toBe("the [tide] and the [moon]");
});

test("marks may come in any order, overlap and reach too far", () => {
  expect(
    show("abcdef", [
      [4, 99],
      [0, 3],
      [2, 4],
      [3, 3],
    ]),
  ).toBe("[abc][d][ef]");
});

test("no text is lost or doubled", () => {
  const text = "some words";
  expect(
    splitMarks(text, [
      [2, 5],
      [4, 7],
    ])
      .map((run) => run.text)
      .join(""),
  ).toBe(text);
  expect(splitMarks("", [[0, 1]])).toEqual([]);
});
