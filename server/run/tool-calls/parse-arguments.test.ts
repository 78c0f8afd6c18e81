import { expect, test } from "vitest";
import { parseArguments } from "./parse-arguments.ts";

test.each([
  ['{"a": 1}', { a: 1 }, false],
  ["", {}, false],
  ['```json\n{"a": 1}\n```', { a: 1 }, true],
  ['{"a": [1, 2,], "b": "x",}', { a: [1, 2], b: "x" }, true],
  ['{"a": "two\nlines\tand \\"quotes\\""}', { a: 'two\nlines\tand "quotes"' }, true],
  ['Sure! {"a": "}"} is it', { a: "}" }, true],
])("%j is understood", (text, value, repaired) => {
  expect(parseArguments(text)).toMatchObject({ value, repaired });
});

test.each(['{"a": {"b": ["c', '{"a":', '{"a": "b"', '{"a": 1', '```json\n{"a": "two', '{"a": "b\\', "{"])(
  "%j is incomplete and is not repaired",
  (text) => {
    expect(parseArguments(text)).toBe("incomplete");
  },
);

test.each(["[1]", "null", "hello", '{"a": 1]', "{a: 1}", `${'{"a":'.repeat(50_000)}1${"}".repeat(50_000)}`])(
  "%.20j is not",
  (text) => {
    expect(parseArguments(text)).toBeUndefined();
  },
);
