import { ascending, median, quantile } from "./statistics.ts";
import { targets } from "./targets.ts";

/** One figure: the median over the repeats, with the lowest and the highest of them. */
export type Measure = {
  readonly id: string;
  readonly value: number;
  readonly unit: string;
  readonly low: number;
  readonly high: number;
  readonly n: number;
  /** Why there is no figure; `n` is then 0. */
  readonly why?: string;
};

export type Series = {
  readonly add: (id: string, unit: string, value: number) => void;
  /** The quantile of the samples of all repeats; low and high are the quantiles of single repeats. */
  readonly pool: (id: string, unit: string, share: number, samples: readonly number[]) => void;
  /** Records why a figure could not be measured; a later figure replaces it. */
  readonly lack: (id: string, unit: string, why: string) => void;
  readonly measures: () => readonly Measure[];
};

/** Collects one value per repeat. */
export function createSeries(): Series {
  const values = new Map<string, { unit: string; all: number[]; pooled: number[]; share?: number; why?: string }>();
  const find = (id: string, unit: string) => {
    const known = values.get(id) ?? { unit, all: [], pooled: [] };
    values.set(id, known);
    return known;
  };
  return {
    add: (id, unit, value) => void find(id, unit).all.push(value),
    pool: (id, unit, share, samples) => {
      const known = find(id, unit);
      known.all.push(quantile(ascending(samples), share));
      known.pooled.push(...samples);
      known.share = share;
    },
    lack: (id, unit, why) => void (find(id, unit).why = why),
    measures: () =>
      [...values].map(([id, { unit, all, pooled, share, why }]) => ({
        id,
        value: round(share === undefined ? median(all) : quantile(ascending(pooled), share)),
        unit,
        low: round(Math.min(...all)),
        high: round(Math.max(...all)),
        n: all.length,
        ...(all.length === 0 && why !== undefined ? { why } : {}),
      })),
  };
}

const round = (value: number): number => Number(value.toPrecision(4));

const heads = ["id", "median", "unit", "low - high", "n", "target", "met"];

const toCells = ({ id, value, unit, low, high, n, why }: Measure): readonly string[] => {
  if (why !== undefined) return [id, "none", unit, why, "0", "", ""];
  const target = targets[id];
  const asked = target === undefined ? "" : "atLeast" in target ? `>= ${target.atLeast}` : `<= ${target.atMost}`;
  const aim = target?.aim === undefined ? "" : ` (aim ${target.aim})`;
  const isMet = target === undefined || ("atLeast" in target ? value >= target.atLeast : value <= target.atMost);
  return [
    id,
    String(value),
    unit,
    `${low} - ${high}`,
    String(n),
    `${asked}${aim}`,
    asked === "" ? "" : isMet ? "yes" : "NO",
  ];
};

/** A Markdown table, ordered by id. */
export function toMarkdown(measures: readonly Measure[]): string {
  const sorted = measures.toSorted((a, b) => (a.id < b.id ? -1 : 1));
  const rows = sorted.map(toCells);
  const toRow = (cells: readonly string[]) => `| ${cells.join(" | ")} |`;
  const body = rows.map(([id = "", ...rest]) => toRow([`\`${id}\``, ...rest]).replace(/\bNO \|$/, "**no** |"));
  return [toRow(heads), toRow(heads.map(() => "---")), ...body].join("\n");
}

export function toTable(measures: readonly Measure[]): string {
  const all = [heads, ...measures.map(toCells)];
  const widths = all[0]?.map((_, column) => Math.max(...all.map((row) => row[column]?.length ?? 0))) ?? [];
  return all
    .map((row) =>
      row
        .map((cell, column) => cell.padEnd(widths[column] ?? 0))
        .join("  ")
        .trimEnd(),
    )
    .join("\n");
}
