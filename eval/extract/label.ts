import { toWords } from "./words.ts";

const size = 4;

/**
 * How much of each run is main content, from 0 to 1. A run of four words or more counts by the share of its words that are in
 * four-word sequences of the content. A shorter run counts if its words and the runs around it are in the content; of several
 * such runs no more than the content has.
 */
export function labelRuns(texts: readonly string[], content: string): readonly number[] {
  const runs = texts.map(toWords);
  const sequences = countSequences(toWords(content));
  const lines = new Set(content.split("\n").map((line) => toWords(line).join(" ")));
  const shares = runs.map((words) => (words.length < size ? 0 : measureShare(words, sequences)));
  const candidates = new Map<string, { index: number; score: number }[]>();
  for (const [index, words] of runs.entries()) {
    const text = words.join(" ");
    if (words.length === 0 || words.length >= size || !sequences.has(text)) continue;
    const score = scoreShort({ runs, shares, sequences, index }) + (lines.has(text) ? 0.5 : 0);
    candidates.set(text, [...(candidates.get(text) ?? []), { index, score }]);
  }
  const labels = [...shares];
  for (const [text, list] of candidates)
    for (const { index, score } of list.sort((a, b) => b.score - a.score).slice(0, sequences.get(text) ?? 0))
      if (score >= 1) labels[index] = 1;
  return labels;
}

function countSequences(words: readonly string[]): ReadonlyMap<string, number> {
  const counts = new Map<string, number>();
  for (let length = 1; length <= size; length += 1)
    for (let at = 0; at + length <= words.length; at += 1) {
      const key = words.slice(at, at + length).join(" ");
      counts.set(key, (counts.get(key) ?? 0) + 1);
    }
  return counts;
}

function measureShare(words: readonly string[], sequences: ReadonlyMap<string, number>): number {
  const isFound = new Uint8Array(words.length);
  for (let at = 0; at + size <= words.length; at += 1)
    if (sequences.has(words.slice(at, at + size).join(" "))) isFound.fill(1, at, at + size);
  return isFound.reduce((total, one) => total + one, 0) / words.length;
}

type Short = {
  readonly runs: readonly (readonly string[])[];
  readonly shares: readonly number[];
  readonly sequences: ReadonlyMap<string, number>;
  readonly index: number;
};

/** Two points if it continues the adjacent text, and up to one for long content runs nearby. */
function scoreShort({ runs, shares, sequences, index }: Short): number {
  const words = runs[index] ?? [];
  const before = [
    ...runs
      .slice(Math.max(0, index - 3), index)
      .flat()
      .slice(1 - size),
    ...words,
  ].slice(-size);
  const after = [...words, ...runs.slice(index + 1, index + 4).flat()].slice(0, size);
  const continues = [before, after].some((all) => all.length === size && sequences.has(all.join(" ")));
  const near = [-1, 1].flatMap((step) => {
    for (let at = index + step; at >= 0 && at < runs.length && Math.abs(at - index) <= 6; at += step)
      if ((runs[at]?.length ?? 0) >= size) return [(shares[at] ?? 0) > 0.5 ? 1 : 0];
    return [];
  });
  return (continues ? 2 : 0) + (near.length === 0 ? 0 : near.reduce((total, one) => total + one, 0) / near.length);
}
