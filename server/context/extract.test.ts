import fc from "../../test/support/fast-check.ts";
import { describe, expect, test } from "vitest";
import { countTokens } from "../lib/tokens.ts";
import { extractLines, extractSummary, type WeighedTurn } from "./extract.ts";
import { splitSentences } from "../lib/split-sentences.ts";

const turn = (
  depth: number,
  role: WeighedTurn["role"],
  text: string,
  tools: WeighedTurn["tools"] = [],
): WeighedTurn => ({
  depth,
  role,
  at: depth,
  text,
  tools,
});

const trip: readonly WeighedTurn[] = [
  turn(1, "user", "Hi! We want to hike in Norway in July. Our budget is 2,400 euros for three people."),
  turn(2, "assistant", "Great. Norway in July is light all night. The cheapest flights to Bergen cost 180 euros.", [
    { name: "search_web", digest: "flights to Bergen: SK4612 180 EUR, KL1187 204 EUR" },
  ]),
  turn(3, "user", "Thanks. We decided to fly with SK4612 on 2026-07-04. Please remember to book the huts."),
  turn(4, "assistant", "Noted. Huts at Finse fill up early. Shall I look for a hut near Finse?"),
];

const flatten = (value: unknown): string[] =>
  typeof value === "string" ? [value] : typeof value === "object" && value ? Object.values(value).flatMap(flatten) : [];

/** Whether a text consists of some of these sentences, in order, joined by spaces. */
const isJoined = (text: string, sentences: readonly string[]): boolean =>
  text === "" ||
  sentences.some(
    (one, at) =>
      text === one || (text.startsWith(`${one} `) && isJoined(text.slice(one.length + 1), sentences.slice(at + 1))),
  );

describe("extractSummary", () => {
  test("consists of verbatim sentences, each in its field", () => {
    const fields = extractSummary(trip, 300, countTokens);
    expect(fields.decisions.concat(fields.overview).join(" ")).toContain(
      "We decided to fly with SK4612 on 2026-07-04.",
    );
    expect(fields.actionItems.map(({ text }) => text)).toContain("Please remember to book the huts.");
    expect(fields.openQuestions).toEqual(["Shall I look for a hut near Finse?"]);
    expect(fields.toolResults).toEqual([
      { toolName: "search_web", summary: "flights to Bergen: SK4612 180 EUR, KL1187 204 EUR", importance: "medium" },
    ]);
    expect(fields.overview).not.toContain("Thanks");
  });

  test("stays within its budget and drops the least informative sentences", () => {
    const fields = extractSummary(trip, 60, countTokens);
    const said = flatten(fields).filter((text) => !["medium", "low", "search_web"].includes(text));
    expect(said.reduce((sum, text) => sum + countTokens(text), 0)).toBeLessThanOrEqual(60);
    expect(said.join(" ")).toMatch(/SK4612|2,400/);
  });

  test.each([
    ["Chinese", "我们决定在2026年7月4日飞往卑尔根。预算是2400欧元。谢谢。", "2400欧元"],
    ["Thai, which has no full stops", "เราตัดสินใจบินไปเบอร์เกน 4 กรกฎาคม งบประมาณ 2400 ยูโร", "2400"],
    ["Russian", "Спасибо. Мы решили лететь 4 июля. Бюджет 2400 евро.", "решили"],
    ["Arabic", "شكرا. ميزانيتنا 2400 يورو لثلاثة أشخاص؟", "2400"],
  ])("works in %s", (_, text, telling) => {
    expect(flatten(extractSummary([turn(1, "user", text)], 200, countTokens)).join(" ")).toContain(telling);
  });

  test("every sentence is verbatim in the source, for any text", () => {
    const text = fc.string({ unit: "grapheme", maxLength: 300 });
    const roles = fc.constantFrom("user" as const, "assistant" as const);
    fc.assert(
      fc.property(
        fc.array(fc.tuple(roles, text), { maxLength: 6 }),
        fc.integer({ min: 0, max: 200 }),
        (said, budget) => {
          const turns = said.map(([role, one], index) => turn(index + 1, role, one));
          const { overview, toolResults: _, ...fields } = extractSummary(turns, budget, countTokens);
          const source = turns.map((one) => one.text).join("\n");
          for (const one of flatten(fields)) expect(source).toContain(one);
          const sentences = turns.flatMap((one) => splitSentences(one.text).map((sentence) => sentence.text));
          expect(isJoined(overview, sentences)).toBe(true);
          for (const one of turns)
            for (const { text: sentence } of splitSentences(one.text)) expect(one.text).toContain(sentence);
        },
      ),
      { numRuns: 200 },
    );
  });
});

describe("extractLines", () => {
  test("names the turns, keeps their order, and fits the budget", () => {
    const lines = extractLines(trip, 120, countTokens);
    expect(lines[0]).toMatch(/^m1 user: /);
    expect(lines.map((line) => Number(/^m(\d+) /.exec(line)?.[1]))).toEqual([1, 2, 3, 4].slice(0, lines.length));
    expect(lines.reduce((sum, line) => sum + countTokens(line), 0)).toBeLessThanOrEqual(120);
  });

  test("truncates a sentence that is longer than the budget", () => {
    const long = `The code is 4711 and ${"so on and on ".repeat(40)}`;
    const [line = ""] = extractLines([turn(9, "user", long)], 20, countTokens);
    expect(line).toMatch(/^m9 user: The code is 4711 .*…$/);
    expect(countTokens(line)).toBeLessThanOrEqual(20);
  });

  test("includes the preview of a tool result", () => {
    const lines = extractLines([turn(2, "assistant", "", [{ name: "now", digest: "it was 12:30" }])], 60, countTokens);
    expect(lines).toEqual(["m2 assistant: now gave: it was 12:30"]);
  });

  test("returns nothing for no turns", () => {
    expect(extractLines([], 100, countTokens)).toEqual([]);
    expect(extractLines([turn(1, "user", " … ")], 100, countTokens)).toEqual([]);
  });
});
