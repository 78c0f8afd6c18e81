import { ASKS, DOC_BYTES, HAS_TIME, SPEAKER, speakerOf, speakers, type Docs, type Speaker } from "./docs.ts";
import { weighTime } from "./dates.ts";
import type { RecallParameters } from "./parameters.ts";
import type { RecallQuery } from "./query.ts";

/** The sorted passages of a path that contain a term, and how often. */
export type TermPositions = { readonly docs: Int32Array; readonly counts: Uint16Array };
/** An upper bound for the passages of a term, and its postings. `read` returns undefined for very frequent words. */
type Term = { readonly size: number; readonly read: () => TermPositions | undefined };
export type FindTerm = (term: string) => Term | undefined;

/** Matching passages in no particular order, each with a score above 0. */
export type RankedDocs = { readonly docs: Int32Array; readonly scores: Float64Array };

type Scorer = {
  /** Adds terms with their weights. Terms that were added before are ignored. */
  readonly add: (terms: ReadonlyMap<string, number>, find: FindTerm) => void;
  readonly rank: () => RankedDocs;
  /** The share of the query's weight that the best passage has, from 0 to 1; 2 if an exact term was found. */
  readonly confidence: () => number;
};

/** BM25 over passages with their neighbors, plus a share of the session's score and hints about speaker and time. Pure. */
export function createScorer(docs: Docs, query: RecallQuery, p: RecallParameters): Scorer {
  const { count } = docs;
  const totals = createTotals(docs, query, p);
  const added = new Set<string>();
  let [spent, asked, hasExact] = [0, 0, false];
  const boosts: Record<Speaker, number> = { user: 0, assistant: 0, tool: 0 };

  const add: Scorer["add"] = (terms, find) => {
    const found: { term: string; weight: number; here: Term; worth: number }[] = [];
    for (const [term, weight] of terms) {
      if (added.has(term)) continue;
      added.add(term);
      const here = find(term);
      if (here) found.push({ term, weight, here, worth: weight * toRarity(here.size, count) });
      else if (query.asked.has(term)) asked += weight * toRarity(1, count) ** p.rarityPower;
    }
    found.sort((a, b) => b.worth - a.worth || (a.term < b.term ? -1 : 1));
    for (const { term, weight, here } of found) {
      const isName = query.names.includes(term) && boostAddressee(term, find);
      const given = isName ? Math.min(weight, p.addressedName) : weight;
      if (query.asked.has(term) && !isName) asked += given * toRarity(here.size, count) ** p.rarityPower;
      if (spent > 0 && spent + here.size > p.mostPostings) continue;
      const read = here.read();
      if (!read) continue;
      spent += here.size;
      if (term.startsWith("=") && query.asked.has(term)) hasExact = true;
      totals.addTerm(term, given, read);
    }
  };

  /** A speaker who is addressed by name is the other side, so their passages are boosted. The name itself is a weak term. */
  const boostAddressee = (name: string, find: FindTerm): boolean => {
    const calls = find(`@${name}`)?.read();
    if (calls === undefined || calls.docs.length < 3) return false;
    let byUser = 0;
    for (const doc of calls.docs) if (speakerOf(docs, doc) === "user") byUser += 1;
    const share = byUser / calls.docs.length;
    if (share > 0.2 && share < 0.8) return false;
    boosts[share >= 0.8 ? "assistant" : "user"] = p.addressed;
    return true;
  };

  return {
    add,
    rank: () => rankHits(docs, query, p, { ...totals, boosts }),
    confidence: () => (hasExact ? 2 : asked === 0 ? 0 : findMost(totals.hits, totals.covered) / asked),
  };
}

type Totals = {
  readonly scores: Float64Array;
  /** The weight of the query's own terms that each passage has. */
  readonly covered: Float32Array;
  /** Passages with a score. */
  readonly hits: readonly number[];
  readonly sessionScores: Float64Array;
};

/** Sums up the scores of terms, per passage and per session. */
function createTotals(
  docs: Docs,
  query: RecallQuery,
  p: RecallParameters,
): Totals & { readonly addTerm: (term: string, weight: number, found: TermPositions) => void } {
  const { count, bytes, sessions, talk, places } = docs;
  const { norms, sessionNorms } = getNorms(docs, p);
  const scores = new Float64Array(count);
  const covered = new Float32Array(count);
  const hits: number[] = [];
  const sessionScores = new Float64Array(docs.sessionAt.length);
  const key = new Float32Array(count);
  const sessionCounts = new Float64Array(docs.sessionAt.length);
  /** Weights for the neighbors of a passage, from two before to two after. */
  const shares = [p.after * p.after, p.after, 1, p.before, p.before * p.before];

  const addTerm = (term: string, weight: number, found: TermPositions): void => {
    const rarity = toRarity(found.docs.length, count) ** p.rarityPower;
    const touched: number[] = [];
    const touchedSessions: number[] = [];
    const put = (doc: number, amount: number): void => {
      if (key[doc] === 0) touched.push(doc);
      key[doc] = (key[doc] ?? 0) + amount;
    };
    for (let n = 0; n < found.docs.length; n += 1) {
      const [doc, times] = [found.docs[n] ?? 0, found.counts[n] ?? 0];
      const [place, session] = [places[doc] ?? -1, sessions[doc] ?? 0];
      put(doc, times);
      if (place < 0) continue;
      if (sessionCounts[session] === 0) touchedSessions.push(session);
      sessionCounts[session] = (sessionCounts[session] ?? 0) + times;
      const next = (bytes[doc * DOC_BYTES] ?? 0) & ASKS ? p.beforeQuestion : p.before;
      for (let away = -2; away <= 2; away += 1) {
        const near = away === 0 ? undefined : talk[place + away];
        if (near === undefined || sessions[near] !== session) continue;
        put(near, times * (away === 1 ? next : (shares[away + 2] ?? 0)));
      }
    }
    const isAsked = query.asked.has(term);
    for (const doc of touched) {
      const times = key[doc] ?? 0;
      const worth = (weight * rarity * times * (p.saturation + 1)) / (times + p.saturation * (norms[doc] ?? 1));
      if (scores[doc] === 0) hits.push(doc);
      scores[doc] = (scores[doc] ?? 0) + worth;
      if (isAsked) covered[doc] = (covered[doc] ?? 0) + weight * rarity * Math.min(1, times);
      key[doc] = 0;
    }
    const sessionRarity = toRarity(touchedSessions.length, sessionNorms.length);
    for (const session of touchedSessions) {
      const times = sessionCounts[session] ?? 0;
      const norm = p.sessionSaturation * (sessionNorms[session] ?? 1);
      const worth = (weight * sessionRarity * times * (p.sessionSaturation + 1)) / (times + norm);
      sessionScores[session] = (sessionScores[session] ?? 0) + worth;
      sessionCounts[session] = 0;
    }
  };

  return { scores, covered, hits, sessionScores, addTerm };
}

/** The scores of all hits, with boosts for speaker, time and session. */
function rankHits(
  docs: Docs,
  query: RecallQuery,
  p: RecallParameters,
  { scores, hits, sessionScores, boosts }: Totals & { readonly boosts: Readonly<Record<Speaker, number>> },
): RankedDocs {
  const { bytes, sessions, places } = docs;
  const [best, bestSession] = [findMost(hits, scores) || 1, sessionScores.reduce((a, b) => Math.max(a, b), 0) || 1];
  const isAmbiguous = boosts.user > 0 && boosts.assistant > 0;
  const speakerBoosts: Record<Speaker, number> = {
    user: (isAmbiguous ? 0 : boosts.user) + (query.isMine ? p.mine : 0),
    assistant: (isAmbiguous ? 0 : boosts.assistant) + (query.isYours ? p.yours : 0),
    tool: 0,
  };
  /** The boost for each combination of flags. */
  const flagBoosts = Float64Array.from({ length: 32 }, (_, flags) => {
    const speaker = speakers[flags & SPEAKER] ?? "tool";
    return speakerBoosts[speaker] - (flags & ASKS ? p.asks : 0) + (query.asksWhen && flags & HAS_TIME ? p.when : 0);
  });
  const shared = sessionScores.map((score) => (p.session * score) / bestSession);
  const dated = query.spans.length === 0 ? undefined : docs.sessionAt.map((at) => p.date * weighTime(at, query.spans));
  const candidates = dated?.some((weight) => weight > 0) ? addDated(hits, scores, sessions, dated) : hits;
  const found = Int32Array.from(candidates);
  const ranked = new Float64Array(found.length);
  let size = 0;
  for (let n = 0; n < found.length; n += 1) {
    const doc = found[n] ?? 0;
    if (bytes[doc * DOC_BYTES + 1] === 0) continue;
    const session = sessions[doc] ?? 0;
    let score =
      (scores[doc] ?? 0) / best + (flagBoosts[(bytes[doc * DOC_BYTES] ?? 0) & 31] ?? 0) + (dated?.[session] ?? 0);
    if (places[doc] !== -1) score += shared[session] ?? 0;
    found[size] = doc;
    ranked[size++] = score > 0 ? score : Number.MIN_VALUE;
  }
  return { docs: found.subarray(0, size), scores: ranked.subarray(0, size) };
}

/** Adds all passages on a day that the query names. */
function addDated(
  hits: readonly number[],
  scores: Float64Array,
  sessions: Int32Array,
  dated: readonly number[],
): readonly number[] {
  const all = [...hits];
  for (let doc = 0; doc < sessions.length; doc += 1)
    if (scores[doc] === 0 && (dated[sessions[doc] ?? 0] ?? 0) > 0) all.push(doc);
  return all;
}

/** Never negative, though `having` may count passages outside of the path. */
const toRarity = (having: number, of: number): number =>
  Math.log(1 + (Math.max(0, of - having) + 0.5) / (having + 0.5));

function findMost(docs: readonly number[], values: Float64Array | Float32Array): number {
  let most = 0;
  for (const doc of docs) most = Math.max(most, values[doc] ?? 0);
  return most;
}

type Norms = { readonly p: RecallParameters; readonly norms: Float64Array; readonly sessionNorms: Float64Array };
const known = new WeakMap<Docs, Norms>();

/** Cached per path. */
function getNorms(docs: Docs, p: RecallParameters): Norms {
  const before = known.get(docs);
  if (before?.p === p) return before;
  const made = { p, norms: toNorms(docs, p), sessionNorms: toSessionNorms(docs, p) };
  known.set(docs, made);
  return made;
}

/** The normalized length of each passage with its neighbors. Tool results have a separate mean. */
function toNorms({ count, bytes, talk, places, sessions }: Docs, p: RecallParameters): Float64Array {
  const lengths = new Float64Array(count);
  const [twoBefore, twoAfter] = [p.before * p.before, p.after * p.after];
  let [sum, toolSum] = [0, 0];
  for (let doc = 0; doc < count; doc += 1) {
    let length = bytes[doc * DOC_BYTES + 1] ?? 0;
    const place = places[doc] ?? -1;
    if (place < 0) toolSum += length;
    else {
      for (let away = -2; away <= 2; away += 1) {
        const near = away === 0 ? undefined : talk[place + away];
        if (near === undefined || sessions[near] !== sessions[doc]) continue;
        const words = bytes[near * DOC_BYTES + 1] ?? 0;
        if (away === -1) length += words * ((bytes[near * DOC_BYTES] ?? 0) & ASKS ? p.beforeQuestion : p.before);
        else length += words * (away === 1 ? p.after : away === 2 ? twoAfter : twoBefore);
      }
      sum += length;
    }
    lengths[doc] = length;
  }
  const [mean, toolMean] = [sum / Math.max(1, talk.length) || 1, toolSum / Math.max(1, count - talk.length) || 1];
  for (let doc = 0; doc < count; doc += 1)
    lengths[doc] = 1 - p.lengthShare + (p.lengthShare * (lengths[doc] ?? 0)) / (places[doc] === -1 ? toolMean : mean);
  return lengths;
}

function toSessionNorms({ bytes, talk, sessions, sessionAt }: Docs, p: RecallParameters): Float64Array {
  const lengths = new Float64Array(sessionAt.length);
  let sum = 0;
  for (let at = 0; at < talk.length; at += 1) {
    const doc = talk[at] ?? 0;
    const session = sessions[doc] ?? 0;
    const words = bytes[doc * DOC_BYTES + 1] ?? 0;
    lengths[session] = (lengths[session] ?? 0) + words;
    sum += words;
  }
  const mean = sum / lengths.length || 1;
  return lengths.map((length) => 1 - p.sessionLengthShare + (p.sessionLengthShare * length) / mean);
}
