import type { AddedMeasure } from "../report.ts";
import type { Interval } from "../count/bootstrap.ts";

/** The input of a group of rows. */
export type Setting = {
  /** A file or folder of the data; undefined where it is absent. */
  readonly find: (path: string) => string | undefined;
  readonly wants: (id: string) => boolean;
  /** Full counts, however long they take. */
  readonly isDeep: boolean;
};
export type Group = (setting: Setting) => Promise<readonly AddedMeasure[]>;

export const toRow = (id: string, unit: string, { value, low, high, n }: Interval): AddedMeasure => ({
  id,
  value,
  unit,
  n,
  low,
  high,
});

/** A count of what must never be, over so many tries. */
export const toCount = (id: string, value: number, n: number): AddedMeasure => ({ id, value, unit: "count", n });

export const toShare = (id: string, right: number, n: number): AddedMeasure => ({
  id,
  value: n === 0 ? 0 : right / n,
  unit: "share",
  n,
});
