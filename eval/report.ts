import { existsSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { parseArgs } from "node:util";

/**
 * Options and output of every evaluation: `--data DIR`, `--only PREFIX`, `--limit N` (of what it reads), `--deep` (full counts),
 * `--json FILE`, a table for people and the figures for machines.
 * An evaluation whose files are not there says so in one line and ends without figures.
 */
export type Measure = {
  readonly id: string;
  readonly value: number;
  readonly unit: string;
  /** The interval over repeats, halves or kinds; the value itself where there was one. */
  readonly low: number;
  readonly high: number;
  readonly n: number;
};
export type Target = { readonly atLeast: number } | { readonly atMost: number };
export type Report = {
  /** At most so many samples, where an evaluation goes through samples. */
  readonly limit: number;
  readonly isDeep: boolean;
  readonly only: string;
  /** The folder of the data, and whether it is the default one. */
  readonly data: string;
  readonly isUsualData: boolean;
  /** A file or folder of the data, or undefined after saying that it is absent. */
  readonly find: (path: string) => string | undefined;
  /** Whether a figure that begins so is asked for; a longer `--only` asks for its beginning, too. */
  readonly wants: (id: string) => boolean;
  readonly add: (measure: AddedMeasure) => void;
  /** The requested rows so far. */
  readonly measures: () => readonly Measure[];
  /** Prints the table and writes the file of figures. */
  readonly print: () => void;
};
export type AddedMeasure = Pick<Measure, "id" | "value" | "unit" | "n"> & Partial<Pick<Measure, "low" | "high">>;

const usualData = join(import.meta.dirname, "../../shared/data");

export function createReport(targets: Readonly<Record<string, Target>> = {}): Report {
  const { values } = parseArgs({
    options: {
      data: { type: "string", default: usualData },
      only: { type: "string", default: "" },
      limit: { type: "string", default: "Infinity" },
      deep: { type: "boolean", default: false },
      json: { type: "string" },
    },
  });
  const { only, json } = values;
  const measures: Measure[] = [];
  return {
    limit: Number(values.limit),
    isDeep: values.deep,
    only,
    data: resolve(values.data),
    isUsualData: resolve(values.data) === resolve(usualData),
    measures: () => measures,
    find: (path) => {
      const place = resolve(values.data, path);
      if (existsSync(place)) return place;
      process.stderr.write(`skipped: there is no ${place} (--data DIR names another folder)\n`);
      return undefined;
    },
    wants: (id) => id.startsWith(only) || only.startsWith(id),
    add: ({ id, value, unit, n, low = value, high = value }) => {
      if (id.startsWith(only)) measures.push({ id, value: round(value), unit, low: round(low), high: round(high), n });
    },
    print: () => {
      console.log(toTable(measures, targets));
      if (json !== undefined) writeFileSync(json, `${JSON.stringify({ measures }, null, 2)}\n`);
    },
  };
}

const round = (value: number): number => Number(value.toPrecision(4));

function toTable(measures: readonly Measure[], targets: Readonly<Record<string, Target>>): string {
  const rows = measures.map(({ id, value, unit, low, high, n }) => {
    const target = targets[id];
    const asked = target === undefined ? "" : "atLeast" in target ? `>= ${target.atLeast}` : `<= ${target.atMost}`;
    const isMet = target === undefined || ("atLeast" in target ? value >= target.atLeast : value <= target.atMost);
    return [id, String(value), unit, `${low} - ${high}`, String(n), asked, asked === "" ? "" : isMet ? "yes" : "NO"];
  });
  const all = [["id", "value", "unit", "low - high", "n", "target", "met"], ...rows];
  const widths = all[0]?.map((_, column) => Math.max(...all.map((row) => row[column]?.length ?? 0))) ?? [];
  const toLine = (row: readonly string[]): string =>
    row
      .map((cell, column) => cell.padEnd(widths[column] ?? 0))
      .join("  ")
      .trimEnd();
  return all.map(toLine).join("\n");
}
