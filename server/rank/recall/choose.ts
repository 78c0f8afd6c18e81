import { charactersOf, type Docs } from "./docs.ts";
import type { RecallParameters } from "./parameters.ts";

const LEVELS = 2048;

/**
 * The best `most` passages by worth, best first, ties in order of place. Worth is the score over a power of the length: of two
 * that fit equally the shorter one leaves room for more.
 */
export function listBest(docs: Docs, scores: Float64Array, most: number, p: RecallParameters): readonly number[] {
  const worths = new Float64Array(scores.length);
  let best = 0;
  for (let doc = 0; doc < scores.length; doc += 1) {
    const score = scores[doc] ?? 0;
    if (score <= 0) continue;
    const worth = score / (charactersOf(docs, doc) + p.lengthOffset) ** p.lengthPower;
    worths[doc] = worth;
    if (worth > best) best = worth;
  }
  const floor = findFloor(worths, best, most);
  const found: number[] = [];
  for (let doc = 0; doc < worths.length; doc += 1) {
    const worth = worths[doc] ?? 0;
    if (worth > 0 && worth >= floor) found.push(doc);
  }
  return found.sort((a, b) => (worths[b] ?? 0) - (worths[a] ?? 0) || a - b).slice(0, most);
}

/** A worth that at least `most` reach, and not many more: sorting a hundred thousand would cost more than finding them. */
function findFloor(worths: Float64Array, best: number, most: number): number {
  const counts = new Int32Array(LEVELS);
  for (const worth of worths) {
    const level = Math.min(LEVELS - 1, Math.floor((worth / best) * LEVELS));
    if (worth > 0) counts[level] = (counts[level] ?? 0) + 1;
  }
  let sum = 0;
  for (let level = LEVELS - 1; level > 0; level -= 1) {
    sum += counts[level] ?? 0;
    if (sum >= most) return (level / LEVELS) * best * (1 - 1e-9);
  }
  return 0;
}

/** The telling words of the best passages that the query has not, each by its share of the best one's weight. */
export function findFeedback(
  tops: readonly { readonly score: number; readonly terms: ReadonlyMap<string, number> }[],
  known: ReadonlyMap<string, number>,
): readonly (readonly [term: string, weight: number])[] {
  const weights = new Map<string, number>();
  let all = 0;
  for (const { score, terms } of tops) {
    all += score;
    for (const [term, count] of terms)
      if (!known.has(term) && /^[^=@]/.test(term))
        weights.set(term, (weights.get(term) ?? 0) + (score * 2 * count) / (count + 1));
  }
  return [...weights]
    .map(([term, weight]) => [term, weight / all] as const)
    .sort((a, b) => b[1] - a[1] || (a[0] < b[0] ? -1 : 1));
}
