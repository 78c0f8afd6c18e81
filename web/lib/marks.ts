/** A half-open range of a text: start and end offset. */
export type Range = readonly [number, number];

/** A piece of a text; `isMarked` pieces are highlighted. */
export type Piece = { readonly text: string; readonly isMarked: boolean };

const maxHits = 500;
const special = /[.*+?^${}()|[\]\\]/g;

const toPattern = (query: string): RegExp | null => {
  const words = query.split(/\s+/).filter(Boolean);
  if (words.length === 0) return null;
  return new RegExp(words.map((word) => word.replaceAll(special, String.raw`\$&`)).join("|"), "giu");
};

/** Matches the whole query, ignoring case; any white space matches any other. Null for an empty query. */
export function toPhrasePattern(query: string): RegExp | null {
  const words = query.split(/\s+/).filter(Boolean);
  if (words.length === 0) return null;
  return new RegExp(words.map((word) => word.replaceAll(special, String.raw`\$&`)).join(String.raw`\s+`), "giu");
}

/** Where the words of a query occur in a text, ignoring case; the first 500 hits. */
export function findWords(text: string, query: string): readonly Range[] {
  const pattern = toPattern(query);
  if (!pattern) return [];
  const hits: Range[] = [];
  for (const { index, 0: word } of text.matchAll(pattern)) {
    if (hits.push([index, index + word.length]) >= maxHits) break;
  }
  return hits;
}

/** Splits a text at its marks. Overlapping marks are merged piecewise; parts outside the text are ignored. */
export function splitMarks(text: string, marks: readonly Range[]): readonly Piece[] {
  const pieces: Piece[] = [];
  let at = 0;
  for (const [start, end] of marks.toSorted((a, b) => a[0] - b[0])) {
    const from = Math.max(start, at);
    const to = Math.min(end, text.length);
    if (from >= to) continue;
    if (from > at) pieces.push({ text: text.slice(at, from), isMarked: false });
    pieces.push({ text: text.slice(from, to), isMarked: true });
    at = to;
  }
  if (at < text.length) pieces.push({ text: text.slice(at), isMarked: false });
  return pieces;
}

/** The text from shortly before its first hit, so that the hit is visible in an excerpt. */
export function beginAtHit(text: string, query: string, before = 30): string {
  const at = toPattern(query)?.exec(text)?.index ?? 0;
  if (at <= before) return text;
  const space = text.indexOf(" ", at - before);
  return `…${text.slice(space >= 0 && space < at ? space + 1 : at - before)}`;
}

export const countHits = (text: string, query: string): number => findWords(text, query).length;
