/**
 * Replaces inline code: a run of backticks up to the next run of the same length. Linear time: each run is visited
 * once.
 */
export function replaceCodeSpans(text: string, replace: (code: string) => string): string {
  const runs = Array.from(text.matchAll(/`+/g), ({ 0: { length }, index }) => ({ start: index, length }));
  const closing: (number | undefined)[] = [];
  const nextOfLength = new Map<number, number>();
  for (let at = runs.length - 1; at >= 0; at -= 1) {
    const { length } = runs[at] ?? { length: 0 };
    closing[at] = nextOfLength.get(length);
    nextOfLength.set(length, at);
  }
  let result = "";
  let done = 0;
  for (let at = 0; at < runs.length; at += 1) {
    const [open, close] = [runs[at], runs[closing[at] ?? -1]];
    if (!open || !close) continue;
    const end = close.start + close.length;
    result += text.slice(done, open.start) + replace(text.slice(open.start, end));
    done = end;
    at = closing[at] ?? at;
  }
  return result + text.slice(done);
}

const fence = /^[ \t>]*(`{3,}|~{3,})/;

/** Replaces fenced code from its opening line to its closing line, or to the end of the text. */
export function replaceFences(text: string, replace: (code: string) => string): string {
  const lines = text.split("\n");
  const result: string[] = [];
  let open: { readonly mark: string; readonly from: number } | undefined;
  for (const [at, line] of lines.entries()) {
    const mark = fence.exec(line)?.[1];
    if (!open && mark !== undefined) open = { mark, from: at };
    else if (open && mark?.startsWith(open.mark) && /^[ \t>]*[`~]+[ \t]*$/.test(line)) {
      result.push(replace(lines.slice(open.from, at + 1).join("\n")));
      open = undefined;
    } else if (!open) result.push(line);
  }
  if (open) result.push(replace(lines.slice(open.from).join("\n")));
  return result.join("\n");
}
