/** A block of code between fences, as far as a line tells: no parser is asked, for the text may be half-written. */
export type Fence = { readonly run: string; readonly column: number };

/** After what a line of a list or a quote begins with. What follows backticks holds none, or it is code in a line. */
const opener = /^((?:[ \t>]|[*+-][ \t]|\d{1,9}[.)][ \t])*)(`{3,}(?=[^`]*$)|~{3,})/;
const closer = /^([ \t>]*)(`{3,}|~{3,})\s*$/;
/** Further in than this, it is a line of the code. */
const furthest = 3;

export function readOpener(line: string): Fence | null {
  const [, before, run] = opener.exec(line) ?? [];
  return before === undefined || run === undefined ? null : { run, column: toColumn(before) };
}

export function isCloser(line: string, { run, column }: Fence): boolean {
  const [, before, closing] = closer.exec(line) ?? [];
  if (before === undefined || closing === undefined) return false;
  return closing.startsWith(run) && toColumn(before) <= column + furthest;
}

const toColumn = (before: string): number => before.replaceAll("\t", "    ").length;
