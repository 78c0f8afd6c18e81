import { UnfoldVertical } from "lucide-react";
import { useEffect, useMemo, useState, type ReactNode } from "react";
import type { Piece } from "./colour-lines.ts";
import { diffLines, type DiffLine } from "./diff-lines.ts";
type Props = {
  readonly path: string;
  /** null: there was no such file. */
  readonly before: string | null;
  readonly after: string | null;
};

/** What changed in a file, in one column, with what stayed the same folded away. */
export const DiffView = ({ path, before, after }: Props) => {
  const lines = useMemo(() => diffLines(before ?? "", after ?? ""), [before, after]);
  const stretches = useMemo(() => toStretches(lines), [lines]);
  const [opened, setOpened] = useState<ReadonlySet<number>>(new Set());
  const colours = useColours(path, before ?? "", after ?? "");
  if (lines.every(({ kind }) => kind === "same"))
    return (
      <p className="px-4 py-3 text-sm text-soft">{lines.length === 0 ? "The file is empty." : "Nothing differs."}</p>
    );
  return (
    <div
      role="group"
      aria-label={`What changed in ${path}`}
      tabIndex={0}
      dir="ltr"
      className="overflow-x-auto bg-(--code-ground) focus-visible:-outline-offset-2"
    >
      <table className="w-full min-w-max border-collapse font-mono text-[0.78rem] leading-relaxed text-(--code-ink)">
        <tbody>
          {stretches.map((stretch) =>
            stretch.kind === "shown" || opened.has(stretch.from) ? (
              stretch.lines.map((line, index) => (
                <Line key={stretch.from + index} line={line} pieces={colours?.(line) ?? null} />
              ))
            ) : (
              <Folded
                key={stretch.from}
                stretch={stretch}
                onOpen={() => setOpened((now) => new Set([...now, stretch.from]))}
              />
            ),
          )}
        </tbody>
      </table>
    </div>
  );
};

const marks = {
  same: { sign: "", said: "", look: "" },
  come: { sign: "+", said: "added: ", look: "bg-[color-mix(in_srgb,var(--good)_12%,transparent)]" },
  gone: { sign: "−", said: "removed: ", look: "bg-[color-mix(in_srgb,var(--danger)_10%,transparent)]" },
} as const;

const Line = ({ line, pieces }: { readonly line: DiffLine; readonly pieces: readonly Piece[] | null }) => {
  const { sign, said, look } = marks[line.kind];
  // Those of an earlier text are still here while the next are looked up.
  const isCurrent = pieces !== null && pieces.map(({ text }) => text).join("") === line.text;
  return (
    <tr className={look}>
      <td className="w-px py-0 ps-3 pe-1 text-end align-top text-soft tabular-nums select-none">
        {line.kind === "gone" ? line.before : line.after}
      </td>
      <td aria-hidden="true" className="w-px px-1 align-top select-none">
        {sign}
      </td>
      <td className="pe-4 whitespace-pre">
        {said !== "" && <span className="sr-only">{said}</span>}
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

const Folded = ({ stretch, onOpen }: { readonly stretch: Stretch; readonly onOpen: () => void }) => (
  <tr>
    <td colSpan={3} className="p-0">
      <button
        type="button"
        onClick={onOpen}
        className="sticky start-0 flex min-h-7 items-center gap-1.5 px-3 font-sans text-xs text-soft hover:text-ink focus-visible:-outline-offset-2"
      >
        <UnfoldVertical aria-hidden="true" className="size-3.5" />
        {stretch.lines.length} lines the same
      </button>
    </td>
  </tr>
);

/** Lines in colours as soon as the grammar is there; until then plain. */
function useColours(path: string, before: string, after: string) {
  const [colours, setColours] = useState<((line: DiffLine) => readonly Piece[] | null) | null>(null);
  useEffect(() => {
    let isHere = true;
    setColours(null);
    const load = async () => {
      const { colourLines } = await import("./colour-lines.ts");
      return Promise.all([colourLines(before, path), colourLines(after, path)]);
    };
    void load().then(([gone, come]) => {
      if (!isHere || !gone || !come) return;
      setColours(
        () => (line: DiffLine) => (line.kind === "gone" ? gone[line.before - 1] : come[line.after - 1]) ?? null,
      );
    });
    return () => {
      isHere = false;
    };
  }, [path, before, after]);
  return colours;
}

/** A stretch of a diff: lines to be read, or lines that stay and are folded away. */
type Stretch = { readonly kind: "shown" | "folded"; readonly from: number; readonly lines: readonly DiffLine[] };

const context = 3;
/** Fewer are not worth a fold. */
const fewest = 4;

/** What changed, with a few lines around it. */
function toStretches(lines: readonly DiffLine[]): readonly Stretch[] {
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
