import { workspaceLimits } from "../../../protocol/workspace/limits.ts";
import { splitLines } from "../lines.ts";

export type View = {
  readonly total: number;
  readonly shown: string;
  readonly text: string;
  readonly note: string | null;
};

type Range = { readonly first: number; readonly last: number };

const LONGEST_LINE = 1_000;
/** Characters shown in total. */
const LONGEST_VIEW = 120_000;

/** Numbered lines: ranges like `1-80, 200-260`, or the first few hundred by default. */
export function viewLines(text: string, ranges: string | undefined): View {
  const lines = splitLines(text).lines.map((line) => line.text);
  const asked = ranges === undefined || ranges.trim() === "" ? undefined : readRanges(ranges);
  const wanted = asked ?? [{ first: 1, last: workspaceLimits.viewLines }];
  const notes: string[] = [];
  const shown: Range[] = [];
  const texts: string[] = [];
  let [cut, size] = [0, 0];
  for (const { first, last } of wanted) {
    if (first > Math.max(lines.length, 1)) {
      notes.push(`there is no line ${first}`);
      continue;
    }
    const end = Math.min(last, lines.length);
    if (texts.length > 0) texts.push("...");
    let at = first;
    for (; at <= end && size <= LONGEST_VIEW; at += 1) {
      const line = lines[at - 1] ?? "";
      if (line.length > LONGEST_LINE) cut += 1;
      const shown =
        line.length > LONGEST_LINE
          ? `${line.slice(0, LONGEST_LINE).toWellFormed()}… (${line.length} characters)`
          : line;
      texts.push(`${at}: ${shown}`);
      size += shown.length;
    }
    if (end > 0) shown.push({ first, last: at - 1 });
    if (at <= end) notes.push(`cut after line ${at - 1}, the output is too long`);
  }
  if (asked === undefined && lines.length > workspaceLimits.viewLines) {
    notes.push(`lines ${workspaceLimits.viewLines + 1}-${lines.length} are not shown; request them with lines`);
  }
  if (cut > 0) notes.push(`${cut} long ${cut === 1 ? "line is" : "lines are"} cut at ${LONGEST_LINE} characters`);
  return {
    total: lines.length,
    shown: shown.map(({ first, last }) => `${first}-${last}`).join(", "),
    text: texts.join("\n"),
    note: notes.length ? notes.join("; ") : null,
  };
}

const MAX_RANGES = 20;

function readRanges(ranges: string): readonly Range[] {
  const parts = ranges
    .split(/[,;]/)
    .map((part) => part.trim())
    .filter((part) => part !== "");
  if (parts.length > MAX_RANGES) throw new Error(`At most ${MAX_RANGES} ranges at once.`);
  return parts.map((part) => {
    const [, first = "", last = first] = /^(\d{1,7})(?:\s*(?:-|–|\.\.)\s*(\d{1,7}))?$/.exec(part) ?? [];
    const range = { first: Number(first), last: Number(last) };
    if (first === "" || range.first < 1 || range.last < range.first) {
      throw new Error(`"${part.slice(0, 40)}" is not a line range. Write it like 10-40.`);
    }
    return range;
  });
}
