import { splitSentences } from "../lib/split-sentences.ts";
import { scoreBag, toBag, toIndex } from "./score.ts";

/** The part of a text that answers the question best: `[start, end)` in characters, whole sentences. */
export type TextRange = { readonly start: number; readonly end: number; readonly score: number };

const LONGEST_SENTENCE = 600;
const MOST_SENTENCES = 3;
const CANDIDATES = 8;
const RANKED_CHARACTERS = 1_000_000;

/** Indexes a text once for many questions. Only the beginning of a very long text, so that it does not block the process. */
export function toPassageFinder(whole: string): (question: string) => TextRange | undefined {
  const text = whole.slice(0, RANKED_CHARACTERS);
  const sentences = splitSentences(text, LONGEST_SENTENCE);
  const index = toIndex(sentences.map((sentence) => sentence.text));
  return (question) => {
    const weighed = index.weigh(question);
    const best = index
      .score(question)
      .map((score, at) => ({ score, at }))
      .filter(({ score }) => score > 0)
      .toSorted((a, b) => b.score - a.score || a.at - b.at)
      .slice(0, CANDIDATES);
    let found: TextRange | undefined;
    for (const [from, to] of best.flatMap(({ at }) => toWindows(at, sentences.length))) {
      const { start } = sentences[from] ?? { start: 0 };
      const last = sentences[to];
      const end = last ? last.start + last.text.length : 0;
      const bag = toBag(text.slice(start, end));
      const score = scoreBag(weighed, bag, bag.length);
      // A longer passage must score higher.
      const isBetter = found === undefined || score > found.score + (to - from) * 0.03;
      if (isBetter) found = { start, end, score };
    }
    return found;
  };
}

export const findPassage = (question: string, text: string): TextRange | undefined => toPassageFinder(text)(question);

/** The sentence alone, then with its neighbors. */
function toWindows(at: number, count: number): readonly (readonly [from: number, to: number])[] {
  const windows: [number, number][] = [];
  for (let length = 1; length <= MOST_SENTENCES; length++)
    for (let from = at - length + 1; from <= at; from++)
      if (from >= 0 && from + length <= count) windows.push([from, from + length - 1]);
  return windows;
}
