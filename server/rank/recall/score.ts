import { asks, hasTime, speakerOf, wordsOf, type Docs, type Speaker } from "./docs.ts";
import { weighTime } from "./dates.ts";
import type { RecallParameters } from "./parameters.ts";
import type { RecallQuery } from "./query.ts";

/** A term's places along a path: passages by number, rising, and how often it stands in each. */
export type Places = { readonly docs: Int32Array; readonly counts: Uint16Array };
export type FindPlaces = (term: string) => Places | undefined;

export type Scorer = {
  /** Adds terms with their weights; those already added are left as they are. */
  readonly add: (terms: ReadonlyMap<string, number>, find: FindPlaces) => void;
  /** One score for each passage; 0: nothing speaks for it. */
  readonly rank: () => Float64Array;
  /** The share of the asked words' weight that the best key holds, from 0 to 1; 2 when an exact term was found. */
  readonly confidence: () => number;
};

/** BM25 over keys of turns, the share of their session, and what the query tells about speaker and time. Pure. */
export function createScorer(docs: Docs, query: RecallQuery, p: RecallParameters): Scorer {
  const { count, sessions, talk, places } = docs;
  const norms = toNorms(docs, p);
  const sessionNorms = toSessionNorms(docs, p);
  const scores = new Float64Array(count);
  const covered = new Float64Array(count);
  const sessionScores = new Float64Array(docs.sessionAt.length);
  const key = new Float64Array(count);
  const sessionCounts = new Float64Array(docs.sessionAt.length);
  const added = new Set<string>();
  let [spent, asked, hasExact] = [0, 0, false];
  const boosts: Record<Speaker, number> = { user: 0, assistant: 0, tool: 0 };

  const addTerm = (term: string, weight: number, found: Places): void => {
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
      const share = (at: number, amount: number): void => {
        const near = talk[at];
        if (near !== undefined && sessions[near] === session) put(near, amount * times);
      };
      share(place + 1, asks(docs, doc) ? p.beforeQuestion : p.before);
      share(place + 2, p.before * p.before);
      share(place - 1, p.after);
      share(place - 2, p.after * p.after);
    }
    const isAsked = query.asked.has(term);
    for (const doc of touched) {
      const times = key[doc] ?? 0;
      const worth = (weight * rarity * times * (p.saturation + 1)) / (times + p.saturation * (norms[doc] ?? 1));
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

  const add: Scorer["add"] = (terms, find) => {
    const found = [...terms].flatMap(([term, weight]) => {
      const here = added.has(term) ? undefined : find(term);
      added.add(term);
      if (here === undefined || here.docs.length === 0) {
        if (query.asked.has(term)) asked += weight * toRarity(1, count) ** p.rarityPower;
        return [];
      }
      return [{ term, weight, here, worth: weight * toRarity(here.docs.length, count) }];
    });
    found.sort((a, b) => b.worth - a.worth || (a.term < b.term ? -1 : 1));
    for (const { term, weight, here } of found) {
      const isName = query.names.includes(term) && heed(term, find);
      const [given, size] = [isName ? Math.min(weight, p.addressedName) : weight, here.docs.length];
      if (query.asked.has(term) && !isName) asked += given * toRarity(size, count) ** p.rarityPower;
      if (spent > 0 && spent + size > p.mostPostings) continue;
      spent += size;
      if (term.startsWith("=") && query.asked.has(term)) hasExact = true;
      addTerm(term, given, here);
    }
  };

  /** Somebody who is spoken to by name is the other one: their turns are meant, and the name itself tells little. */
  const heed = (name: string, find: FindPlaces): boolean => {
    const calls = find(`@${name}`);
    if (calls === undefined || calls.docs.length < 3) return false;
    let byUser = 0;
    for (const doc of calls.docs) if (speakerOf(docs, doc) === "user") byUser += 1;
    const share = byUser / calls.docs.length;
    if (share > 0.2 && share < 0.8) return false;
    boosts[share >= 0.8 ? "assistant" : "user"] = p.addressed;
    return true;
  };

  const rank = (): Float64Array => {
    const [best, bestSession] = [max(scores) || 1, max(sessionScores) || 1];
    const isTold = boosts.user > 0 && boosts.assistant > 0;
    const said: Record<Speaker, number> = {
      user: (isTold ? 0 : boosts.user) + (query.isMine ? p.mine : 0),
      assistant: (isTold ? 0 : boosts.assistant) + (query.isYours ? p.yours : 0),
      tool: 0,
    };
    const dated = docs.sessionAt.map((at) => p.date * weighTime(at, query.spans));
    const ranked = new Float64Array(count);
    for (let doc = 0; doc < count; doc += 1) {
      const session = sessions[doc] ?? 0;
      const own = scores[doc] ?? 0;
      if ((own === 0 && dated[session] === 0) || wordsOf(docs, doc) === 0) continue;
      let score = own / best + (dated[session] ?? 0) + said[speakerOf(docs, doc)];
      if (places[doc] !== -1) score += (p.session * (sessionScores[session] ?? 0)) / bestSession;
      if (asks(docs, doc)) score -= p.asks;
      if (query.asksWhen && hasTime(docs, doc)) score += p.when;
      ranked[doc] = Math.max(score, Number.MIN_VALUE);
    }
    return ranked;
  };

  return { add, rank, confidence: () => (hasExact ? 2 : asked === 0 ? 0 : max(covered) / asked) };
}

const toRarity = (having: number, of: number): number => Math.log(1 + (of - having + 0.5) / (having + 0.5));

const max = (numbers: Float64Array): number => {
  let best = 0;
  for (const one of numbers) if (one > best) best = one;
  return best;
};

/** Of each passage the length of its key against the mean; what tools brought has a mean of its own. */
function toNorms(docs: Docs, p: RecallParameters): Float64Array {
  const { count, talk, places, sessions } = docs;
  const lengths = new Float64Array(count);
  let [sum, toolSum] = [0, 0];
  for (let doc = 0; doc < count; doc += 1) {
    let length = wordsOf(docs, doc);
    const place = places[doc] ?? -1;
    if (place < 0) toolSum += length;
    else {
      const near = (at: number, weight: number): number => {
        const other = talk[at];
        return other !== undefined && sessions[other] === sessions[doc] ? weight * wordsOf(docs, other) : 0;
      };
      const before = talk[place - 1];
      length += near(place - 1, before !== undefined && asks(docs, before) ? p.beforeQuestion : p.before);
      length += near(place - 2, p.before * p.before) + near(place + 1, p.after) + near(place + 2, p.after * p.after);
      sum += length;
    }
    lengths[doc] = length;
  }
  const [mean, toolMean] = [sum / Math.max(1, talk.length), toolSum / Math.max(1, count - talk.length)];
  for (let doc = 0; doc < count; doc += 1) {
    const against = (places[doc] === -1 ? toolMean : mean) || 1;
    lengths[doc] = 1 - p.lengthShare + (p.lengthShare * (lengths[doc] ?? 0)) / against;
  }
  return lengths;
}

function toSessionNorms(docs: Docs, p: RecallParameters): Float64Array {
  const lengths = new Float64Array(docs.sessionAt.length);
  for (const doc of docs.talk) {
    const session = docs.sessions[doc] ?? 0;
    lengths[session] = (lengths[session] ?? 0) + wordsOf(docs, doc);
  }
  const mean = lengths.reduce((sum, one) => sum + one, 0) / Math.max(1, lengths.length) || 1;
  return lengths.map((length) => 1 - p.sessionLengthShare + (p.sessionLengthShare * length) / mean);
}
