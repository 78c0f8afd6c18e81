import { findSpans, type Span } from "./dates.ts";
import { findRelated } from "./related-words.ts";
import type { RecallParameters } from "./parameters.ts";
import { toExactTerms, toStems } from "./words.ts";

/** A parsed query: weighted terms, and hints about speaker and time. */
export type RecallQuery = {
  readonly terms: ReadonlyMap<string, number>;
  /** Words and codes of the query itself. The gate uses only these. */
  readonly asked: ReadonlySet<string>;
  /** Stems of names in it. `@name` is the term for being addressed by that name. */
  readonly names: readonly string[];
  readonly isMine: boolean;
  readonly isYours: boolean;
  readonly asksWhen: boolean;
  /** It is a question, or refers to earlier messages. */
  readonly isQuestion: boolean;
  readonly spans: readonly Span[];
};

type QueryInput = {
  readonly query: string;
  /** The previous exchange as text. */
  readonly previous?: string;
  readonly now: number;
};

const LONGEST_QUERY = 4000;
const mine = /\b(?:I|my|me|mine|myself|I['’](?:m|ve|d|ll))\b/;
const yours =
  /\byou(?:r|['’]ve)?\b.{0,20}\b(?:recommend|suggest|advi[sc]e|say|said|tell|told|explain|propose|mention|give|gave|provide|list)/i;
const question =
  /\?|^\W*(?:what|when|where|which|who|whom|whose|why|how|did|do|does|is|are|was|were|have|has|had|can|could|would|should|remind|recall)\b|\b(?:remember|earlier|previous(?:ly)?|last time|again|as before|you said|i said|we (?:said|agreed|decided))\b/i;
const when = /\b(?:when|how long|(?:what|which) (?:date|time|day|week|month|year))\b/i;

export function toQuery({ query: whole, previous = "", now }: QueryInput, p: RecallParameters): RecallQuery {
  const query = whole.slice(0, LONGEST_QUERY);
  const terms = new Map<string, number>();
  const raise = (term: string, weight: number): void => void terms.set(term, Math.max(terms.get(term) ?? 0, weight));
  for (const stem of toStems(query)) terms.set(stem, Math.min(2, (terms.get(stem) ?? 0) + 1));
  for (const quoted of findQuoted(query))
    for (const stem of new Set(toStems(quoted))) terms.set(stem, (terms.get(stem) ?? 0) * p.quoted);
  const words = [...terms.keys()];
  for (const term of toExactTerms(query)) raise(term, p.exact);
  const asked = new Set(terms.keys());
  if (words.length < p.fewWords)
    for (const stem of new Set(toStems(previous.slice(-LONGEST_QUERY)))) raise(stem, p.borrowed);
  for (const word of words) {
    const others = findRelated(word);
    for (const other of others) if (!asked.has(other)) raise(other, p.related / others.size ** p.relatedSpread);
  }
  return {
    terms,
    asked,
    names: findNames(query),
    isMine: mine.test(query),
    isYours: yours.test(query),
    asksWhen: when.test(query),
    isQuestion: question.test(query),
    spans: findSpans(query, now),
  };
}

const findQuoted = (text: string): readonly string[] =>
  [...text.matchAll(/"([^"]{2,200})"|“([^”]{2,200})”|«([^»]{2,200})»/g)].map(([, a, b, c]) => a ?? b ?? c ?? "");

const findNames = (text: string): readonly string[] => [
  ...new Set([...text.matchAll(/\p{Lu}\p{L}+/gu)].flatMap(([word]) => toStems(word))),
];
