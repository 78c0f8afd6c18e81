import { replaceFences } from "../../lib/code-spans.ts";
import { splitSentences } from "../../lib/split-sentences.ts";

/** Sentences with their origin. Text that has a number is cited by it. */
export type Source = {
  readonly label: string;
  readonly sentences: readonly string[];
  readonly ref?: number | undefined;
  /** Multiplies the score of its sentences; 1 by default. */
  readonly trust?: number;
};

export type Passage = {
  readonly label: string;
  readonly text: string;
  readonly ref: number | undefined;
  /** The share of the question's weight that the sentence contains. */
  readonly score: number;
  readonly order: number;
};

const MAX_PASSAGES = 3;

/** The sentences nearest to the question, at most three, in their original order; none if none is near enough. */
export const findPassages = (question: string, sources: readonly Source[], minScore = 0.45): readonly Passage[] => {
  const ranked = rankSentences(question, sources).filter(({ score }) => score >= minScore);
  const best = ranked[0]?.score ?? 0;
  return dropRepeated(ranked.filter(({ score }) => score >= best * 0.7))
    .slice(0, MAX_PASSAGES)
    .toSorted((a, b) => a.order - b.order);
};

/** Best first; of equal scores the later sentence first. Rare words of the question weigh more. */
export const rankSentences = (question: string, sources: readonly Source[]): readonly Passage[] => {
  const candidates = sources
    .flatMap(({ label, sentences, ref, trust = 1 }) => sentences.map((text) => ({ label, text, ref, trust })))
    // A question is seldom an answer.
    .map((one, order) => ({
      ...one,
      order,
      terms: toTerms(one.text),
      trust: one.trust * (isAsked(one.text) ? 0.3 : 1),
    }));
  const rarity = (term: string): number => {
    const found = candidates.filter(({ terms }) => terms.has(term)).length;
    return Math.log(1 + (candidates.length + 1) / (found + 0.5));
  };
  const weights = [...toTerms(question)].map(
    (term) => [term, (weakTerms.has(term) ? 0.35 : 1) * rarity(term)] as const,
  );
  const total = weights.reduce((sum, [, weight]) => sum + weight, 0);
  if (total === 0) return [];
  return candidates
    .map(({ terms, trust, ...passage }) => {
      const found = weights.reduce((sum, [term, weight]) => sum + (terms.has(term) ? weight : 0), 0);
      return { ...passage, score: (found * trust) / total };
    })
    .toSorted((a, b) => b.score - a.score || b.order - a.order);
};

const isAsked = (text: string): boolean => /[?？]\s*$/.test(text);

export const dropRepeated = (passages: readonly Passage[]): readonly Passage[] => {
  const distinct: Passage[] = [];
  for (const one of passages) {
    if (!distinct.some(({ text }) => text.includes(one.text) || one.text.includes(text))) distinct.push(one);
  }
  return distinct;
};

export const asQuote = (text: string): string => `> ${text.replaceAll("\n", "\n> ")}`;

/** A quotation with its citation number, if it has one. */
export const cite = (text: string, ref: number | undefined): string =>
  asQuote(`${cut(text, 400)}${ref === undefined ? "" : ` [${ref}]`}`);

/** Cuts between words, so that a quotation is found in its source. */
export const cut = (text: string, maxLength = 600): string => {
  const trimmed = text.trim();
  if (trimmed.length <= maxLength) return trimmed;
  const head = trimmed.slice(0, maxLength).toWellFormed();
  return `${/\s/.test(head) ? head.replace(/(?<!\s)\s+\S*$/, "") : head}…`;
};

export const toSentences = (text: string): readonly string[] => splitSentences(text).map((sentence) => sentence.text);

/** Markdown as prose: without code, tables, images and markup; links as their text, footnote numbers as breaks. */
export const toProse = (markdown: string): string =>
  replaceFences(markdown, () => "")
    .replace(/^[ \t]*\|.*$/gm, "")
    .replace(/!\[[^[\]\n]{0,300}\]\([^()\n]{0,300}\)/g, "")
    .replace(/\[\\?\[?\d{1,3}\\?\]?\](?:\([^()\n]{0,300}\))?/g, "\n")
    .replace(/\[([^[\]\n]{0,300})\]\([^()\n]{0,300}\)/g, "$1")
    .replace(/^[ \t]*(?:#{1,6}|>|[-*+]|\d{1,3}[.)])[ \t]+/gm, "")
    .replace(/\*\*|__|`|~~/g, "")
    .replace(/[[\]]/g, "")
    // Joins wrapped lines.
    .replace(/(?<=[\p{L}\p{N},;])\n(?=\p{Ll})/gu, " ")
    .replace(/[^\S\n]+/g, " ");

/** Comparable words: lower case, without accents, common endings and stop words. Unspaced scripts as character pairs. */
export const toTerms = (text: string): ReadonlySet<string> => {
  const plain = text
    .normalize("NFKD")
    .replace(/[\u0300-\u036f]/g, "")
    .normalize("NFC")
    .toLowerCase();
  const words = plain.match(/[\p{L}\p{N}]+/gu) ?? [];
  return new Set(
    words.flatMap((word) => (unspaced.test(word) ? toPairs(word) : stopWords.has(word) ? [] : [toStem(word)])),
  );
};

const unspaced = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}\p{Script=Thai}]/u;

const toPairs = (word: string): readonly string[] => {
  const characters = [...word];
  const pairs = characters.slice(1).map((character, at) => `${characters[at]}${character}`);
  // Japanese grammar is written in hiragana: pairs without it carry the meaning.
  const telling = pairs.filter((pair) => !/\p{Script=Hiragana}/u.test(pair));
  return telling.length > 0 ? telling : pairs.length > 0 ? pairs : [word];
};

const toStem = (word: string): string =>
  word.length < 5 || !/^[a-z]+$/.test(word) ? word : word.replace(/(?:ing|ies|ed|es|s|en|e)$/, "");

/** Words of a question that are rarely in its answer. */
const weakTerms = new Set(
  "name named called thing kind type number time place favorite favourite".split(" ").map(toStem),
);

const stopWords = new Set(
  [
    "a an the and or but if of in on at to for from with by as is are was were be been being am do does did done have has had",
    "i me my mine we us our you your he him his she her it its they them their this that these those there here what which",
    "who whom whose when where why how can could will would shall should may might must not no yes about tell say said told",
    "mention mentioned remember know please show find ever again many much just so than then too very",
  ].flatMap((line) => line.split(" ")),
);

export const isStopWord = (word: string): boolean => stopWords.has(word.toLowerCase().replace(/[^\p{L}\p{N}]/gu, ""));
