import fc from "../../test/support/fast-check.ts";
import { expect, test } from "vitest";
import { countTokens } from "../lib/tokens.ts";
import { toolContext, toolDeps } from "../../test/support/server/tool-context.ts";
import type { RowOf } from "../store/schema.ts";
import create from "./read-artifact.tool.ts";
import type { Tool, ToolContext } from "./tool.ts";

const tool = create(toolDeps) as Tool;

type Output = {
  readonly characters: number;
  readonly passages: readonly { readonly from: number; readonly to: number; readonly text: string }[];
  readonly more?: string;
};

const page = (body: string, row: Partial<RowOf<"artifacts">> = {}): RowOf<"artifacts"> => ({
  id: "a",
  thread: "t",
  ref: 3,
  message: "m",
  kind: "page",
  title: "On granite",
  url: "https://stone.example/granite",
  type: "text/markdown",
  hash: "h",
  untrusted: "[]",
  body,
  meta: "{}",
  created_at: 1,
  ...row,
});

const contextOf = (...artifacts: readonly RowOf<"artifacts">[]) =>
  toolContext({
    read: {
      artifact: async (thread: string, ref: number) =>
        artifacts.find((row) => row.thread === thread && row.ref === ref),
    } as unknown as ToolContext["read"],
  });

const read = async (body: string, input: object): Promise<Output> => {
  const { output } = await tool.execute({ ref: 3, ...input }, contextOf(page(body)));
  return tool.output!.parse(output) as Output;
};

test("reads a short text in full and adds its page as a source", async () => {
  const context = contextOf(page("Granite is hard."));
  expect(await tool.execute({ ref: 3 }, context)).toEqual({
    output: {
      ref: 3,
      title: "On granite",
      url: "https://stone.example/granite",
      kind: "page",
      characters: 16,
      passages: [{ from: 0, to: 16, text: "Granite is hard." }],
    },
  });
  expect(context.sources).toEqual([
    { url: "https://stone.example/granite", title: "On granite", status: "read", ref: 3 },
  ]);
});

test("rejects unknown artifacts and those of other threads", async () => {
  const context = contextOf(page("mine"), page("theirs", { thread: "another", ref: 4 }));
  await expect(tool.execute({ ref: 4 }, context)).rejects.toThrow("There is no artifact [4] in this thread.");
  await expect(tool.execute({ ref: 9 }, context)).rejects.toThrow("[9]");
  expect(context.sources).toEqual([]);
});

test("a long text is read in consecutive parts that say how much is left", async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.oneof(fc.lorem({ maxCount: 60 }), fc.string({ unit: "binary" }), fc.constant("😀".repeat(5000))), {
        minLength: 1,
        maxLength: 12,
      }),
      async (paragraphs) => {
        const body = paragraphs.join("\n\n").repeat(8);
        let whole = "";
        for (let from = 0, turns = 0; turns < 1000; turns += 1) {
          const { passages, more, characters } = await read(body, { from });
          const { text, to } = passages[0]!;
          expect(text.length).toBeLessThanOrEqual(12_000);
          expect(characters).toBe(body.length);
          whole += text;
          if (more === undefined) break;
          expect(more).toBe(`${body.length - to} more characters: from ${to}.`);
          from = to;
        }
        expect(whole).toBe(body);
      },
    ),
    { numRuns: 20 },
  );
});

test("never splits a surrogate pair", async () => {
  const body = "😀".repeat(20_000);
  for (const from of [1, 11_999, 12_000])
    expect((await read(body, { from })).passages[0]!.text.isWellFormed()).toBe(true);
});

test("reading past the end throws an error with the text's length", async () => {
  await expect(read("short", { from: 5 })).rejects.toThrow("the text has 5 characters. Use a smaller value.");
});

const filler = Array.from({ length: 400 }, (_, n) => `Paragraph ${n} tells of the weather on day ${n}, as it was.`);
const needles = ["The quarry of Carrara gave white marble.", "Marble from Carrara went to Rome by sea."];

test("finds the passages that match the words, with their positions", async () => {
  const body = [...filler.slice(0, 200), needles[0], ...filler.slice(200), needles[1]].join("\n\n");
  const { passages } = await read(body, { find: "Carrara marble" });
  expect(passages).toHaveLength(2);
  for (const [at, { from, to, text }] of passages.entries()) {
    expect(text).toContain(needles[at]);
    expect(body.slice(from, to)).toBe(text);
  }
});

test("limits the returned passages and counts the rest", async () => {
  const { passages, more } = await read(filler.join("\n\n").repeat(3), { find: "weather" });
  expect(passages.reduce((sum, { text }) => sum + text.length, 0)).toBeLessThanOrEqual(12_000);
  expect(passages.length).toBeGreaterThan(2);
  expect(countTokens(JSON.stringify(passages))).toBeLessThanOrEqual(1850);
  expect(more).toMatch(/^\d+ more passages contain some of these words\.$/);
});

test("says when no passage contains the words", async () => {
  expect(await read(filler.join("\n"), { find: "obsidian" })).toMatchObject({
    passages: [],
    more: expect.stringMatching(/^None of its \d+ passages/),
  });
});

test("text with many tokens per character is read in shorter parts", async () => {
  const { passages, more } = await read("東京の人口は約1400万人です。".repeat(2000), {});
  expect(passages[0]!.text.length).toBeLessThan(4000);
  expect(countTokens(JSON.stringify(passages))).toBeLessThanOrEqual(2000);
  expect(more).toMatch(/from \d+\.$/);
});

test("stops at `to` if it comes before the limit", async () => {
  const { passages, more } = await read("0123456789".repeat(10), { from: 10, to: 15 });
  expect(passages).toEqual([{ from: 10, to: 15, text: "01234" }]);
  expect(more).toBe("85 more characters: from 15.");
});

const result = JSON.stringify({
  query: "granite",
  rows: [
    { id: "A1", note: "hard", "a b": { c: 1 } },
    { id: "A2", note: "soft" },
    { id: "A3", note: "The quarry of Carrara gave white marble." },
  ],
});
const at = async (path: string): Promise<string> => (await read(result, { path })).passages[0]!.text;

test("a path selects fields, items, negative indexes, slices and a field of each item", async () => {
  expect(await at("query")).toBe("granite");
  expect(await at("$.rows[1].note")).toBe("soft");
  expect(await at("rows.1.note")).toBe("soft");
  expect(await at("rows[-1].id")).toBe("A3");
  expect(JSON.parse(await at('rows[0]["a b"]'))).toEqual({ c: 1 });
  expect(JSON.parse(await at("rows[0:2].id"))).toEqual(["A1", "A2"]);
  expect(JSON.parse(await at("rows[*].id"))).toEqual(["A1", "A2", "A3"]);
});

test("an invalid path throws an error that names the last valid step", async () => {
  await expect(at("rowz")).rejects.toThrow("the result has no “rowz”. It has: query, rows.");
  await expect(at("rows[7]")).rejects.toThrow(".rows has 3 items: [0] to [2].");
  await expect(at("query.deep")).rejects.toThrow(".query is a plain value without fields.");
  await expect(at("rows[")).rejects.toThrow("is invalid at “[”");
  await expect(at("__proto__")).rejects.toThrow("has no “__proto__”");
  await expect(read("plain words", { path: "a" })).rejects.toThrow("[3] is plain text without fields");
});

test("find searches only the value at the path", async () => {
  expect((await read(result, { path: "rows[2]", find: "marble" })).passages).toHaveLength(1);
  expect((await read(result, { path: "rows[0]", find: "marble" })).passages).toEqual([]);
});

test("summarize names the text and the range that was read", async () => {
  const { output } = await tool.execute({ ref: 3 }, contextOf(page("Granite is hard.")));
  expect(tool.summarize!({ ref: 3 }, output)).toBe("[3] On granite: read characters 0-16 of 16");
});
