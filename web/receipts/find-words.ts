/** A text in pieces, those that were sought marked. */
export type Piece = { readonly text: string; readonly isHit: boolean };

const most = 500;
const special = /[.*+?^${}()|[\]\\]/g;

const toPattern = (query: string): RegExp | null => {
  const words = query.split(/\s+/).filter(Boolean);
  if (words.length === 0) return null;
  return new RegExp(words.map((word) => word.replaceAll(special, String.raw`\$&`)).join("|"), "giu");
};

/** Every place of every word, so many at most. */
export function splitByWords(text: string, query: string): readonly Piece[] {
  const pattern = toPattern(query);
  if (!pattern) return [{ text, isHit: false }];
  const pieces: Piece[] = [];
  let from = 0;
  for (const match of text.matchAll(pattern)) {
    if (pieces.length >= most * 2) break;
    if (match.index > from) pieces.push({ text: text.slice(from, match.index), isHit: false });
    pieces.push({ text: match[0], isHit: true });
    from = match.index + match[0].length;
  }
  if (from < text.length) pieces.push({ text: text.slice(from), isHit: false });
  return pieces;
}

/** The text from a little before the first place on, so that what was sought is in view. */
export function beginAtHit(text: string, query: string, before = 30): string {
  const at = toPattern(query)?.exec(text)?.index ?? 0;
  if (at <= before) return text;
  const space = text.indexOf(" ", at - before);
  return `…${text.slice(space >= 0 && space < at ? space + 1 : at - before)}`;
}

export function countHits(text: string, query: string): number {
  const pattern = toPattern(query);
  return pattern ? Math.min(most, [...text.matchAll(pattern)].length) : 0;
}
