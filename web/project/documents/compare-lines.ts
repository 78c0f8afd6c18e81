import { matchLines } from "../../../protocol/diff-lines.ts";

export type ComparedLine = { readonly text: string; readonly isUnique: boolean };

/** Compares two texts by line and marks the lines that the other one does not have. */
export function compareLines(before: string, after: string) {
  const [a, b] = [before.split("\n"), after.split("\n")];
  const matched = matchLines(a, b);
  const common = new Set(matched);
  return {
    before: a.map((text, index): ComparedLine => ({ text, isUnique: (matched[index] ?? -1) < 0 })),
    after: b.map((text, index): ComparedLine => ({ text, isUnique: !common.has(index) })),
  };
}
