import { toTerms } from "../../rank/terms.ts";
import { toStem } from "../../rank/score.ts";
import { stemEnglish } from "./stem.ts";

const stopWords: ReadonlySet<string> = new Set(
  (
    "a about after again all also am an and any are as at be because been before being between both but by can cannot could " +
    "d did didn do does doesn doing don during each few for from further had has have having he her here hers herself him " +
    "himself his how i if in into is isn it its itself just let ll m me more most my myself no nor not now of off on once " +
    "only or other our ours out over own please re s same she should so some such t tell than that the their theirs them " +
    "themselves then there these they this those through to too under until up us ve very was we were what when where " +
    "which while who whom whose why will with would you your yours yourself"
  ).split(" "),
);

/** The content words of a text in order: normalized, without stop words, stemmed (words in non-Latin scripts by a simpler stemmer). */
export const toStems = (text: string): readonly string[] =>
  toTerms(text.replaceAll(/['’](?=(?:s|t|re|ve|ll|d|m)\b)/gi, " ")).flatMap((term) =>
    stopWords.has(term) ? [] : [stemTerm(term)],
  );

const known = new Map<string, string>();
const MOST_KNOWN = 20_000;

/** Cached, because the same words occur often. */
function stemTerm(term: string): string {
  const before = known.get(term);
  if (before !== undefined) return before;
  const stem = /^[a-z]+$/.test(term) ? stemEnglish(term) : toStem(term);
  if (known.size >= MOST_KNOWN) known.clear();
  known.set(term, stem);
  return stem;
}

const LONGEST_EXACT = 80;
const MOST_EXACT = 200;
/** Letters and digits joined by punctuation: ids, paths, versions, addresses. */
const joined =
  /(?<![\p{L}\p{N}])(?:[\p{L}\p{N}]+(?:[._/\\:@#+~-]+[\p{L}\p{N}]+)+|\p{L}+\p{N}[\p{L}\p{N}]*|\p{N}+\p{L}[\p{L}\p{N}]*)/gu;

/** Ids, paths and codes, which match only as a whole. Prefixed with `=` to distinguish them from words. */
export const toExactTerms = (text: string): readonly string[] =>
  [...text.matchAll(joined)]
    .slice(0, MOST_EXACT)
    .map(([run]) => run)
    .filter((run) => /[\p{N}_/\\@]/u.test(run) || /\p{Ll}\p{Lu}/u.test(run))
    .map((run) => `=${run.toLowerCase().slice(0, LONGEST_EXACT)}`);

const address =
  /(?:,\s+|\b(?:hey|hi|hello|thanks|thank you|congrats|congratulations|dear|wow|bye)\s+)(\p{Lu}\p{L}+)(?=[,.!?]|$)/giu;

/** Names that a text addresses: "Hey Ann!", "Well done, Ann." Prefixed with `@` to distinguish them from words. */
const toAddressed = (text: string): readonly string[] =>
  [...text.matchAll(address)]
    .map(([, name = ""]) => name)
    .filter((name) => /^\p{Lu}/u.test(name))
    .flatMap((name) => toStems(name).map((stem) => `@${stem}`));

/** All terms of a passage with their counts. */
export function countTerms(text: string): ReadonlyMap<string, number> {
  const counts = new Map<string, number>();
  const add = (term: string): void => void counts.set(term, (counts.get(term) ?? 0) + 1);
  toStems(text).forEach(add);
  toExactTerms(text).forEach(add);
  toAddressed(text).forEach(add);
  return counts;
}

/** Whether a term is a word, not an exact term or a name. */
export const isWord = (term: string): boolean => !/^[=@]/.test(term);
