import { UnfoldVertical } from "lucide-react";
import { useEffect, useMemo, useState, type ReactNode } from "react";
import type { Piece } from "./color-lines.ts";
import { toNumberedDiff, type NumberedLine } from "./diff-lines.ts";
import { workspace as strings } from "../strings/workspace/workspace.ts";
type Props = {
  readonly path: string;
  /** null: there was no such file. */
  readonly before: string | null;
  readonly after: string | null;
};

/** A unified diff of a file; unchanged lines are folded. */
export const DiffView = ({ path, before, after }: Props) => {
  const lines = useMemo(() => toNumberedDiff(before ?? "", after ?? ""), [before, after]);
  const hunks = useMemo(() => toHunks(lines), [lines]);
  const [opened, setOpened] = useState<ReadonlySet<number>>(new Set());
  const colors = useColors(path, before ?? "", after ?? "");
  if (lines.every(({ kind }) => kind === "same"))
    return <p className="px-4 py-3 text-sm text-soft">{lines.length === 0 ? strings.diff.empty : strings.diff.same}</p>;
  return (
    <div
      role="group"
      aria-label={strings.diff.changesIn(path)}
      tabIndex={0}
      dir="ltr"
      className="overflow-x-auto bg-(--code-ground) focus-visible:-outline-offset-2"
    >
      <table className="w-full min-w-max border-collapse font-mono text-[0.78rem] leading-relaxed text-(--code-ink)">
        <tbody>
          {hunks.map((hunk) =>
            hunk.kind === "shown" || opened.has(hunk.from) ? (
              hunk.lines.map((line, index) => (
                <Line key={hunk.from + index} line={line} pieces={colors?.(line) ?? null} />
              ))
            ) : (
              <Folded key={hunk.from} hunk={hunk} onOpen={() => setOpened((now) => new Set([...now, hunk.from]))} />
            ),
          )}
        </tbody>
      </table>
    </div>
  );
};

const marks = {
  same: { sign: "", prefix: "", look: "" },
  added: { sign: "+", prefix: strings.diff.added, look: "bg-[color-mix(in_srgb,var(--good)_12%,transparent)]" },
  removed: { sign: "−", prefix: strings.diff.removed, look: "bg-[color-mix(in_srgb,var(--danger)_10%,transparent)]" },
} as const;

const Line = ({ line, pieces }: { readonly line: NumberedLine; readonly pieces: readonly Piece[] | null }) => {
  const { sign, prefix, look } = marks[line.kind];
  // While the next colors load, these may belong to an earlier text.
  const isCurrent = pieces !== null && pieces.map(({ text }) => text).join("") === line.text;
  return (
    <tr className={look}>
      <td className="w-px py-0 ps-3 pe-1 text-end align-top text-soft tabular-nums select-none">
        {line.kind === "removed" ? line.before : line.after}
      </td>
      <td aria-hidden="true" className="w-px px-1 align-top select-none">
        {sign}
      </td>
      <td className="pe-4 whitespace-pre">
        {prefix !== "" && <span className="sr-only">{prefix}</span>}
        {isCurrent && line.text !== "" ? toSpans(pieces) : line.text || " "}
      </td>
    </tr>
  );
};

const toSpans = (pieces: readonly Piece[]): ReactNode =>
  pieces.map(({ text, look }, index) =>
    look === "" ? (
      text
    ) : (
      <span key={index} className={look}>
        {text}
      </span>
    ),
  );

const Folded = ({ hunk, onOpen }: { readonly hunk: Hunk; readonly onOpen: () => void }) => (
  <tr>
    <td colSpan={3} className="p-0">
      <button
        type="button"
        onClick={onOpen}
        className="sticky start-0 flex min-h-7 items-center gap-1.5 px-3 font-sans text-xs text-soft hover:text-ink focus-visible:-outline-offset-2"
      >
        <UnfoldVertical aria-hidden="true" className="size-3.5" />
        {strings.diff.unchanged(hunk.lines.length)}
      </button>
    </td>
  </tr>
);

/** Highlighted lines once the grammar has loaded; null until then. */
function useColors(path: string, before: string, after: string) {
  const [colors, setColors] = useState<((line: NumberedLine) => readonly Piece[] | null) | null>(null);
  useEffect(() => {
    let isActive = true;
    setColors(null);
    const load = async () => {
      const { colorLines } = await import("./color-lines.ts");
      return Promise.all([colorLines(before, path), colorLines(after, path)]);
    };
    void load().then(([removed, added]) => {
      if (!isActive || !removed || !added) return;
      setColors(
        () => (line: NumberedLine) =>
          (line.kind === "removed" ? removed[line.before - 1] : added[line.after - 1]) ?? null,
      );
    });
    return () => {
      isActive = false;
    };
  }, [path, before, after]);
  return colors;
}

/** Consecutive lines that are shown, or unchanged lines that are folded. */
type Hunk = { readonly kind: "shown" | "folded"; readonly from: number; readonly lines: readonly NumberedLine[] };

const context = 3;
/** Fewer lines are not folded. */
const fewest = 4;

/** Changed lines with a few lines of context; the others are folded. */
function toHunks(lines: readonly NumberedLine[]): readonly Hunk[] {
  const isNear = new Uint8Array(lines.length);
  lines.forEach(({ kind }, index) => {
    if (kind !== "same") isNear.fill(1, Math.max(0, index - context), index + context + 1);
  });
  const hunks: { kind: "shown" | "folded"; from: number; lines: NumberedLine[] }[] = [];
  lines.forEach((line, index) => {
    const kind = isNear[index] === 1 ? "shown" : "folded";
    const last = hunks.at(-1);
    if (last?.kind === kind) last.lines.push(line);
    else hunks.push({ kind, from: index, lines: [line] });
  });
  return hunks.map((one) => (one.lines.length < fewest ? { ...one, kind: "shown" } : one));
}
