import { expect, test } from "vitest";
import { listMutants } from "./mutants.ts";

const changesOf = (text: string) => listMutants("a.ts", text).map(({ change }) => change);

test("changes conditions, operators, values, calls and throws", () => {
  expect(changesOf("if (a === 1 && !b) throw new Error('no');")).toEqual([
    ...["=== -> !==", "if true", "if false", "&& -> ||", "1 + 1", "without !", "without throw"],
  ]);
  expect(changesOf("call(a ? [true] : 'b'); c.some(d);")).toEqual([
    ...["without call(a ? [true] : 'b');", "only the consequent", "only the alternate", "empty list"],
    ...["true -> false", `'b' -> ""`, "without c.some(d);", "some -> every"],
  ]);
});

test("each mutant is the whole file with one change", () => {
  expect(listMutants("a.ts", "const a = b < c;\nexport const d = [a];\n")).toEqual([
    { line: 1, change: "< -> <=", text: "const a = ((b) <= (c));\nexport const d = [a];\n" },
    { line: 2, change: "empty list", text: "const a = b < c;\nexport const d = [];\n" },
  ]);
});

test("leaves types, texts of errors and heads of loops alone", () => {
  expect(changesOf("type A = 'x' | 1; const a = b as 'y'; for (let i = 0; i < 3; i += 1) a;")).toEqual([]);
  expect(changesOf("import { a } from 'x'; throw new Error(`no ${1}`);")).toEqual(["without throw"]);
});
