import { describe, expect, test } from "vitest";
import { layOut } from "./layout.ts";
import { parseTree } from "./tree.ts";
import { agree, chooseBy, keepBest } from "./choose.ts";
import { printForest, readForests, weigh, type Forest } from "./forest.ts";
import { createSurroundings } from "./surroundings.ts";
import { featureNames, measureRuns } from "./features.ts";
import { survey } from "./survey.ts";

const runsOf = (html: string) => layOut(parseTree(html)).runs;
const agreeOn = (html: string, paths: readonly string[], weights: readonly number[]): readonly number[] =>
  agree({ layout: layOut(parseTree(html)), around: createSurroundings(), paths }, weights);

describe("chooseBy", () => {
  const byHeading = (below: number): Forest => ({
    start: 0,
    trees: [{ feature: featureNames.indexOf("heading"), threshold: 1, below, rest: -below }],
  });
  const choose = (html: string, types: string): readonly boolean[] => {
    const page = survey(layOut(parseTree(html)), { title: "", types });
    return chooseBy({ any: byHeading(3), article: byHeading(-3) }, page, measureRuns(page));
  };
  const paragraphs = (words: number): string =>
    `<p>${"one ".repeat(words)}</p><h2>three</h2><p>${"four five ".repeat(20)}</p>`;

  test("keeps the runs with high scores", () => {
    expect(choose(paragraphs(40), "")).toEqual([true, false, true]);
  });

  test("uses the article weights for a short text on an article page", () => {
    expect(choose(paragraphs(40), "NewsArticle")).toEqual([false, true, false]);
    expect(choose(paragraphs(900), "NewsArticle")).toEqual([true, false, true]);
  });
});

describe("agree", () => {
  test("similar runs move halfway to their mean, weighted by words", () => {
    expect(
      agreeOn("<div><p>a b</p><p>c d</p><p>e f</p><h2>g</h2></div>", ["x", "x", "x", "y"], [3, 3, -3, -1]),
    ).toEqual([2, 2, -1, -1]);
  });

  test("items of a list move halfway to their mean", () => {
    expect(agreeOn("<ul><li>a</li><li><b>b</b></li><li>c</li></ul>", ["1", "2", "3"], [2, 2, -4])).toEqual([1, 1, -2]);
  });

  test("code gets the score of the adjacent text", () => {
    expect(agreeOn("<p>a</p><pre>b</pre><p>c</p>", ["1", "2", "3"], [-2, -5, 3])).toEqual([-2, 3, 3]);
  });
});

describe("keepBest", () => {
  const runs = runsOf("<p>a b c d e f g h i j</p><p>k l m n o</p><p>p q r s t</p>");
  test("keeps likely runs and drops unlikely ones", () => {
    expect(keepBest(runs, [5, 0, -5])).toEqual([true, true, false]);
  });
  test("keeps the likeliest part of a page with low scores only", () => {
    expect(keepBest(runs, [-2, -9, -9])).toEqual([true, false, false]);
  });
});

describe("the weights", () => {
  test.each(["any", "article"] as const)("for %s pages survive printing and parsing", (name) => {
    const forest = readForests()[name];
    const row = Float32Array.from(featureNames, (_, index) => index / 10);
    expect(forest.trees.length).toBeGreaterThan(50);
    expect(printForest(forest).split("\n").length).toBe(forest.trees.length + 2);
    expect(Number.isFinite(weigh(forest, row))).toBe(true);
  });

  test("a smaller value takes the lower branch, an equal one does not", () => {
    const forest: Forest = { start: 1, trees: [{ feature: 0, threshold: 2, below: 10, rest: 20 }] };
    expect([weigh(forest, Float32Array.of(1.9)), weigh(forest, Float32Array.of(2))]).toEqual([11, 21]);
  });
});
