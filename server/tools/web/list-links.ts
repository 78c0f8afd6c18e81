/** Bounded on both sides of the parenthesis, so that matching takes linear time. */
const link = /\]\(<?(https?:\/\/[^\s()<>]{1,2000})>?[\s)]/gi;
const MAX_LINKS = 300;
const MAX_CHARACTERS = 40_000;

/** The URLs a page links to: `known` first, then those in its text, in order. */
export function listLinks(markdown: string, known: readonly string[]): readonly string[] {
  const found = new Set(known);
  let left = MAX_CHARACTERS;
  for (const [, url = ""] of markdown.matchAll(link)) {
    if (found.size >= MAX_LINKS || (left -= url.length) < 0) break;
    found.add(url);
  }
  return [...found];
}
