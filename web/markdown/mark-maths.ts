import { isCloser, readOpener } from "./fence.ts";

/**
 * Finds formulas in Markdown and turns each into a code span with a marker at both ends, which any Markdown parser
 * preserves. Recognizes `$…$`, `$$…$$`, `\(…\)` and `\[…\]` outside of code; amounts of money are not formulas. The markers
 * are private-use characters; those in the original text are removed.
 */
export const inlineMark = "\uE0F1";
export const displayMark = "\uE0F2";
/** A formula that is not closed yet. */
export const openMark = "\uE0F3";

const marks = /[\uE0F1-\uE0F3]/g;
const couldHold = /\$|\\[([]/;
const longestInline = 600;
const longestDisplay = 8000;

export function markMaths(markdown: string, streaming: boolean): string {
  const text = marks.test(markdown) ? markdown.replaceAll(marks, "") : markdown;
  if (!couldHold.test(text)) return text;
  let out = "";
  for (let at = 0; at < text.length;) {
    const code = readCode(text, at);
    if (code > at) {
      out += text.slice(at, code);
      at = code;
      continue;
    }
    const found = readFormula(text, at, streaming);
    if (!found) {
      // A backslash escapes the next character: `\$` and `\\` start nothing.
      const step = text[at] === "\\" ? 2 : 1;
      out += text.slice(at, at + step);
      at += step;
      continue;
    }
    out += toSpan(found, isInTable(text, at));
    at = found.end;
  }
  return out;
}

type Formula = { readonly mark: string; readonly tex: string; readonly end: number };

/** The end of the fence or code span that starts here; the same position if none does. */
function readCode(text: string, at: number): number {
  const char = text[at];
  if (char !== "`" && char !== "~") return at;
  let fence = at;
  while (text[fence] === char) fence += 1;
  const run = text.slice(at, fence);
  const block = run.length >= 3 ? readBlock(text, at) : at;
  if (block > at) return block;
  if (char === "~") return fence;
  for (let close = text.indexOf(run, fence); close >= 0;) {
    let after = close;
    while (text[after] === "`") after += 1;
    if (after - close === run.length) return after;
    close = text.indexOf(run, after);
  }
  return fence;
}

/** The end of the fenced block that starts here; the same position if none does. */
function readBlock(text: string, at: number): number {
  const start = text.lastIndexOf("\n", at - 1) + 1;
  const open = readOpener(text.slice(start, toLineEnd(text, at)));
  if (!open || /[`~]/.test(text.slice(start, at))) return at;
  for (let end = toLineEnd(text, at); end < text.length;) {
    const next = end + 1;
    end = toLineEnd(text, next);
    if (isCloser(text.slice(next, end), open)) return end;
  }
  return text.length;
}

const toLineEnd = (text: string, at: number): number => {
  const end = text.indexOf("\n", at);
  return end < 0 ? text.length : end;
};

function readFormula(text: string, at: number, streaming: boolean): Formula | null {
  for (const [open, close, mark] of delimiters) {
    if (!text.startsWith(open, at)) continue;
    const start = at + open.length;
    const end = findClose(text, start, close);
    const blank = text.slice(start, start + longestDisplay).search(/\n[ \t]*\n/);
    const isWithin = end >= 0 && (blank < 0 || end < start + blank || mark === displayMark);
    const tex = end >= 0 ? text.slice(start, end) : text.slice(start);
    if (isWithin && tex.trim() !== "") return { mark, tex, end: end + close.length };
    return end < 0 && streaming && blank < 0 && tex.trim() !== "" ? { mark: openMark, tex, end: text.length } : null;
  }
  return text[at] === "$" ? readDollars(text, at) : null;
}

const delimiters = [
  ["$$", "$$", displayMark],
  ["\\[", "\\]", displayMark],
  ["\\(", "\\)", inlineMark],
] as const;

function findClose(text: string, from: number, close: string): number {
  const last = Math.min(text.length, from + longestDisplay);
  for (let at = from; at < last; at += text[at] === "\\" && close[0] === "$" ? 2 : 1) {
    if (text.startsWith(close, at) && (close[0] === "$" || text[at - 1] !== "\\")) return at;
  }
  return -1;
}

/** Single dollars must touch the formula, and no digit may follow: "$5 and $10" is money. */
function readDollars(text: string, at: number): Formula | null {
  if (/[\s$]/.test(text[at + 1] ?? " ") || /[\w$]/.test(text[at - 1] ?? "")) return null;
  const end = findClose(text, at + 1, "$");
  const tex = text.slice(at + 1, end);
  if (end < 0 || tex.length > longestInline || /\n|`/.test(tex)) return null;
  if (/\s/.test(tex.at(-1) ?? " ") || /[\d$\w]/.test(text[end + 1] ?? "")) return null;
  return { mark: inlineMark, tex, end: end + 1 };
}

const isInTable = (text: string, at: number): boolean =>
  /^[ \t>]*\|/.test(text.slice(text.lastIndexOf("\n", at - 1) + 1, at + 1));

/** On one line, so that it works in lists, quotes and tables. TeX comments are removed, because they would swallow the rest. */
function toSpan({ mark, tex }: Formula, inTable: boolean): string {
  const line = tex
    .replaceAll(/(?<!\\)%.*/g, "")
    .replaceAll(/^[ \t]*>[ \t]?/gm, "")
    .replaceAll(/\s+/g, " ")
    .trim();
  const safe = inTable ? line.replaceAll("\\|", "\\Vert ").replaceAll("|", "\\vert ") : line;
  const longest = Math.max(0, ...(safe.match(/`+/g) ?? []).map((run) => run.length));
  const fence = "`".repeat(longest + 1);
  return `${fence}${mark}${safe}${mark}${fence}`;
}

export type MarkedFormula = { readonly tex: string; readonly kind: "inline" | "display" | "open" };

/** The formula in a code span made above; null for code. */
export function readMarked(code: string): MarkedFormula | null {
  const kind = kinds[code[0] ?? ""];
  return kind && code.length > 1 && code.at(-1) === code[0] ? { tex: code.slice(1, -1), kind } : null;
}

const kinds: Readonly<Record<string, MarkedFormula["kind"]>> = {
  [inlineMark]: "inline",
  [displayMark]: "display",
  [openMark]: "open",
};
