import type { Box, Layout, Run } from "./layout.ts";
import { measureRuns } from "./features.ts";
import { readForests, weigh, type Forest, type Forests } from "./forest.ts";
import { isCode, survey, toChain, type Claims, type Survey } from "./survey.ts";

/**
 * Selects the runs of a page that are its main content. Scores every run by its content and position, smooths the scores of
 * similar runs, of items of one list, and of code with the text around it, then picks the threshold with the best expected F1.
 * A page of a few words is kept in full, because there is nothing to compare it with.
 */
export function chooseRuns(layout: Layout, claims: Claims): readonly boolean[] {
  if (layout.root.words < fewWords) return layout.runs.map(() => true);
  const page = survey(layout, claims);
  return chooseBy(getForests(), page, measureRuns(page));
}

/** A short text on a page that declares itself an article is scored again with weights fitted to short articles. */
export function chooseBy(forests: Forests, page: Survey, rows: readonly Float32Array[]): readonly boolean[] {
  const { runs } = page.layout;
  const choose = (forest: Forest): readonly boolean[] =>
    keepBest(
      runs,
      agree(
        page,
        rows.map((row) => weigh(forest, row)),
      ),
    );
  const kept = choose(forests.any);
  const words = runs.reduce((sum, run, index) => sum + (kept[index] === true ? run.words : 0), 0);
  return isArticle(page) && words < shortWords ? choose(forests.article) : kept;
}

const shortWords = 700;
const fewWords = 60;
let loaded: Forests | undefined;
const getForests = (): Forests => (loaded ??= readForests());

/** A page that declares itself an article has one main text, surrounded by teasers and lists that are not part of it. */
export const isArticle = ({ types }: Pick<Claims, "types">): boolean => /article|blogposting|story/i.test(types);

export function agree(page: Pick<Survey, "layout" | "around" | "paths">, own: readonly number[]): readonly number[] {
  const { paths } = page;
  const { runs } = page.layout;
  const code = runs.map((run) => isCode(page, run));
  const withCode = own.map((weight, index) => (code[index] === true ? weighCode(code, own, index) : weight));
  const alike = smoothByGroup(runs, withCode, (_, index) => paths[index]);
  return smoothByGroup(runs, alike, ({ parent }) => findList(parent));
}

/** Code gets the score of the text before or after it. */
function weighCode(code: readonly boolean[], weights: readonly number[], index: number): number {
  const neighbor = (step: number): number => {
    for (let at = index + step; at >= 0 && at < code.length && Math.abs(at - index) < 30; at += step)
      if (code[at] === false) return weights[at] ?? -Infinity;
    return -Infinity;
  };
  return Math.max(weights[index] ?? 0, neighbor(-1), neighbor(1));
}

/** Moves each score halfway to its group's mean, weighted by words. Runs without a group stay unchanged. */
function smoothByGroup(
  runs: readonly Run[],
  weights: readonly number[],
  groupOf: (run: Run, index: number) => unknown,
): readonly number[] {
  const groups = new Map<unknown, { words: number; total: number; count: number }>();
  const keys = runs.map(groupOf);
  for (const [index, run] of runs.entries()) {
    const key = keys[index];
    if (key === undefined) continue;
    const group = groups.get(key) ?? { words: 0, total: 0, count: 0 };
    groups.set(key, group);
    group.words += run.words + 1;
    group.total += (run.words + 1) * (weights[index] ?? 0);
    group.count += 1;
  }
  return weights.map((weight, index) => {
    const group = groups.get(keys[index]);
    return group === undefined || group.count < 3 ? weight : (weight + group.total / group.words) / 2;
  });
}

const findList = (parent: Box): Box | undefined => toChain(parent).find(({ tag }) => /^(ul|ol|dl)$/.test(tag));

/** Bounds of the threshold with the best expected F1. It may be lower if nothing would be kept otherwise. */
const line = { lowest: 0.25, highest: 0.45 } as const;

export function keepBest(runs: readonly Run[], weights: readonly number[]): readonly boolean[] {
  const chances = weights.map((weight) => 1 / (1 + Math.exp(-weight)));
  const falling = [...chances.keys()].sort((a, b) => (chances[b] ?? 0) - (chances[a] ?? 0));
  const wanted = falling.reduce((total, index) => total + (chances[index] ?? 0) * (runs[index]?.words ?? 0), 0);
  let [kept, hits, most, drawn] = [0, 0, -1, 1];
  for (const index of falling) {
    const words = runs[index]?.words ?? 0;
    kept += words;
    hits += words * (chances[index] ?? 0);
    const f1 = (2 * hits) / (kept + wanted);
    if (f1 > most) [most, drawn] = [f1, chances[index] ?? 1];
  }
  const likeliest = chances[falling[0] ?? 0] ?? 1;
  const limit = likeliest < line.lowest ? drawn : Math.min(line.highest, Math.max(line.lowest, drawn));
  return chances.map((chance) => chance >= limit);
}
