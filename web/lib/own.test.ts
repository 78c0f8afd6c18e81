import { expect, test } from "vitest";
import { own } from "./own.ts";

test("finds own entries only, not those every object inherits", () => {
  const table = { search: 1 };
  expect(own(table, "search")).toBe(1);
  for (const name of ["hasOwnProperty", "constructor", "toString", "valueOf", "__proto__", "other"])
    expect(own(table, name)).toBeUndefined();
});
