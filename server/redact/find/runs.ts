/**
 * Visits every run of at least a given number of characters of an alphabet. It checks ahead first, so ordinary words
 * cost almost nothing.
 */
export function visitRuns(
  text: string,
  { alphabet, least }: { readonly alphabet: Uint8Array; readonly least: number },
  visit: (start: number, end: number) => void,
): void {
  const isIn = (at: number): boolean => {
    const code = text.charCodeAt(at);
    return code < 128 && alphabet[code] === 1;
  };
  let start = 0;
  while (start + least <= text.length) {
    let at = start + least - 1;
    while (at >= start && isIn(at)) at -= 1;
    if (at >= start) {
      start = at + 1;
      continue;
    }
    let end = start + least;
    while (end < text.length && isIn(end)) end += 1;
    visit(start, end);
    start = end + 1;
  }
}

/** The ASCII characters that the pattern matches. */
export const toAlphabet = (pattern: RegExp): Uint8Array =>
  Uint8Array.from({ length: 128 }, (_, code) => (pattern.test(String.fromCharCode(code)) ? 1 : 0));
