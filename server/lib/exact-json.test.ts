import { expect, test } from "vitest";
import { findInexactInteger, parseExactly } from "./exact-json.ts";

test.each([
  '{"id":1187743202117849121,"price":10.0,"list":[-0.10,1e400,7]}',
  '{"a":"12345678901234567890"}',
  "[1,2.5,null]",
])("%s is written with the same digits", (text) => {
  expect(JSON.stringify(parseExactly(text))).toBe(text);
});

test("finds integers that a number cannot represent, and no others", () => {
  expect(findInexactInteger('{"a":[{"id":1187743202117849121}]}')).toBe("1187743202117849121");
  expect(findInexactInteger('{"id":-9007199254740993}')).toBe("-9007199254740993");
  expect(
    findInexactInteger('{"id":"1187743202117849121","b":9007199254740992,"c":0.12345678901234567}'),
  ).toBeUndefined();
});
