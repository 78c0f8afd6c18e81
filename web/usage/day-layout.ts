import type { CostRow } from "../../protocol/cost.ts";
import { measures, type Measure } from "./measures.ts";

export type Day = {
  /** YYYY-MM-DD in UTC. */
  readonly key: string;
  readonly row: CostRow | null;
  readonly value: number;
  /** Fraction of the plot's height. */
  readonly share: number;
};
export type Days = { readonly days: readonly Day[]; readonly top: number; readonly ticks: readonly number[] };

const dayMs = 86_400_000;
const toKey = (at: number): string => new Date(at).toISOString().slice(0, 10);

type Range = { readonly from: number; readonly to: number };

/** All days of the range, including empty ones. */
export function layoutDays(rows: readonly CostRow[], { from, to }: Range, measure: Measure): Days {
  const byKey = new Map(rows.map((row) => [row.key, row]));
  const first = Math.floor(from / dayMs);
  const last = Math.max(first, Math.floor((to - 1) / dayMs));
  const keys = Array.from({ length: Math.min(last - first + 1, 400) }, (_, index) => toKey((first + index) * dayMs));
  const values = keys.map((key) => {
    const row = byKey.get(key) ?? null;
    return { key, row, value: row ? measures[measure].read(row) : 0 };
  });
  const { top, ticks } = toScale(Math.max(0, ...values.map(({ value }) => value)));
  return { days: values.map((day) => ({ ...day, share: day.value / top })), top, ticks };
}

/** A round maximum, and round grid values up to it. */
export function toScale(max: number): { readonly top: number; readonly ticks: readonly number[] } {
  if (max <= 0) return { top: 1, ticks: [] };
  const power = 10 ** Math.floor(Math.log10(max));
  const step = [0.25, 0.5, 1, 2.5].map((part) => part * power).find((one) => max / one <= 4) ?? power * 5;
  const count = Math.ceil(max / step);
  return { top: count * step, ticks: Array.from({ length: count }, (_, index) => (index + 1) * step) };
}
