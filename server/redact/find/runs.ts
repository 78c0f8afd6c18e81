/** Visits every run of at least so many characters of an alphabet. Looks ahead first, so that ordinary words cost next to nothing. */
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

/** The characters of ASCII that the expression matches. */
export const toAlphabet = (pattern: RegExp): Uint8Array =>
  Uint8Array.from({ length: 128 }, (_, code) => (pattern.test(String.fromCharCode(code)) ? 1 : 0));
