import type { CostRow } from "../../protocol/cost.ts";
import { toShort } from "../labels/model.ts";
import { groupDigits } from "../lib/format.ts";
import { toAmount } from "./describe-costs.ts";

/** Measures that a plot can show. */
export const measures = {
  cost: {
    name: "Cost",
    read: ({ costUsd }: CostRow) => costUsd,
    say: toAmount,
    brief: (value: number) => (value === 0 ? "$0" : `$${+value.toPrecision(2)}`),
  },
  tokens: {
    name: "Tokens",
    read: ({ inputTokens, outputTokens }: CostRow) => inputTokens + outputTokens,
    say: (value: number) => `${groupDigits(value)} tokens`,
    brief: (value: number) => (value >= 1000 ? toShort(value) : String(value)),
  },
  calls: {
    name: "Calls",
    read: ({ calls }: CostRow) => calls,
    say: (value: number) => `${groupDigits(value)} ${value === 1 ? "call" : "calls"}`,
    brief: (value: number) => (value >= 10_000 ? toShort(value) : groupDigits(value)),
  },
} as const;

export type Measure = keyof typeof measures;

/** Cost, or tokens if nothing has a cost. */
export const toUsualMeasure = (rows: readonly CostRow[]): Measure =>
  rows.some(({ costUsd }) => costUsd > 0) ? "cost" : "tokens";
