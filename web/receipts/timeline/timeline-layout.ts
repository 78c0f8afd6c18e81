import type { ReceiptLine } from "../../../protocol/context/context-api.ts";

/** One call as a column: the size of its prompt, and how much it shares with the previous call. */
export type Column = {
  readonly line: ReceiptLine;
  /** Distance from the left edge, in pixels. */
  readonly x: number;
  /** Fractions of the chart's height. */
  readonly total: number;
  readonly shared: number;
  readonly isCompaction: boolean;
  /** A cache miss that no compaction explains. */
  readonly hasCacheMiss: boolean;
};

export type Chart = {
  readonly columns: readonly Column[];
  readonly width: number;
  readonly barWidth: number;
  /** Tokens represented by the full height. */
  readonly top: number;
  /** Values for the grid lines. */
  readonly ticks: readonly number[];
};

const least = 7;
const most = 22;
/** Gap between two turns. */
const turnGap = 5;
const headroom = 1.12;

/** Oldest to newest, in the available width or wider. */
export function layoutTimeline(newestFirst: readonly ReceiptLine[], available: number): Chart {
  const lines = newestFirst.toReversed();
  const turns = lines.filter((line, index) => index > 0 && !isSameTurn(line, lines[index - 1])).length;
  const pitch = Math.max(least, Math.min(most, (available - turns * turnGap) / Math.max(1, lines.length)));
  const top = Math.max(1, ...lines.map(({ promptTokens }) => promptTokens)) * headroom;
  let x = 0;
  const columns = lines.map((line, index): Column => {
    if (index > 0) x += pitch + (isSameTurn(line, lines[index - 1]) ? 0 : turnGap);
    return {
      line,
      x,
      total: line.promptTokens / top,
      shared: Math.min(line.shared, line.promptTokens) / top,
      isCompaction: line.opened !== null,
      hasCacheMiss: isCacheMiss(line),
    };
  });
  return {
    columns,
    width: Math.ceil(x + pitch),
    barWidth: Math.max(4, pitch - Math.min(4, pitch / 4)),
    top,
    ticks: toTicks(top),
  };
}

const isSameTurn = (a: ReceiptLine, b: ReceiptLine | undefined): boolean =>
  a.call !== null && b?.call !== null && a.call.runId !== null && a.call.runId === b?.call.runId;

/** A compaction causes a cache miss too, but is shown separately. */
export const isCacheMiss = ({ broke, opened }: Pick<ReceiptLine, "broke" | "opened">): boolean =>
  broke !== null && opened === null;

/** Two or three round values within the height. */
export function toTicks(top: number): readonly number[] {
  const power = 10 ** Math.floor(Math.log10(top));
  const step = [0.2, 0.5, 1, 2, 5].map((part) => part * power).find((one) => top / one <= 3.5) ?? power;
  const ticks: number[] = [];
  for (let tick = step; tick < top; tick += step) ticks.push(tick);
  return ticks;
}

/** The column at an x position. */
export function findColumn({ columns }: Pick<Chart, "columns">, x: number): number {
  const after = columns.findIndex((column) => column.x > x);
  return after < 0 ? columns.length - 1 : Math.max(0, after - 1);
}
