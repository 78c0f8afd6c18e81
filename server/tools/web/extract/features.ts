import { hintNames, readHints } from "./hints.ts";
import type { Box, Layout, Run } from "./layout.ts";

const areaTags = [
  "nav",
  "footer",
  "header",
  "aside",
  "form",
  "article",
  "main",
  "figure",
  "table",
  "ul",
  "dialog",
  "noscript",
  "button",
  "details",
  "section",
  "a",
  "td",
  "blockquote",
  "li",
  "dl",
  "label",
] as const;
const phrases =
  /\b(cookies?|subscribe|newsletter|sign (up|in)|log ?in|register|share|follow us|related|read more|learn more|view (all|more)|see (all|more)|show more|all rights reserved|privacy policy|terms (of|and)|advertisement|sponsored|add to (cart|bag|wishlist)|skip to|back to top|load more|next|previous|posted (in|by|on)|you (may|might) also|recommended|download (our|the) app|copyright)\b|©/i;

export type PageFacts = { readonly title: string; readonly types: string };

export const groups = (() => {
  const names: string[] = [];
  const add = (list: readonly string[]) => names.push(...list);
  add(["words", "linkDensity", "wordLength", "stops", "endsStop", "commas", "capitals", "digits", "price", "phrase"]);
  add(["heading", "isP", "isLi", "isTd", "isPre", "isDt", "isDiv", "isSpanBox"]);
  add(["depth", ...areaTags.map((tag) => `in:${tag}`)]);
  add(hintNames.map((name) => `hint:${name}`));
  for (const level of [1, 2, 3, 5]) add([`up${level}:words`, `up${level}:link`, `up${level}:share`, `up${level}:mean`]);
  add(["siblings", "pathCount", "pathWords", "pathLink", "repeats"]);
  add([
    "prev:words",
    "prev:link",
    "next:words",
    "next:link",
    "near:words",
    "near:link",
    "near:stops",
    "sameParentPrev",
    "sameParentNext",
  ]);
  add(["at", "wordsAt", "afterTitle", "titleGap", "titleMatch", "sinceHeading"]);
  add(["inBest", "bestDistance", "bestShare", "bestLink", "bestMean"]);
  add(["articleShare", "mainShare"]);
  add([
    "page:words",
    "page:link",
    "page:long",
    "page:articles",
    "page:h1",
    "page:main",
    "page:li",
    "page:article",
    "page:product",
    "page:forum",
    "page:list",
  ]);
  return names;
})();

export function readFeatures({ root, runs }: Layout, facts: PageFacts): Float32Array {
  const width = groups.length;
  const rows = new Float32Array(runs.length * width);
  const hints = new Map<Box, number>();
  const hintsOf = (box: Box): number => {
    let bits = hints.get(box);
    if (bits === undefined) hints.set(box, (bits = readHints(box)));
    return bits;
  };
  const best = findBest(layoutOf(root, runs));
  const stops = runs.map((run) => run.text.match(/[.!?。！？](\s|$)/g)?.length ?? 0);
  const paths = runs.map((run) => pathOf(run));
  const byPath = new Map<string, { count: number; words: number; links: number }>();
  const byText = new Map<string, number>();
  runs.forEach((run, index) => {
    const path = byPath.get(paths[index] ?? "") ?? { count: 0, words: 0, links: 0 };
    byPath.set(paths[index] ?? "", path);
    path.count += 1;
    path.words += run.words;
    path.links += run.linkWords;
    byText.set(run.text, (byText.get(run.text) ?? 0) + 1);
  });
  const titleAt = findTitle(runs, facts.title);
  const titleWords = new Set(toWords(facts.title));
  const pageWords = Math.max(1, root.words);
  let long = 0,
    articles = 0,
    h1 = 0,
    li = 0,
    mainShare = 0,
    articleShare = 0;
  const visit = (box: Box): void => {
    if (box.tag === "article") {
      articles += 1;
      articleShare = Math.max(articleShare, box.words / pageWords);
    }
    if (box.tag === "h1") h1 += 1;
    if (box.tag === "main" || box.element.attributes.get("role") === "main")
      mainShare = Math.max(mainShare, box.words / pageWords);
    for (const child of box.children) if (child.kind === "box") visit(child);
  };
  visit(root);
  for (const run of runs) {
    if (run.words > 25 && run.linkWords / run.words < 0.3) long += run.words;
    if (run.parent.tag === "li") li += run.words;
  }
  let seen = 0;
  let headingAt = -1;
  runs.forEach((run, index) => {
    let at = index * width;
    const put = (value: number): void => void (rows[at++] = value);
    const { text, words, parent } = run;
    const w = Math.max(1, words);
    put(Math.log1p(words));
    put(run.linkWords / w);
    put(text.length / w);
    put((stops[index] ?? 0) / w);
    put(/[.!?:。]["'”’)]?$/.test(text) ? 1 : 0);
    put((text.match(/,/g)?.length ?? 0) / w);
    put((text.match(/(^|\s)\p{Lu}/gu)?.length ?? 0) / w);
    put((text.match(/\d/g)?.length ?? 0) / Math.max(1, text.length));
    put(/[$€£¥₹]\s?\d|\d\s?[€£]/.test(text) ? 1 : 0);
    put(words < 25 && phrases.test(text) ? 1 : 0);
    const { tag } = parent;
    const heading = /^h[1-6]$/.test(tag) ? Number(tag[1]) : 0;
    put(heading);
    put(tag === "p" ? 1 : 0);
    put(tag === "li" ? 1 : 0);
    put(tag === "td" || tag === "th" ? 1 : 0);
    put(tag === "pre" ? 1 : 0);
    put(tag === "dt" || tag === "dd" ? 1 : 0);
    put(tag === "div" ? 1 : 0);
    put(tag === "a" || tag === "span" ? 1 : 0);
    put(parent.depth);
    const areas = new Float32Array(areaTags.length);
    const hinted = new Float32Array(hintNames.length);
    const chain: Box[] = [];
    for (let box: Box | undefined = parent, up = 1; box !== undefined; box = box.parent, up += 1) {
      chain.push(box);
      const role = box.element.attributes.get("role");
      const name =
        role === "navigation"
          ? "nav"
          : role === "main"
            ? "main"
            : role === "contentinfo"
              ? "footer"
              : role === "banner"
                ? "header"
                : role === "complementary"
                  ? "aside"
                  : role === "dialog"
                    ? "dialog"
                    : box.tag === "ol"
                      ? "ul"
                      : box.tag;
      const area = (areaTags as readonly string[]).indexOf(name);
      if (area >= 0 && areas[area] === 0) areas[area] = 1 / up;
      const bits = hintsOf(box);
      if (bits !== 0)
        for (let bit = 0; bit < hintNames.length; bit += 1)
          if ((bits >> bit) & 1 && hinted[bit] === 0) hinted[bit] = 1 / up;
    }
    for (const area of areas) put(area);
    for (const hint of hinted) put(hint);
    for (const level of [1, 2, 3, 5]) {
      const box = chain[Math.min(level, chain.length - 1)] ?? root;
      const count = Math.max(1, box.words);
      put(Math.log1p(box.words));
      put(box.linkWords / count);
      put(box.words / pageWords);
      put(Math.log1p(box.words / Math.max(1, box.end - box.first)));
    }
    const grand = parent.parent;
    let siblings = 0;
    if (grand)
      for (const child of grand.children)
        if (
          child.kind === "box" &&
          child.tag === tag &&
          child.element.attributes.get("class") === parent.element.attributes.get("class")
        )
          siblings += 1;
    const path = byPath.get(paths[index] ?? "");
    put(Math.log1p(siblings));
    put(Math.log1p(path?.count ?? 0));
    put(Math.log1p((path?.words ?? 0) / Math.max(1, path?.count ?? 1)));
    put((path?.links ?? 0) / Math.max(1, path?.words ?? 1));
    put(Math.log1p((byText.get(text) ?? 1) - 1));
    const prev = runs[index - 1],
      next = runs[index + 1];
    put(Math.log1p(prev?.words ?? 0));
    put(prev ? prev.linkWords / Math.max(1, prev.words) : 1);
    put(Math.log1p(next?.words ?? 0));
    put(next ? next.linkWords / Math.max(1, next.words) : 1);
    let nearWords = 0,
      nearLinks = 0,
      nearStops = 0;
    for (let near = Math.max(0, index - 4); near <= Math.min(runs.length - 1, index + 4); near += 1) {
      if (near === index) continue;
      nearWords += runs[near]?.words ?? 0;
      nearLinks += runs[near]?.linkWords ?? 0;
      nearStops += stops[near] ?? 0;
    }
    put(Math.log1p(nearWords));
    put(nearLinks / Math.max(1, nearWords));
    put(nearStops / Math.max(1, nearWords));
    put(prev?.parent === parent || (prev !== undefined && prev.parent.parent === grand) ? 1 : 0);
    put(next?.parent === parent || (next !== undefined && next.parent.parent === grand) ? 1 : 0);
    put(index / runs.length);
    put(seen / pageWords);
    put(titleAt < 0 ? 0 : index >= titleAt ? 1 : -1);
    put(titleAt < 0 ? 0 : Math.sign(index - titleAt) * Math.log1p(Math.abs(index - titleAt)));
    put(titleWords.size === 0 ? 0 : overlap(toWords(text), titleWords));
    if (heading > 0) headingAt = index;
    put(headingAt < 0 ? -1 : Math.log1p(index - headingAt));
    const distance = best === undefined ? 20 : distanceTo(chain, best);
    put(distance === 0 ? 1 : 0);
    put(distance);
    put(best === undefined ? 0 : best.words / pageWords);
    put(best === undefined ? 0 : best.linkWords / Math.max(1, best.words));
    put(best === undefined ? 0 : Math.log1p(best.words / Math.max(1, best.end - best.first)));
    const article = chain.find((box) => box.tag === "article");
    put(article === undefined ? 0 : article.words / pageWords);
    put(mainShare);
    put(Math.log1p(pageWords));
    put(root.linkWords / pageWords);
    put(long / pageWords);
    put(Math.log1p(articles));
    put(h1);
    put(mainShare > 0 ? 1 : 0);
    put(li / pageWords);
    put(/article|blogposting/i.test(facts.types) ? 1 : 0);
    put(/product|offer/i.test(facts.types) ? 1 : 0);
    put(/discussion|forum|qapage|question/i.test(facts.types) ? 1 : 0);
    put(/itemlist|collection/i.test(facts.types) ? 1 : 0);
    seen += words;
    if (at !== (index + 1) * width) throw new Error(`features: ${at - index * width} != ${width}`);
  });
  return rows;
}

const layoutOf = (root: Box, runs: readonly Run[]): Layout => ({ root, runs });

const pathOf = ({ parent }: Run): string => {
  let path = "";
  for (let box: Box | undefined = parent, up = 0; box !== undefined && up < 4; box = box.parent, up += 1)
    path += `${box.tag}.${box.element.attributes.get("class") ?? ""}>`;
  return path;
};

/** The element that holds most of the flowing text, nearest to it. */
function findBest({ root, runs }: Layout): Box | undefined {
  const scores = new Map<Box, number>();
  for (const run of runs) {
    if (run.words < 12 || run.linkWords * 2 > run.words) continue;
    const score = Math.min(run.words / 20, 4) + (run.text.match(/,/g)?.length ?? 0) / 2;
    let share = 1;
    for (
      let box: Box | undefined = run.parent, up = 0;
      box !== undefined && box !== root && up < 5;
      box = box.parent, up += 1
    ) {
      scores.set(box, (scores.get(box) ?? 0) + score * share);
      share = up === 0 ? 1 : share * 0.55;
    }
  }
  let best: Box | undefined;
  let top = 0;
  for (const [box, score] of scores) {
    const value = score * (1 - box.linkWords / Math.max(1, box.words));
    if (value > top) [best, top] = [box, value];
  }
  return best;
}

function distanceTo(chain: readonly Box[], best: Box): number {
  const index = chain.indexOf(best);
  if (index >= 0) return 0;
  let up = 0;
  for (let box: Box | undefined = best; box !== undefined; box = box.parent, up += 1)
    if (chain.includes(box)) return up;
  return up;
}

const toWords = (text: string): readonly string[] => text.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? [];

function overlap(words: readonly string[], wanted: ReadonlySet<string>): number {
  if (words.length === 0 || words.length > 60) return 0;
  let hits = 0;
  for (const word of new Set(words)) if (wanted.has(word)) hits += 1;
  return hits / Math.max(wanted.size, words.length);
}

function findTitle(runs: readonly Run[], title: string): number {
  const wanted = new Set(toWords(title));
  let [found, top] = [-1, 0.3];
  runs.forEach((run, index) => {
    if (run.words > 60 || !/^h[1-6]$/.test(run.parent.tag)) return;
    const score = overlap(toWords(run.text), wanted) + (run.parent.tag === "h1" ? 0.4 : 0);
    if (score > top) [found, top] = [index, score];
  });
  return found;
}
