import type { CostRow } from "../../protocol/cost.ts";
import { toShort } from "../labels/model.ts";
import { groupDigits } from "../lib/format.ts";
import { toAmount } from "../labels/cost.ts";

import { usage as strings } from "../strings/usage.ts";

/** Measures that a plot can show. */
export const measures = {
  cost: {
    name: strings.measures.cost,
    read: ({ costUsd }: CostRow) => costUsd,
    format: toAmount,
    formatShort: (value: number) => (value === 0 ? "$0" : `$${+value.toPrecision(2)}`),
  },
  tokens: {
    name: strings.measures.tokens,
    read: ({ inputTokens, outputTokens }: CostRow) => inputTokens + outputTokens,
    format: (value: number) => strings.tokens(groupDigits(value)),
    formatShort: (value: number) => (value >= 1000 ? toShort(value) : String(value)),
  },
  calls: {
    name: strings.measures.calls,
    read: ({ calls }: CostRow) => calls,
    format: (value: number) => strings.calls(value, groupDigits(value)),
    formatShort: (value: number) => (value >= 10_000 ? toShort(value) : groupDigits(value)),
  },
} as const;

export type Measure = keyof typeof measures;

/** Cost, or tokens if nothing has a cost. */
export const toDefaultMeasure = (rows: readonly CostRow[]): Measure =>
  rows.some(({ costUsd }) => costUsd > 0) ? "cost" : "tokens";
