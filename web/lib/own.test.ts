import { expect, test } from "vitest";
import { own } from "./own.ts";

test("a table has what was put into it, and nothing that every object has", () => {
  const table = { search: 1 };
  expect(own(table, "search")).toBe(1);
  for (const name of ["hasOwnProperty", "constructor", "toString", "valueOf", "__proto__", "other"])
    expect(own(table, name)).toBeUndefined();
});
