import { expect, test } from "vitest";
import { addPackage, readPackage, removePackage } from "./dependencies.ts";
import { viewLines } from "./view-lines.ts";

const lines = (count: number): string => Array.from({ length: count }, (_, n) => `line ${n + 1}\n`).join("");

test("a view shows the first 500 lines and counts the rest", () => {
  const { total, shown, note, text } = viewLines(lines(700), undefined);
  expect([total, shown, note]).toEqual([700, "1-500", "lines 501-700 are not shown; request them with lines"]);
  expect(text.split("\n").at(-1)).toBe("500: line 500");
});

test("shows several ranges and names missing lines", () => {
  expect(viewLines(lines(9), "2-3, 8-20, 40")).toEqual({
    total: 9,
    shown: "2-3, 8-9",
    text: "2: line 2\n3: line 3\n...\n8: line 8\n9: line 9",
    note: "there is no line 40",
  });
  for (const bad of ["x", "0-3", "5-2", "1-2-3"]) expect(() => viewLines("a", bad)).toThrow(/not a line range/);
});

test("long lines are cut with a note, and so is a very long view", () => {
  expect(viewLines("x".repeat(5000), undefined)).toMatchObject({
    text: `1: ${"x".repeat(1000)}… (5000 characters)`,
    note: "1 long line is cut at 1000 characters",
  });
  expect(viewLines(`${"y".repeat(900)}\n`.repeat(400), undefined).note).toMatch(
    /cut after line 13\d, the output is too long/,
  );
});

test("shows an empty file", () => {
  expect(viewLines("", undefined)).toEqual({ total: 0, shown: "", text: "", note: null });
});

test.each([
  ["react", { name: "react", version: "latest" }],
  ["@a/b@^1.2.0", { name: "@a/b", version: "^1.2.0" }],
  ["x@>=1 <2", { name: "x", version: ">=1 <2" }],
])("%s is a valid package", (spec, expected) => {
  expect(readPackage(spec)).toEqual(expected);
});

test.each(["", "A", "../x", "a b", "__proto__", "x@file:../y", "x@https://a/b", "@a", "a/b", "x@"])(
  "%j is none",
  (spec) => {
    expect(() => readPackage(spec)).toThrow(/is not a (?:package name|version)/);
  },
);

test("a package moves between the lists, and a missing file is created", () => {
  const first = addPackage(undefined, { name: "a", version: "1" }, true);
  expect(JSON.parse(first)).toMatchObject({ private: true, devDependencies: { a: "1" } });
  const moved = addPackage(first, { name: "a", version: "2" }, false);
  expect(JSON.parse(moved)).toMatchObject({ devDependencies: {}, dependencies: { a: "2" } });
  expect(JSON.parse(removePackage(moved, "a") ?? "")).toMatchObject({ dependencies: {} });
  expect(removePackage(moved, "toString")).toBeUndefined();
});

test("a file that is not an object of lists is not overwritten", () => {
  for (const text of ["[]", "{", '"x"', '{"dependencies": []}'])
    expect(() => addPackage(text, { name: "a", version: "1" }, false)).toThrow(/Fix it first/);
});

test("keeps the layout of the file", () => {
  const crlf = '{\r\n    "name": "x"\r\n}';
  expect(addPackage(crlf, { name: "a", version: "1" }, false)).toBe(
    '{\r\n    "name": "x",\r\n    "dependencies": {\r\n        "a": "1"\r\n    }\r\n}',
  );
});
