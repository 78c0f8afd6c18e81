import { diffLines as diff } from "../../protocol/diff-lines.ts";

/** A line of a diff: unchanged, removed or added. Line numbers start at 1. */
export type NumberedLine =
  | { readonly kind: "same"; readonly before: number; readonly after: number; readonly text: string }
  | { readonly kind: "removed"; readonly before: number; readonly text: string }
  | { readonly kind: "added"; readonly after: number; readonly text: string };

export const toNumberedDiff = (before: string, after: string): readonly NumberedLine[] =>
  diff(toLines(before), toLines(after)).map((line): NumberedLine => {
    const { sign, text } = line;
    if (sign === "-") return { kind: "removed", before: line.before + 1, text };
    if (sign === "+") return { kind: "added", after: line.after + 1, text };
    return { kind: "same", before: line.before + 1, after: line.after + 1, text };
  });

export type DiffCount = { readonly added: number; readonly removed: number };

export const countDiff = (lines: readonly NumberedLine[]): DiffCount => ({
  added: lines.filter(({ kind }) => kind === "added").length,
  removed: lines.filter(({ kind }) => kind === "removed").length,
});

/** The lines of a text; a final line break does not start another line. */
function toLines(text: string): readonly string[] {
  if (text === "") return [];
  const lines = text.split(/\r\n|\n|\r/);
  return lines.at(-1) === "" ? lines.slice(0, -1) : lines;
}
