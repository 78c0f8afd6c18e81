import { untrustedIn, type Sources } from "../../protocol/context/untrusted.ts";
import { toPart } from "../store/parse-rows.ts";
import { createScorer, type RankedDocs } from "./ranking/score.ts";
import { estimateTokens, toDate, renderLine } from "./ranking/render.ts";
import { findFeedback, listBest, type ScoredPassage } from "./ranking/choose.ts";
import { recallParameters, type RecallParameters } from "./ranking/parameters.ts";
import { countTerms } from "./ranking/words.ts";
import { charactersOf, type Speaker } from "./ranking/docs.ts";
import { toQuery, type RecallQuery } from "./ranking/query.ts";
import { openPathIndex, type FoundPassage, type PathIndex, type PathCache, type RecallReads } from "./path-index.ts";

/** Messages already in the prompt: all deeper than `cut`, and those recalled since. */
export type Visible = { readonly cut: number; readonly messageIds: ReadonlySet<string> };

export type RecallSearch = {
  readonly threadId: string;
  readonly branchId: string;
  /** The depth where the path ends. */
  readonly upTo: number;
  readonly query: string;
  /** The previous exchange. A short query uses its terms. */
  readonly previous?: string;
  readonly now: number;
  readonly budgetTokens: number;
  /** Passages below this share of the best score are left out, even if they fit. */
  readonly leastShare?: number;
  readonly visible: Visible;
};

/** The recalled passages of one message, in order. */
export type RecalledPassage = {
  readonly messageId: string;
  readonly depth: number;
  readonly role: Speaker;
  readonly at: number;
  readonly score: number;
  readonly text: string;
  /** Untrusted sources of its message. */
  readonly untrusted: Sources;
};

export type SearchOptions = {
  readonly parameters?: RecallParameters;
  /** Tokens of a text; an estimate when left out. */
  readonly measure?: (text: string) => number;
  /** Recently searched paths. */
  readonly cache?: PathCache;
};

const MOST_PASSAGES = 600;
const FEEDBACK_CANDIDATES = 24;
/** Words in a larger share of the passages are not used for feedback. */
const FEEDBACK_SHARE = 0.1;
/** Texts are read in at most this many batches, each slightly larger than the remaining budget. */
const MOST_ROUNDS = 2;
const MORE = 1.3;
const LINE_TOKENS = 3;
/** Reading stops when fewer tokens, or a smaller share of the budget, are left. */
const LEAST_TOKENS = 8;
const LEAST_SHARE = 0.03;

/** Older passages that are relevant to the query, in order of time. Empty if even the best match is weak. */
export async function searchRecall(
  read: RecallReads,
  search: RecallSearch,
  { parameters: p = recallParameters, measure = estimateTokens, cache }: SearchOptions = {},
): Promise<readonly RecalledPassage[]> {
  const ranked = await rankPassages(read, search, p, cache);
  if (ranked === undefined || ranked.isWeak) return [];
  const { path } = ranked;
  const all = listBest(path.docs, ranked.passages, MOST_PASSAGES, p);
  const least = Math.max(0, ...all.map(({ score }) => score)) * (search.leastShare ?? 0);
  const best = all.filter(({ score }) => score >= least);
  const found = gather(await fillBudget(path, best, { search, measure }));
  const rows = await read.partsOf(search.threadId, [...new Set(found.map(({ messageId }) => messageId))]);
  const byMessage = Map.groupBy(rows, ({ message }) => message);
  return found.map((one) => ({
    ...one,
    untrusted: untrustedIn((byMessage.get(one.messageId) ?? []).map(toPart)),
  }));
}

/** The best score of each matching message, by depth. */
export async function rankMessages(
  read: RecallReads,
  search: Omit<RecallSearch, "budgetTokens">,
  p: RecallParameters = recallParameters,
): Promise<ReadonlyMap<number, number>> {
  const best = new Map<number, number>();
  const ranked = await rankPassages(read, search, p);
  ranked?.passages.docs.forEach((doc, n) => {
    const depth = ranked.path.docs.depths[doc] ?? 0;
    best.set(depth, Math.max(best.get(depth) ?? 0, ranked.passages.scores[n] ?? 0));
  });
  return best;
}

type RankedPath = { readonly path: PathIndex; readonly passages: RankedDocs; readonly isWeak: boolean };

async function rankPassages(
  read: RecallReads,
  { threadId, branchId, upTo, visible, ...asked }: Omit<RecallSearch, "budgetTokens">,
  p: RecallParameters,
  cache?: PathCache,
): Promise<RankedPath | undefined> {
  const query = toQuery(asked, p);
  if (query.terms.size === 0 && query.spans.length === 0) return undefined;
  const terms = new Map([...query.terms].toSorted((a, b) => b[1] - a[1]).slice(0, p.mostTerms));
  const addressed = query.names.filter((name) => terms.has(name)).map((name) => `@${name}`);
  const place = { threadId, branchId, upTo: Math.min(upTo, visible.cut), cache };
  const path = await openPathIndex(read, place, [...terms.keys(), ...addressed]);
  if (path.docs.count === 0) return undefined;
  const scorer = createScorer(path.docs, query, p);
  scorer.add(terms, path.found);
  const isWeak = scorer.confidence() < (query.isQuestion ? p.gateQuestion : p.gate);
  if (p.feedback > 0 && !isWeak) {
    const more = await findMore(path, scorer.rank(), query, p);
    scorer.add(more.terms, more.find);
  }
  return { path, passages: scorer.rank(), isWeak };
}

/** Relevance feedback: terms of the best passages that the query does not have. */
async function findMore(path: PathIndex, ranked: RankedDocs, { terms }: RecallQuery, p: RecallParameters) {
  const tops = listBest(path.docs, ranked, p.feedbackPassages, { lengthPower: 0, lengthOffset: 1 });
  const texts = await path.load(tops.map(({ doc }) => doc));
  const loaded = tops.flatMap(({ doc, score }) => {
    const text = texts.get(doc)?.passage.text;
    return text === undefined ? [] : [{ score, terms: countTerms(text) }];
  });
  const candidates = findFeedback(loaded, terms).slice(0, FEEDBACK_CANDIDATES);
  const find = await path.find(
    candidates.map(([term]) => term),
    FEEDBACK_SHARE,
  );
  const weighed = candidates
    .map(([term, weight]) => {
      const known = find(term);
      const having = known?.read()?.docs.length ?? Math.min(path.docs.count, known?.size ?? 1);
      return [term, weight * Math.log(1 + (path.docs.count - having + 0.5) / (having + 0.5))] as const;
    })
    .toSorted((a, b) => b[1] - a[1] || (a[0] < b[0] ? -1 : 1))
    .slice(0, p.feedbackTerms);
  const most = weighed[0]?.[1] ?? 1;
  return { find, terms: new Map(weighed.map(([term, weight]) => [term, (p.feedback * weight) / most])) };
}

type ChosenPassage = FoundPassage & ScoredPassage;
type Budget = { readonly search: RecallSearch; readonly measure: (text: string) => number };

/** Takes the best first. Skips passages that do not fit, are already in the prompt, or repeat a chosen one. */
async function fillBudget(
  path: PathIndex,
  best: readonly ScoredPassage[],
  budget: Budget,
): Promise<readonly ChosenPassage[]> {
  const { search, measure } = budget;
  const chosen: ChosenPassage[] = [];
  const dates = new Set<string>();
  const said = new Set<string>();
  let room = search.budgetTokens;
  const least = Math.max(LEAST_TOKENS, search.budgetTokens * LEAST_SHARE);
  let next = 0;
  for (let round = 0; round < MOST_ROUNDS && room >= least && next < best.length; round += 1) {
    const from = next;
    for (let left = room * MORE; left > 0 && next < best.length; next += 1)
      left -= charactersOf(path.docs, best[next]?.doc ?? 0) / 4 + LINE_TOKENS;
    const batch = best.slice(from, next);
    const texts = await path.load(batch.map(({ doc }) => doc));
    for (const { doc, score } of batch) {
      const found = texts.get(doc);
      if (!found || search.visible.messageIds.has(found.message.id)) continue;
      const same = found.passage.text.toLowerCase().replaceAll(/[^\p{L}\p{N}]+/gu, " ");
      if (said.has(same)) continue;
      const date = toDate(found.message.at);
      const line = renderLine({
        depth: found.message.depth,
        role: found.passage.speaker,
        at: 0,
        text: found.passage.text,
      });
      const cost = measure(`${line}\n`) + (dates.has(date) ? 0 : measure(`${date}\n`));
      if (cost > room) continue;
      room -= cost;
      dates.add(date);
      said.add(same);
      chosen.push({ ...found, doc, score });
    }
  }
  return chosen;
}

/** Joins the passages of one message and speaker. */
function gather(chosen: readonly ChosenPassage[]): readonly Omit<RecalledPassage, "untrusted">[] {
  const inOrder = chosen.toSorted((a, b) => a.doc - b.doc);
  const groups = Map.groupBy(inOrder, ({ message, passage }) => `${message.depth} ${passage.speaker}`);
  return [...groups.values()].flatMap((group) => {
    const [first] = group;
    if (!first) return [];
    const { message, passage } = first;
    let text = passage.text;
    for (const [n, { doc, passage: one }] of group.entries())
      if (n > 0) text += (group[n - 1]?.doc === doc - 1 ? "\n" : " … ") + one.text;
    const score = Math.max(...group.map((one) => one.score));
    return [{ messageId: message.id, depth: message.depth, role: passage.speaker, at: message.at, score, text }];
  });
}
