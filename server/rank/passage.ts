import { scoreBag, toBag, toIndex } from "./score.ts";

/** The part of a text that answers the question best: `[start, end)` in characters, whole sentences. */
export type Passage = { readonly start: number; readonly end: number; readonly score: number };

type Span = { readonly start: number; readonly end: number };

const LONGEST_SENTENCE = 600;
const MOST_SENTENCES = 3;
const CANDIDATES = 8;
const RANKED_CHARACTERS = 1_000_000;

/** Indexes a text once for many questions. Only the beginning of a very long text, so that it does not block the process. */
export function toPassageFinder(whole: string): (question: string) => Passage | undefined {
  const text = whole.slice(0, RANKED_CHARACTERS);
  const sentences = splitSentences(text);
  const index = toIndex(sentences.map(({ start, end }) => text.slice(start, end)));
  return (question) => {
    const weighed = index.weigh(question);
    const best = index
      .score(question)
      .map((score, at) => ({ score, at }))
      .filter(({ score }) => score > 0)
      .toSorted((a, b) => b.score - a.score || a.at - b.at)
      .slice(0, CANDIDATES);
    let found: Passage | undefined;
    for (const [from, to] of best.flatMap(({ at }) => toWindows(at, sentences.length))) {
      const { start } = sentences[from] ?? { start: 0 };
      const { end } = sentences[to] ?? { end: 0 };
      const bag = toBag(text.slice(start, end));
      const score = scoreBag(weighed, bag, bag.length);
      // A longer passage must score higher.
      const isBetter = found === undefined || score > found.score + (to - from) * 0.03;
      if (isBetter) found = { start, end, score };
    }
    return found;
  };
}

export const findPassage = (question: string, text: string): Passage | undefined => toPassageFinder(text)(question);

/** The sentence alone, then with its neighbours. */
function toWindows(at: number, count: number): readonly (readonly [from: number, to: number])[] {
  const windows: [number, number][] = [];
  for (let length = 1; length <= MOST_SENTENCES; length++)
    for (let from = at - length + 1; from <= at; from++)
      if (from >= 0 && from + length <= count) windows.push([from, from + length - 1]);
  return windows;
}

const ends = /(?<![.!?…])[.!?…]+["'”’»)\]]*(?=\s)|[。！？]+[」』”）]*|\n+/gu;

function splitSentences(text: string): readonly Span[] {
  const spans: Span[] = [];
  let start = 0;
  const add = (end: number): void => {
    while (start < end && /\s/.test(text[start] ?? "")) start++;
    let last = end;
    while (last > start && /\s/.test(text[last - 1] ?? "")) last--;
    for (; last - start > LONGEST_SENTENCE; start = toCut(text, start)) spans.push({ start, end: toCut(text, start) });
    if (last > start) spans.push({ start, end: last });
    start = end;
  };
  for (const match of text.matchAll(ends)) add(match.index + match[0].length);
  add(text.length);
  return spans;
}

/** Cuts at the last space, unless it is too far back. */
function toCut(text: string, start: number): number {
  const space = text.slice(start, start + LONGEST_SENTENCE).lastIndexOf(" ");
  return space > LONGEST_SENTENCE / 2 ? start + space + 1 : start + LONGEST_SENTENCE;
}
