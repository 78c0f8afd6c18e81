import type { ReceiptLine } from "../../../protocol/context/context-api.ts";

/** One call of the thread as a column: how long its prompt was, and how much of that the call before it had, too. */
export type Column = {
  readonly line: ReceiptLine;
  /** From the left edge, in pixels. */
  readonly x: number;
  /** Shares of the chart's height. */
  readonly whole: number;
  readonly shared: number;
  readonly isCut: boolean;
  /** The cache was broken, and not by a cut alone. */
  readonly isBreak: boolean;
};

export type Chart = {
  readonly columns: readonly Column[];
  readonly width: number;
  readonly barWidth: number;
  /** What the whole height stands for. */
  readonly top: number;
  /** Round figures to draw lines at. */
  readonly ticks: readonly number[];
};

const least = 7;
const most = 22;
/** Between the answers of two turns. */
const turnGap = 5;
const headroom = 1.12;

/** From the oldest to the newest, in as much room as there is, and wider where that is too little. */
export function layoutTimeline(newestFirst: readonly ReceiptLine[], room: number): Chart {
  const lines = newestFirst.toReversed();
  const turns = lines.filter((line, index) => index > 0 && !isSameTurn(line, lines[index - 1])).length;
  const pitch = Math.max(least, Math.min(most, (room - turns * turnGap) / Math.max(1, lines.length)));
  const top = Math.max(1, ...lines.map(({ promptTokens }) => promptTokens)) * headroom;
  let x = 0;
  const columns = lines.map((line, index): Column => {
    if (index > 0) x += pitch + (isSameTurn(line, lines[index - 1]) ? 0 : turnGap);
    return {
      line,
      x,
      whole: line.promptTokens / top,
      shared: Math.min(line.shared, line.promptTokens) / top,
      isCut: line.opened !== null,
      isBreak: isBroken(line),
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

/** A cut breaks the cache too, and says so itself. */
export const isBroken = ({ broke, opened }: Pick<ReceiptLine, "broke" | "opened">): boolean =>
  broke !== null && opened === null;

/** Two or three round figures within the height. */
export function toTicks(top: number): readonly number[] {
  const power = 10 ** Math.floor(Math.log10(top));
  const step = [0.2, 0.5, 1, 2, 5].map((part) => part * power).find((one) => top / one <= 3.5) ?? power;
  const ticks: number[] = [];
  for (let tick = step; tick < top; tick += step) ticks.push(tick);
  return ticks;
}

/** The column under a place of the chart. */
export function findColumn({ columns }: Pick<Chart, "columns">, x: number): number {
  const after = columns.findIndex((column) => column.x > x);
  return after < 0 ? columns.length - 1 : Math.max(0, after - 1);
}
