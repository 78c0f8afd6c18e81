import { DOC_BYTES, type Docs } from "./docs.ts";
import type { RecallParameters } from "./parameters.ts";
import type { RankedDocs } from "./score.ts";

const LEVELS = 2048;

/**
 * The best `most` passages by worth, best first; ties in order of position. Worth is the score divided by a power of the length,
 * because shorter passages leave tokens for others.
 */
export function listBest(
  { bytes }: Docs,
  { docs, scores }: RankedDocs,
  most: number,
  p: Pick<RecallParameters, "lengthPower" | "lengthOffset">,
): readonly ScoredPassage[] {
  const prices = Float64Array.from({ length: 256 }, (_, size) => (size * 4 + p.lengthOffset) ** -p.lengthPower);
  const worths = new Float64Array(docs.length);
  let best = 0;
  for (let n = 0; n < docs.length; n += 1) {
    const worth = (scores[n] ?? 0) * (prices[bytes[(docs[n] ?? 0) * DOC_BYTES + 2] ?? 0] ?? 1);
    worths[n] = worth;
    if (worth > best) best = worth;
  }
  const floor = findFloor(worths, best, most);
  const found: number[] = [];
  for (let n = 0; n < worths.length; n += 1) if ((worths[n] ?? 0) >= floor) found.push(n);
  return found
    .sort((a, b) => (worths[b] ?? 0) - (worths[a] ?? 0) || (docs[a] ?? 0) - (docs[b] ?? 0))
    .slice(0, most)
    .map((n) => ({ doc: docs[n] ?? 0, score: scores[n] ?? 0 }));
}

export type ScoredPassage = { readonly doc: number; readonly score: number };

/** A threshold that at least `most` passages reach, and not many more. Avoids sorting all of them. */
function findFloor(worths: Float64Array, best: number, most: number): number {
  const counts = new Int32Array(LEVELS);
  for (let doc = 0; doc < worths.length; doc += 1) {
    const worth = worths[doc] ?? 0;
    const level = Math.min(LEVELS - 1, Math.floor((worth / best) * LEVELS));
    counts[level] = (counts[level] ?? 0) + 1;
  }
  let sum = 0;
  for (let level = LEVELS - 1; level > 0; level -= 1) {
    sum += counts[level] ?? 0;
    if (sum >= most) return (level / LEVELS) * best * (1 - 1e-9);
  }
  return 0;
}

/** Terms of the best passages that are missing from the query, with their weights. */
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
