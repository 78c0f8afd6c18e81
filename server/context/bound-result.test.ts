import fc from "../../test/support/fast-check.ts";
import { expect, test } from "vitest";
import { countTokens as count } from "../lib/tokens.ts";
import { boundResult } from "./bound-result.ts";

const bound = (output: unknown, tokens = 600, ref: number | undefined = 7) =>
  boundResult(output, { tokens, ref, count });
const parse = (text: string): Record<string, unknown> => JSON.parse(text) as Record<string, unknown>;

const flight = (at: number) => ({
  flight_number: `HAT${100 + at}`,
  from: "JFK",
  status: at % 5 === 0 ? "delayed" : "available",
  date: "2024-05-20",
  prices: { economy: 100 + at, business: 400 + at },
});
const flights = Array.from({ length: 60 }, (_, at) => flight(at));
const sentences = Array.from({ length: 900 }, (_, at) => `Sentence ${at} tells of granite and of the sea.`);

test("output that fits is unchanged, text as text and data as JSON", () => {
  expect(bound("plain [text]")).toEqual({ text: "plain [text]", cut: false, wholeTokens: count("plain [text]") });
  expect(bound({ b: 1, a: [true, null] }).text).toBe('{"b":1,"a":[true,null]}');
  expect(bound(undefined).text).toBe("null");
  expect(bound('{"a": 1}').text).toBe('{"a": 1}');
});

test("a list keeps both ends, and counts and names the omitted items", () => {
  const { text, cut, wholeTokens } = bound({ found: 60, flights });
  expect(cut).toBe(true);
  expect(count(text)).toBeLessThanOrEqual(600);
  const shown = parse(text);
  const list = shown["flights"] as unknown[];
  expect(shown["found"]).toBe(60);
  expect(shown["_cut"]).toContain(`Shortened from ${wholeTokens} tokens`);
  expect(shown["_cut"]).toContain("read_artifact with ref 7");
  expect(list[0]).toEqual(flights[0]);
  expect(list.at(-1)).toEqual(flights.at(-1));
  const gap = list.find((item) => typeof item === "string");
  expect(gap).toBe(
    `… ${60 - (list.length - 1)} of 60 left out: [${list.indexOf(gap)}]-[${60 - (list.length - list.indexOf(gap as string))}] ` +
      `(${/\((.*)\)/.exec(gap as string)?.[1]})`,
  );
  expect(gap).toContain(flights[list.indexOf(gap)]!.flight_number);
});

test("a root list and JSON inside a string keep their shape", () => {
  for (const output of [flights, JSON.stringify(flights), { result: JSON.stringify({ rows: flights }) }]) {
    const { text } = bound(output);
    expect(JSON.stringify(parse(text))).toContain('"flight_number":"HAT100"');
    expect(text).not.toContain('\\"flight_number');
  }
});

test("short values stay whole; long texts lose their middle at sentence boundaries", () => {
  const output = { id: "T-4471", state: "open", total: 31.5, due: "2024-05-20", body: sentences.join(" ") };
  const { text } = bound(output);
  const { body, _cut, ...rest } = parse(text);
  expect(rest).toEqual({ id: "T-4471", state: "open", total: 31.5, due: "2024-05-20" });
  const [head, tail] = (body as string).split(/\n\[… \d+ characters left out …\]\n/);
  expect(head).toMatch(/^Sentence 0 .*sea\.$/s);
  expect(tail).toMatch(/^Sentence \d+ .*sea\.$/s);
  expect(output.body.startsWith(head!) && output.body.endsWith(tail!)).toBe(true);
  expect(count(text)).toBeGreaterThan(500);
});

test("several long texts share the budget", () => {
  const pages = [0, 1, 2, 3].map((at) => ({ ref: at, title: `Page ${at}`, text: sentences.join(" ") }));
  const shown = parse(bound({ pages }, 3000).text)["pages"] as typeof pages;
  expect(shown.map(({ ref, title }) => [ref, title])).toEqual(pages.map(({ ref, title }) => [ref, title]));
  for (const { text } of shown) expect(text.length).toBeGreaterThan(1500);
});

test("a shortened text starts with a notice on a separate line", () => {
  const { text } = bound(sentences.join("\n"));
  const [first, second] = text.split("\n");
  expect(first).toMatch(/^\[Shortened from \d+ tokens\. To read the full output: read_artifact with ref 7 [^\]]*\]$/);
  expect(second).toBe(sentences[0]);
  expect(text.endsWith(sentences.at(-1)!)).toBe(true);
});

test("without a ref the notice does not mention read_artifact", () => {
  expect(boundResult(sentences.join(" "), { tokens: 100, count }).text).not.toContain("read_artifact");
});

test("an object with many keys keeps some and counts the rest", () => {
  const wide = Object.fromEntries(Array.from({ length: 5000 }, (_, at) => [`key${at}`, `value ${at}`]));
  const { _cut, _more, ...shown } = parse(bound(wide).text);
  expect(shown["key0"]).toBe("value 0");
  expect(_more).toBe(`${5000 - Object.keys(shown).length} more keys`);
});

const deep = (levels: number): unknown => (levels === 0 ? "end" : { inner: deep(levels - 1), at: levels });

test("deeply nested values are replaced by their shape", () => {
  const { text } = bound({ rows: Array.from({ length: 50 }, () => deep(60)) });
  expect(count(text)).toBeLessThanOrEqual(600);
  expect(parse(text)["rows"]).toBeDefined();
});

const anyText = fc.oneof(
  fc.string({ unit: "binary", maxLength: 600 }),
  fc.string({ unit: "grapheme", maxLength: 600 }),
  fc.lorem({ maxCount: 150 }),
  fc.constantFrom(
    "😀".repeat(4000),
    "\ud800".repeat(900),
    "東京の人口は約1400万人です。".repeat(300),
    " ".repeat(9000),
    '"\\'.repeat(2000),
  ),
);
const anyValue = fc.letrec((tie) => ({
  value: fc.oneof({ maxDepth: 3, depthSize: "small" }, anyText, fc.jsonValue(), tie("list"), tie("object")),
  list: fc.array(tie("value"), { maxLength: 12 }),
  object: fc.dictionary(fc.string({ unit: "binary", maxLength: 200 }), tie("value"), { maxKeys: 12 }),
})).value;

test("for any value and bound: within the bound, well-formed, valid JSON for data, deterministic", () => {
  let cuts = 0;
  fc.assert(
    fc.property(anyValue, fc.integer({ min: 0, max: 700 }), (value, tokens) => {
      const { text, cut, wholeTokens } = bound(value, tokens);
      expect(cut).toBe(wholeTokens > tokens);
      if (!cut) return;
      cuts += 1;
      expect(count(text)).toBeLessThanOrEqual(tokens);
      expect(text.isWellFormed()).toBe(true);
      const isData = tokens >= 200 && typeof value === "object";
      expect(isData ? parse(text)["_cut"] : "Shortened").toMatch(/^Shortened/);
      expect(bound(structuredClone(value), tokens).text).toBe(text);
    }),
    { numRuns: 200 },
  );
  expect(cuts).toBeGreaterThan(50);
});
