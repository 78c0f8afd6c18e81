import type { CostRow } from "../../protocol/cost.ts";
import { measures, type Measure } from "./measures.ts";

export type Share = {
  readonly keys: readonly string[];
  readonly value: number;
  /** Fraction of the total. */
  readonly share: number;
  /** Sum of the previous fractions. */
  readonly from: number;
};

/** The number of distinguishable colors. */
const maxShares = 6;

/** Parts of the total, largest first; the rest is one part. */
export function layoutShares(rows: readonly CostRow[], measure: Measure): readonly Share[] {
  const { read } = measures[measure];
  const sorted = rows
    .map((row) => ({ keys: [row.key], value: read(row) }))
    .filter(({ value }) => value > 0)
    .toSorted((a, b) => b.value - a.value);
  const total = sorted.reduce((sum, { value }) => sum + value, 0);
  const named = sorted.length <= maxShares ? sorted : sorted.slice(0, maxShares - 1);
  const rest = sorted.slice(named.length);
  const parts =
    rest.length === 0
      ? named
      : [...named, { keys: rest.flatMap(({ keys }) => keys), value: rest.reduce((sum, { value }) => sum + value, 0) }];
  let before = 0;
  return parts.map((part) => {
    const from = before;
    before += part.value / total;
    return { ...part, share: part.value / total, from };
  });
}
