import type { DiffLine } from "./diff-lines.ts";

/** A stretch of a diff: lines to be read, or lines that stay and are folded away. */
export type Stretch = { readonly kind: "shown" | "folded"; readonly from: number; readonly lines: readonly DiffLine[] };

const context = 3;
/** Fewer are not worth a fold. */
const fewest = 4;

/** What changed, with a few lines around it. */
export function toStretches(lines: readonly DiffLine[]): readonly Stretch[] {
  const isNear = new Uint8Array(lines.length);
  lines.forEach(({ kind }, index) => {
    if (kind !== "same") isNear.fill(1, Math.max(0, index - context), index + context + 1);
  });
  const stretches: { kind: "shown" | "folded"; from: number; lines: DiffLine[] }[] = [];
  lines.forEach((line, index) => {
    const kind = isNear[index] === 1 ? "shown" : "folded";
    const last = stretches.at(-1);
    if (last?.kind === kind) last.lines.push(line);
    else stretches.push({ kind, from: index, lines: [line] });
  });
  return stretches.map((one) => (one.lines.length < fewest ? { ...one, kind: "shown" } : one));
}
