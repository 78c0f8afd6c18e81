/** Bounded on both sides of the parenthesis, so that each place is looked at once. */
const link = /\]\(<?(https?:\/\/[^\s()<>]{1,2000})>?[\s)]/gi;
const MOST_LINKS = 300;
const MOST_CHARACTERS = 40_000;

/** Addresses that a page offers as links, in their order: `known`, then those of its text. */
export function listLinks(markdown: string, known: readonly string[]): readonly string[] {
  const found = new Set(known);
  let left = MOST_CHARACTERS;
  for (const [, url = ""] of markdown.matchAll(link)) {
    if (found.size >= MOST_LINKS || (left -= url.length) < 0) break;
    found.add(url);
  }
  return [...found];
}
