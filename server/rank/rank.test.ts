import fc from "../../test/support/fast-check.ts";
import { expect, test } from "vitest";
import { findPassage, rank, sharesSubject, toIndex, toPassageFinder } from "./rank.ts";

const reykjavik = [
  "Reykjavik - Wikipedia. The capital of Iceland; its population was 139,875 in 2023.",
  "Population of Reykjavik by year: census figures",
  "Ten cheap hotels in Reykjavik",
  "How to bake sourdough bread at home",
];

test("ranks texts by how much of the question they contain", () => {
  const scores = rank("What is the population of Reykjavik?", reykjavik);
  expect(scores[1]).toBeGreaterThan(0.5);
  expect(scores[0]).toBeGreaterThan(0.5);
  expect(scores[2]).toBeLessThan(0.5);
  expect(scores[3]).toBe(0);
});

test("function words neither help nor hurt", () => {
  const [plain] = rank("population Reykjavik", reykjavik);
  const [polite] = rank("could you please tell me what the population of Reykjavik is", reykjavik);
  expect(polite).toBeCloseTo(plain!, 10);
});

test("a question of function words only is still compared", () => {
  expect(rank("who are you", ["Who are you?", "A bear"])).toEqual([expect.closeTo(0.92, 1), 0]);
});

test("a rare word weighs more than a frequent one", () => {
  const texts = ["server error timeout", "server log", "server port", "server name", "server disk"];
  const [timeout, server] = [rank("timeout", texts), rank("server", texts)];
  expect(timeout[0]).toBeGreaterThan(0.8);
  expect(server.every((score) => score > 0.8)).toBe(true);
  const both = rank("server timeout", texts);
  expect(both[0]).toBeGreaterThan(0.75);
  expect(both[1]).toBeLessThan(0.35);
});

test("matches plurals, inflections, case, accents and width", () => {
  for (const [question, text] of [
    ["cities", "a city"],
    ["taxes", "the tax"],
    ["released", "two releases"],
    ["Regierung", "die Regierungen"],
    ["CAFÉ", "cafe\u0301"],
    ["ＡＢＣ", "abc"],
  ] as const)
    expect(rank(question, [text])[0], question).toBeGreaterThan(0.8);
});

test("does not match words that only begin alike", () => {
  expect(rank("internet", ["international law"])[0]).toBe(0);
  expect(rank("1984", ["19845"])[0]).toBe(0);
});

test("scripts without spaces are compared by pairs of characters", () => {
  const scores = rank("東京の人口", ["東京の人口は約1400万人", "大阪の天気", "人口"]);
  expect(scores[0]).toBeGreaterThan(0.9);
  expect(scores[0]).toBeGreaterThan(scores[2]!);
  expect(scores[1]).toBeLessThan(0.3);
});

test("adjacent words score higher than the same words apart", () => {
  const [together, apart] = rank("machine learning", ["machine learning at work", "learning to use a machine"]);
  expect(together).toBeGreaterThan(apart!);
  expect(apart).toBeGreaterThan(0.7);
});

test("an empty question or an empty set gives no score", () => {
  expect(rank("", ["a", "b"])).toEqual([0, 0]);
  expect(rank("?! 🙂", ["a"])).toEqual([0]);
  expect(rank("a", [])).toEqual([]);
});

test("two texts share a subject only by content words", () => {
  expect(sharesSubject("What is the deadline for tax returns?", "tax return deadline 2025")).toBe(true);
  expect(sharesSubject("What is the deadline for tax returns?", "what is the best cat")).toBe(false);
});

test("every score is between 0 and 1, for any texts", () => {
  const words = fc.array(fc.oneof(fc.string({ unit: "grapheme" }), fc.constantFrom("tax", "the", "東京", "1984")));
  fc.assert(
    fc.property(words, fc.array(words), (question, texts) => {
      const joined = texts.map((text) => text.join(" "));
      const scores = rank(question.join(" "), joined);
      expect(scores).toHaveLength(texts.length);
      for (const score of scores) expect(score >= 0 && score <= 1 && Number.isFinite(score)).toBe(true);
    }),
  );
});

test("an index gives each question the same scores as `rank`", () => {
  const index = toIndex(reykjavik);
  for (const question of ["population", "cheap hotels", "bread"])
    expect(index.score(question)).toEqual(rank(question, reykjavik));
});

const page = [
  "# Reykjavik",
  "Reykjavik is the capital of Iceland. It lies on the shore of Faxa Bay!",
  "",
  "The city was founded in 1786. Its population reached 139,875 in 2023. Many of them live in the west.",
  "",
  "| hotel | price |",
  "| Borg | 200 |",
].join("\n");

test("finds the sentence that answers the question, with its position", () => {
  const found = findPassage("population in 2023", page)!;
  expect(page.slice(found.start, found.end)).toBe("Its population reached 139,875 in 2023.");
  expect(found.score).toBeGreaterThan(0.75);
});

test("a passage includes neighbors that contain missing words", () => {
  const found = findPassage("founded 1786 population 139,875", page)!;
  const text = page.slice(found.start, found.end);
  expect(text).toBe("The city was founded in 1786. Its population reached 139,875 in 2023.");
});

test("a text without any word of the question has no passage", () => {
  expect(findPassage("sourdough bread", page)).toBeUndefined();
  expect(findPassage("sourdough", "")).toBeUndefined();
});

test("a text without sentences is cut at word boundaries", () => {
  const endless = `${"lorem ipsum ".repeat(400)}needle ${"dolor ".repeat(400)}`;
  const found = findPassage("needle", endless)!;
  expect(endless.slice(found.start, found.end)).toContain("needle");
  expect(found.end - found.start).toBeLessThanOrEqual(600);
  const solid = `${"x".repeat(2000)}東京${"y".repeat(2000)}`;
  expect(findPassage("東京", solid)).toMatchObject({ score: expect.any(Number) });
});

test("a reused passage finder gives the same results", () => {
  const find = toPassageFinder(page);
  expect(find("capital Iceland")).toEqual(findPassage("capital Iceland", page));
  expect(find("hotel price")).toEqual(findPassage("hotel price", page));
});
