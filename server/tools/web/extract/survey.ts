import type { Box, Layout, Run } from "./layout.ts";
import { createSurroundings, type Surroundings } from "./surroundings.ts";

/** Facts about the whole page, collected before its runs are scored. */
export type Survey = {
  readonly layout: Layout;
  readonly words: number;
  readonly around: Surroundings;
  /** How many siblings, including itself, have the same tag and class. */
  readonly twins: (box: Box) => number;
  /** The innermost box that contains most of the flowing text. */
  readonly best: Box | undefined;
  /** The best box and its ancestors, with their distance from it. */
  readonly stepsFromBest: ReadonlyMap<Box, number>;
  /** Tags and classes of each run's four nearest boxes. Similar runs have the same path. */
  readonly paths: readonly string[];
  readonly groups: ReadonlyMap<string, Group>;
  /** The largest number of flowing words in a group. */
  readonly mostFlow: number;
  readonly copies: ReadonlyMap<string, number>;
  readonly titleWords: ReadonlySet<string>;
  readonly titleAt: number;
  readonly flowAfter: readonly number[];
  readonly commentFlow: number;
  readonly otherFlow: number;
  readonly shares: Shares;
  readonly types: string;
};
type Group = { count: number; words: number; linkWords: number; flowWords: number };
type Shares = { long: number; main: number };

/** `types`: the declared types of the page, from og:type and schema.org. */
export type Claims = { readonly title: string; readonly types: string };

export function survey(layout: Layout, { title, types }: Claims): Survey {
  const { root, runs } = layout;
  const around = createSurroundings();
  const best = findBest(layout);
  const paths = runs.map(({ parent }) => toPath(parent));
  const titleWords = new Set(toWords(title));
  const isInComment = ({ parent }: Run): boolean => around.toHint(parent, "comment") !== Infinity;
  const flows = runs.filter(isFlow);
  const flowWords = sum(flows, (run) => run.words);
  const commentFlow = sum(flows.filter(isInComment), (run) => run.words);
  const groups = toGroups(runs, paths);
  const copies = new Map<string, number>();
  for (const { text } of runs) copies.set(text, (copies.get(text) ?? 0) + 1);
  return {
    layout,
    words: Math.max(1, root.words),
    around,
    twins: createTwins(),
    best,
    stepsFromBest: new Map(best === undefined ? [] : toChain(best).map((box, steps) => [box, steps])),
    paths,
    groups,
    mostFlow: [...groups.values()].reduce((most, group) => Math.max(most, group.flowWords), 1),
    copies,
    titleWords,
    titleAt: findTitle(runs, titleWords),
    flowAfter: measureFlowAfter(runs),
    commentFlow,
    otherFlow: flowWords - commentFlow,
    shares: measureShares(layout),
    types,
  };
}

/** Running text, as opposed to a label, a title or a list of links. */
const isFlow = (run: Run): boolean => run.words >= 20 && run.linkWords * 3 < run.words;

export const isCode = ({ around }: Pick<Survey, "around">, run: Run): boolean =>
  around.toArea(run.parent, "pre") !== Infinity;

export function toChain(box: Box): readonly Box[] {
  const chain: Box[] = [];
  for (let one: Box | undefined = box; one !== undefined; one = one.parent) chain.push(one);
  return chain;
}

const sum = <T>(items: readonly T[], measure: (item: T) => number): number =>
  items.reduce((total, item) => total + measure(item), 0);

function toPath(parent: Box): string {
  let path = "";
  let box: Box | undefined = parent;
  for (let up = 0; box !== undefined && up < 4; up += 1, box = box.parent)
    path += `${box.tag}.${box.element.attributes.get("class") ?? ""}>`;
  return path;
}

function toGroups(runs: readonly Run[], paths: readonly string[]): ReadonlyMap<string, Group> {
  const groups = new Map<string, Group>();
  for (const [index, run] of runs.entries()) {
    const path = paths[index] ?? "";
    const group = groups.get(path) ?? { count: 0, words: 0, linkWords: 0, flowWords: 0 };
    groups.set(path, group);
    group.count += 1;
    group.words += run.words;
    group.linkWords += run.linkWords;
    if (isFlow(run)) group.flowWords += run.words;
  }
  return groups;
}

function createTwins(): (box: Box) => number {
  const counts = new Map<Box, Map<string, number>>();
  const toName = ({ tag, element }: Box): string => `${tag}.${element.attributes.get("class") ?? ""}`;
  return (box) => {
    if (box.parent === undefined) return 0;
    const known = counts.get(box.parent);
    if (known !== undefined) return known.get(toName(box)) ?? 0;
    const names = new Map<string, number>();
    counts.set(box.parent, names);
    for (const child of box.parent.children)
      if (child.kind === "box") names.set(toName(child), (names.get(toName(child)) ?? 0) + 1);
    return names.get(toName(box)) ?? 0;
  };
}

/** Flowing runs add points to their ancestors, fewer with each step outwards; links subtract points. */
function findBest({ root, runs }: Layout): Box | undefined {
  const scores = new Map<Box, number>();
  for (const { words, linkWords, text, parent } of runs) {
    if (words < 12 || linkWords * 2 > words) continue;
    let points = Math.min(words / 20, 4) + countMatches(text, /,/g) / 2;
    for (const [up, box] of toChain(parent).slice(0, 5).entries()) {
      if (box === root) break;
      scores.set(box, (scores.get(box) ?? 0) + points);
      if (up > 0) points *= 0.55;
    }
  }
  let best: Box | undefined;
  let most = 0;
  for (const [box, score] of scores) {
    const points = score * (1 - box.linkWords / Math.max(1, box.words));
    if (points > most) [best, most] = [box, points];
  }
  return best;
}

export const countMatches = (text: string, pattern: RegExp): number => text.match(pattern)?.length ?? 0;

export const toWords = (text: string): readonly string[] => text.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? [];

/** The share of words that a short text has in common with the title. */
export function matchTitle(run: Run, titleWords: ReadonlySet<string>): number {
  if (titleWords.size === 0 || run.words === 0 || run.words > 60) return 0;
  const words = toWords(run.text);
  let hits = 0;
  for (const word of new Set(words)) if (titleWords.has(word)) hits += 1;
  return hits / Math.max(titleWords.size, words.length);
}

export const toHeadingLevel = (tag: string): number => (/^h[1-6]$/.test(tag) ? Number(tag[1]) : 0);

function findTitle(runs: readonly Run[], titleWords: ReadonlySet<string>): number {
  let [found, most] = [-1, 0.3];
  for (const [index, run] of runs.entries()) {
    const level = toHeadingLevel(run.parent.tag);
    if (level === 0) continue;
    const score = matchTitle(run, titleWords) + (level === 1 ? 0.4 : 0);
    if (score > most) [found, most] = [index, score];
  }
  return found;
}

/** Returns for each run the distance in runs to the next flowing one. */
function measureFlowAfter(runs: readonly Run[]): readonly number[] {
  const gaps: number[] = [];
  let next: number | undefined;
  for (let index = runs.length - 1; index >= 0; index -= 1) {
    const run = runs[index];
    if (run !== undefined && isFlow(run)) next = index;
    gaps[index] = next === undefined ? Infinity : next - index;
  }
  return gaps;
}

function measureShares({ root, runs }: Layout): Shares {
  const words = Math.max(1, root.words);
  const shares: Shares = { long: 0, main: 0 };
  for (const run of runs) {
    if (run.words > 25 && run.linkWords / run.words < 0.3) shares.long += run.words / words;
  }
  const visit = (box: Box): void => {
    const isMain = box.tag === "main" || box.element.attributes.get("role") === "main";
    if (isMain) shares.main = Math.max(shares.main, box.words / words);
    for (const child of box.children) if (child.kind === "box") visit(child);
  };
  visit(root);
  return shares;
}
