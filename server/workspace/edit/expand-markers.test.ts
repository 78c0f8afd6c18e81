import { expect, test } from "vitest";
import { expandMarkers } from "./expand-markers.ts";
import { isMarker } from "./markers.ts";

const old = [
  'import { a } from "./a";',
  'import { b } from "./b";',
  "",
  "export function one() {",
  "  return a();",
  "}",
  "",
  "export function two() {",
  "  return b();",
  "}",
];
const expand = (...lines: readonly string[]) => expandMarkers(old, lines, "src/x.ts");

test.each([
  "// ... keep existing code",
  "// ... keep existing code (the functions)",
  "  /* ... existing code ... */",
  "{/* ... keep existing code (list) */}",
  "<!-- ... rest of the page ... -->",
  "# ... rest of the file remains the same",
  "-- ... unchanged ...",
  "; ... existing code",
  "// … keep existing code",
  "// Keep existing code",
  "// ...",
])("%s is a marker", (line) => {
  expect(isMarker(line, "src/x.ts")).toBe(true);
  expect(isMarker(line, "docs/x.md")).toBe(false);
});

test.each([
  "// the rest of the numbers is summed up",
  "const rest = ...args;",
  "// loading...",
  "/** Keeps what is there. */",
  "...",
  "# Existing users",
])("%s is not a marker", (line) => {
  expect(isMarker(line, "src/x.ts")).toBe(false);
});

test("keeps the lines between the lines around a marker", () => {
  const written = [
    'import { a } from "./a";',
    "// ... keep existing code",
    "export function two() {",
    "  return 2;",
    "}",
  ];
  expect(expand(...written)).toEqual({ ok: true, expanded: 1, lines: [...old.slice(0, 8), "  return 2;", "}"] });
});

test("a marker at the beginning or end reaches to the beginning or end of the file", () => {
  const middle = ["export function one() {", "  return 1;", "}"];
  expect(expand("// ... keep existing code", ...middle, "// ... keep existing code")).toMatchObject({ ok: false });
  const sure = ["export function one() {", "  return a() + 1;", "}", "", "export function two() {"];
  expect(expand("// ... imports: keep existing code", ...sure, "// ... rest of file")).toEqual({
    ok: true,
    expanded: 2,
    lines: [...old.slice(0, 4), "  return a() + 1;", ...old.slice(5)],
  });
});

test.each([
  [
    "the line before it is new",
    ["const x = 1;", "// ... keep existing code"],
    /line before it \("const x = 1;"\) is not in the file/,
  ],
  [
    "the line after it is new",
    ["// ... keep existing code", "const x = 1;"],
    /line after it \("const x = 1;"\) is not in the file/,
  ],
  [
    "only a bracket tells the place",
    ["// ... keep existing code", "x();", "}", "// ... rest of code"],
    /not in the file/,
  ],
  ["the line occurs twice", ["// ... keep existing code", "}", "x();"], /several places/],
  [
    "the file would lose its beginning",
    ["export function two() {", "// ... keep existing code"],
    /would be lost[^]*1: import/,
  ],
] as const)("it is refused where %s", (_, lines, reason) => {
  const result = expand(...lines);
  expect(result).toMatchObject({ ok: false, reason: expect.stringMatching(reason) });
});

test("a comment that is already in the file is not a marker", () => {
  const file = ["// ...", "run();"];
  expect(expandMarkers(file, ["// ...", "stop();"], "x.ts")).toEqual({
    ok: true,
    expanded: 0,
    lines: ["// ...", "stop();"],
  });
});

const rules = [".a {", "  color: red;", "}", ".b {", "  color: blue;", "}", ".c {", "  color: green;", "}"];
const css = (...lines: readonly string[]) => expandMarkers(rules, lines, "x.css");

test.each([
  ["the first rule became like the second", [".a {", "  color: blue;", "}", "/* ... keep existing code */"]],
  [
    "one in the middle did",
    ["/* ... keep existing code */", ".a {", "  color: green;", "}", "/* ... keep existing code */"],
  ],
  [
    "the last became like the one before",
    [".a {", "/* ... keep existing code */", ".c {", "  color: blue;", "}"],
    [...rules.slice(0, 7), "  color: blue;", "}"],
  ],
  ["lines would go with nothing in their place", [".a {", "}", "/* ... keep existing code */"]],
] as const)("rules that are alike are not taken for one another: %s", (_, lines, expected?: readonly string[]) => {
  expect(css(...lines)).toMatchObject(expected ? { ok: true, lines: expected } : { ok: false });
});

test("a rule among similar ones is changed where its neighbors match", () => {
  const written = [...rules.slice(0, 4), "  color: black;", "}", ".c {", "/* ... rest of the file */"];
  expect(css(...written)).toEqual({
    ok: true,
    expanded: 1,
    lines: [...rules.slice(0, 4), "  color: black;", ...rules.slice(5)],
  });
});
