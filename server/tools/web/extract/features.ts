import type { Box, Run } from "./layout.ts";
import { hintNames } from "./hints.ts";
import { areaNames } from "./surroundings.ts";
import { countMatches, isCode, matchTitle, toChain, toHeadingLevel, type Survey } from "./survey.ts";

/** A run and its surroundings. */
type BlockContext = {
  readonly page: Survey;
  readonly run: Run;
  readonly index: number;
  /** Boxes from the run's own outwards to the root. */
  readonly chain: readonly Box[];
  readonly isCode: boolean;
  /** How many steps out of the page's best box until it meets the run's boxes; 0 inside it. */
  readonly distance: number;
  readonly near: { readonly words: number; readonly linkWords: number };
  readonly wordsBefore: number;
  readonly runsSinceHeading: number;
  readonly isUnderSideHeading: boolean;
};
type Feature = readonly [name: string, measure: (place: BlockContext) => number];

const sidePhrases =
  /\b(cookies?|subscribe|newsletter|sign (up|in)|log ?in|register|share|follow us|related|read more|learn more|view (all|more)|see (all|more)|show more|all rights reserved|privacy policy|terms (of|and)|advertisement|sponsored|add to (cart|bag|wishlist)|skip to|back to top|load more|next|previous|posted (in|by|on)|you (may|might) also|recommended|download (our|the) app|copyright)\b|©/i;
const sideHeadings =
  /^(related|recommended|you (may|might)|more (from|in|on|stories|articles|posts)|similar|(leave|post|add) a|comments?\b|\d+ (comments|responses|thoughts|replies)|share|follow|subscribe|newsletter|sign up|join|about (the )?author|latest|popular|trending|recent|featured|categories|tags|archives?|search|navigation|menu|contact|connect|customers also|people also|recently viewed|read (next|more)|what to read|sponsored|advertisement|quick links|company|resources|support|legal|products|follow us|get in touch|stay|explore|see also|other|next|previous)\b/i;

const ownText: readonly Feature[] = [
  ["words", ({ run }) => Math.log1p(run.words)],
  ["linkDensity", ({ run }) => run.linkWords / Math.max(1, run.words)],
  ["endsSentence", ({ run, isCode }) => (isCode || /[.!?:。]["'”’)]?$/.test(run.text) ? 1 : 0)],
  ["capitals", ({ run, isCode }) => (isCode ? 0.1 : countMatches(run.text, /(^|\s)\p{Lu}/gu) / Math.max(1, run.words))],
  ["sidePhrase", ({ run }) => (run.words < 25 && sidePhrases.test(run.text) ? 1 : 0)],
  ["copies", ({ page, run }) => Math.log(page.copies.get(run.text) ?? 1)],
  ["heading", ({ run }) => toHeadingLevel(run.parent.tag)],
  ["isParagraph", ({ run }) => (run.parent.tag === "p" ? 1 : 0)],
  ["isCode", ({ isCode }) => (isCode ? 1 : 0)],
  ["isDivision", ({ run }) => (run.parent.tag === "div" ? 1 : 0)],
];

/** 1 / (steps to the nearest), or 0 if there is none. */
const around: readonly Feature[] = [
  ...areaNames
    .filter((area) => area !== "pre")
    .map((area): Feature => [`in:${area}`, ({ page, run }) => 1 / page.around.toArea(run.parent, area)]),
  ...hintNames.map((hint): Feature => [`hint:${hint}`, ({ page, run }) => 1 / page.around.toHint(run.parent, hint)]),
];

const boxUp = ({ chain, page }: BlockContext, up: number): Box =>
  chain[Math.min(up, chain.length - 1)] ?? page.layout.root;
const outside: readonly Feature[] = [1, 2, 3].flatMap((up): readonly Feature[] => [
  [`up${up}:words`, (place) => Math.log1p(boxUp(place, up).words)],
  [`up${up}:links`, (place) => boxUp(place, up).linkWords / Math.max(1, boxUp(place, up).words)],
  [`up${up}:share`, (place) => boxUp(place, up).words / place.page.words],
  [
    `up${up}:mean`,
    (place) => Math.log1p(boxUp(place, up).words / Math.max(1, boxUp(place, up).end - boxUp(place, up).first)),
  ],
]);

const groupOf = ({ page, index }: BlockContext) => page.groups.get(page.paths[index] ?? "");
const alike: readonly Feature[] = [
  ["siblings", ({ page, run }) => Math.log1p(page.twins(run.parent))],
  ["group:count", (place) => Math.log1p(groupOf(place)?.count ?? 0)],
  ["group:words", (place) => Math.log1p((groupOf(place)?.words ?? 0) / Math.max(1, groupOf(place)?.count ?? 1))],
  ["group:links", (place) => (groupOf(place)?.linkWords ?? 0) / Math.max(1, groupOf(place)?.words ?? 1)],
  ["group:flow", (place) => (groupOf(place)?.flowWords ?? 0) / place.page.mostFlow],
  ["list:links", ({ chain }) => measureListLinks(chain)],
];

const order: readonly Feature[] = [
  ["near:words", ({ near }) => Math.log1p(near.words)],
  ["near:links", ({ near }) => near.linkWords / Math.max(1, near.words)],
  ["at", ({ page, index }) => index / page.layout.runs.length],
  ["wordsAt", ({ page, wordsBefore }) => wordsBefore / page.words],
  ["afterTitle", ({ page, index }) => (page.titleAt < 0 ? 0 : index >= page.titleAt ? 1 : -1)],
  ["titleGap", ({ page, index }) => (page.titleAt < 0 ? 0 : toGap(index - page.titleAt))],
  ["titleMatch", ({ page, run }) => matchTitle(run, page.titleWords)],
  ["sinceHeading", ({ runsSinceHeading }) => (runsSinceHeading < 0 ? -1 : Math.log1p(runsSinceHeading))],
  ["underSideHeading", ({ isUnderSideHeading }) => (isUnderSideHeading ? 1 : 0)],
  ["flowAfter", ({ page, index }) => Math.min(30, page.flowAfter[index] ?? 30)],
  ["comment", (place) => toCommentRole(place)],
];
const toGap = (steps: number): number => Math.sign(steps) * Math.log1p(Math.abs(steps));

const wholePage: readonly Feature[] = [
  ["best:inside", ({ distance }) => (distance === 0 ? 1 : 0)],
  ["best:distance", ({ distance }) => distance],
  ["best:distanceIfLong", ({ page, distance }) => ((page.best?.words ?? 0) > 250 ? distance : -1)],
  ["best:share", ({ page }) => (page.best?.words ?? 0) / page.words],
  ["article:share", ({ page, chain }) => (chain.find(({ tag }) => tag === "article")?.words ?? 0) / page.words],
  ["main:share", ({ page }) => page.shares.main],
  ["page:words", ({ page }) => Math.log1p(page.words)],
  ["page:links", ({ page }) => page.layout.root.linkWords / page.words],
  ["page:long", ({ page }) => page.shares.long],
  ["page:product", ({ page }) => (/product|offer/i.test(page.types) ? 1 : 0)],
];

const features: readonly Feature[] = [...ownText, ...around, ...outside, ...alike, ...order, ...wholePage];
export const featureNames: readonly string[] = features.map(([name]) => name);

/** One row of numbers for each run, in the order of `featureNames`. */
export function measureRuns(page: Survey): readonly Float32Array[] {
  const rows: Float32Array[] = [];
  let wordsBefore = 0;
  let headingAt = -1;
  let isUnderSideHeading = false;
  for (const [index, run] of page.layout.runs.entries()) {
    if (toHeadingLevel(run.parent.tag) > 0) {
      headingAt = index;
      isUnderSideHeading = sideHeadings.test(run.text);
    }
    const chain = toChain(run.parent);
    const place: BlockContext = {
      page,
      run,
      index,
      chain,
      isCode: isCode(page, run),
      distance: measureDistance(page, chain),
      near: measureNear(page.layout.runs, index),
      wordsBefore,
      runsSinceHeading: headingAt < 0 ? -1 : index - headingAt,
      isUnderSideHeading,
    };
    rows.push(Float32Array.from(features, ([, measure]) => measure(place)));
    wordsBefore += run.words;
  }
  return rows;
}

function measureListLinks(chain: readonly Box[]): number {
  const list = chain.find(({ tag }) => /^(ul|ol|dl|table)$/.test(tag));
  return list === undefined ? -1 : list.linkWords / Math.max(1, list.words);
}

function measureDistance({ best, stepsFromBest }: Survey, chain: readonly Box[]): number {
  if (best === undefined) return 20;
  for (const box of chain) {
    const steps = stepsFromBest.get(box);
    if (steps !== undefined) return steps;
  }
  return 20;
}

function measureNear(runs: readonly Run[], index: number): BlockContext["near"] {
  const near = { words: 0, linkWords: 0 };
  for (let other = Math.max(0, index - 4); other <= Math.min(runs.length - 1, index + 4); other += 1) {
    if (other === index) continue;
    near.words += runs[other]?.words ?? 0;
    near.linkWords += runs[other]?.linkWords ?? 0;
  }
  return near;
}

/** 0: not a comment; 1: a comment below an article; 2 or 3: a comment in a thread with little other text. */
function toCommentRole({ page, run }: BlockContext): number {
  if (page.around.toHint(run.parent, "comment") === Infinity) return 0;
  if (page.otherFlow > 150 && page.otherFlow > page.commentFlow * 0.15) return 1;
  return page.otherFlow < 40 ? 3 : 2;
}
