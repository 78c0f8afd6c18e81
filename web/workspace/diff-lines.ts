import { diffLines as diff } from "../../protocol/diff-lines.ts";

/** A line of a diff: on both sides, only before, or only after. Numbers begin at 1. */
export type DiffLine =
  | { readonly kind: "same"; readonly before: number; readonly after: number; readonly text: string }
  | { readonly kind: "gone"; readonly before: number; readonly text: string }
  | { readonly kind: "come"; readonly after: number; readonly text: string };

export const diffLines = (before: string, after: string): readonly DiffLine[] =>
  diff(toLines(before), toLines(after)).map((line): DiffLine => {
    const { sign, text } = line;
    if (sign === "-") return { kind: "gone", before: line.before + 1, text };
    if (sign === "+") return { kind: "come", after: line.after + 1, text };
    return { kind: "same", before: line.before + 1, after: line.after + 1, text };
  });

export type DiffCount = { readonly come: number; readonly gone: number };

export const countDiff = (lines: readonly DiffLine[]): DiffCount => ({
  come: lines.filter(({ kind }) => kind === "come").length,
  gone: lines.filter(({ kind }) => kind === "gone").length,
});

/** Without a last empty line, which stands for the end of the line before it. */
function toLines(text: string): readonly string[] {
  if (text === "") return [];
  const lines = text.split(/\r\n|\n|\r/);
  return lines.at(-1) === "" ? lines.slice(0, -1) : lines;
}
