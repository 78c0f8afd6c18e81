import type { LineEdit } from "../../server/workspace/workspace.ts";
import type { Chance } from "../threads/planted.ts";
import type { Block } from "./blocks.ts";

/** An edit of a file. `expected`: the file as it must be then; null: nothing is right but to refuse. */
export type Case = {
  readonly group: string;
  readonly text: string;
  readonly edit: LineEdit;
  readonly earlier: readonly string[];
  readonly expected: string | null;
  /** The whole file was rewritten, with markers for unchanged parts. */
  readonly written?: readonly string[];
};

/** A block in a file: from `start` on. */
export type Set = { readonly block: Block; readonly lines: readonly string[]; readonly start: number };
export type Make = (set: Set, chance: Chance, filler: () => readonly string[]) => readonly Case[];

export const join = (lines: readonly string[]): string => `${lines.join("\n")}\n`;
export const put = (
  lines: readonly string[],
  start: number,
  length: number,
  replace: readonly string[],
): readonly string[] => [...lines.slice(0, start), ...replace, ...lines.slice(start + length)];
export const numbers = (start: number, length: number) => ({ first: start + 1, last: start + length });
export const between = (chance: Chance, low: number, high: number): number =>
  low + Math.floor(chance() * (high - low + 1));
export const key = (line: string): string => line.trim().replace(/\s+/g, " ");

/** Where these lines stand, whatever their whitespace. */
export const placesOf = (lines: readonly string[], wanted: readonly string[]): readonly number[] =>
  lines.flatMap((_, start) =>
    wanted.every((line, n) => key(lines[start + n] ?? "\u0000") === key(line)) ? [start] : [],
  );

export const toEdit = ({ path, search, replace }: Block, first?: number, last?: number): LineEdit => ({
  path,
  search: search.join("\n"),
  replace: replace.join("\n"),
  first,
  last,
});

export const indentOf = (line: string): string => /^[ \t]*/.exec(line)?.[0] ?? "";
export const isBlank = (line: string): boolean => line.trim() === "";
