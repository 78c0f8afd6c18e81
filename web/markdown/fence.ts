/** Recognizes code fences line by line, without a parser, because the text may be incomplete. */
export type Fence = { readonly run: string; readonly column: number };

/** Skips list and quote prefixes. An info string after backticks must not contain backticks. */
const opener = /^((?:[ \t>]|[*+-][ \t]|\d{1,9}[.)][ \t])*)(`{3,}(?=[^`]*$)|~{3,})/;
const closer = /^([ \t>]*)(`{3,}|~{3,})\s*$/;
/** With more indentation it is a line of code. */
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
