import { expect, test } from "vitest";
import { toGlob } from "./glob.ts";
import { searchTexts, type SearchText } from "./search-texts.ts";

const signal = new AbortController().signal;
async function* toTexts(files: Readonly<Record<string, string>>): AsyncGenerator<SearchText> {
  for (const [path, text] of Object.entries(files)) yield { path, text };
}
const search = (files: Readonly<Record<string, string>>, pattern: string, caseSensitive = false) =>
  searchTexts(toTexts(files), { pattern, caseSensitive, signal });

test("finds lines with their neighbors, ignoring case by default", async () => {
  const files = { "a.ts": "one\nTwo\nthree\n", "b.ts": "none" };
  expect(await search(files, "^two$")).toEqual({
    total: 1,
    files: 1,
    shown: [{ path: "a.ts", line: 2, text: "Two", around: ["1- one", "2: Two", "3- three"] }],
  });
  expect(await search(files, "^two$", true)).toMatchObject({ total: 0 });
});

test("counts all matches and shows some", async () => {
  const { total, files, shown } = await search({ "a.ts": "x\n".repeat(1000), "b.ts": "x\n" }, "x");
  expect([total, files, shown.length]).toEqual([1001, 2, 16]);
});

test.each(["(a+)+$", "(a|a)*b", "(a|aa)+$", "^(([a-z])+.)+[A-Z]([a-z])+$", "(.*)*x", "(?:a?){30}a{30}"])(
  "%s costs no more steps on a text that is made to hang it",
  async (pattern) => {
    expect((await search({ "a.ts": `${"a".repeat(50_000)}!\n`.repeat(8) }, pattern)).files).toBeLessThanOrEqual(1);
  },
);

test.each([
  ["(", /is invalid/],
  ["(?<=a)b", /without look-around/],
  ["(a)\\1", /without look-around/],
  ["((a{1,30}){1,30}){1,30}", /is invalid|Simplify/],
  ["x{900}y{900}z{900}", /Simplify/],
])("%s is rejected", async (pattern, reason) => {
  await expect(search({ "a.ts": "a" }, pattern)).rejects.toThrow(reason);
});

test("an aborted search ends", async () => {
  const controller = new AbortController();
  controller.abort(new Error("enough"));
  const files = toTexts({ "a.ts": "a\n".repeat(200_000) });
  await expect(searchTexts(files, { pattern: "b", caseSensitive: false, signal: controller.signal })).rejects.toThrow(
    "enough",
  );
});

test.each([
  ["src/**/*.tsx", "src/a.tsx", true],
  ["src/**/*.tsx", "src/a/b/c.tsx", true],
  ["src/**/*.tsx", "lib/a.tsx", false],
  ["*.{ts,tsx}", "src/deep/a.ts", true],
  ["*.ts, *.css", "a.css", true],
  ["src", "src/a.ts", true],
  ["src/", "src/a.ts", true],
  ["./src/**", "src/a.ts", true],
  ["sr?/a.ts", "src/a.ts", true],
  ["a.b", "axb", false],
  ["*.ts", "a.tsx", false],
  ["{a", "{a", true],
  ["a+(b)", "a+(b)", true],
])("%s matches %s: %s", (pattern, path, expected) => {
  expect(toGlob(pattern)(path)).toBe(expected);
});

test("a pattern of stars takes linear time", () => {
  expect(toGlob(`${"*a".repeat(100)}b`)("a".repeat(400))).toBe(false);
  expect(() => toGlob("a".repeat(301))).toThrow(/at most 300/);
});
