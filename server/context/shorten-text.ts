const sentenceEnd = /[.!?…]["'”’»)\]]*\s|[。！？]["'”’»」』）]*|\n/gu;
/** Share of the kept characters that goes to the beginning. */
const BEGINNING = 0.7;
/** Below this limit only the beginning is kept. */
const BOTH_ENDS = 400;
/** Share of a piece that is searched for a boundary. */
const SEARCHED = 0.4;

/** Shortens a text to about `characters`: its beginning and end, at sentence boundaries where possible. */
export function shortenText(text: string, characters: number): string {
  if (text.length <= characters) return text;
  if (characters < BOTH_ENDS) {
    const head = text.slice(0, endOfHead(text, characters));
    return `${head.trimEnd()}… (+${text.length - head.length} characters)`.toWellFormed();
  }
  const head = endOfHead(text, Math.floor(characters * BEGINNING));
  const tail = startOfTail(text, Math.max(head, text.length - Math.floor(characters * (1 - BEGINNING))));
  return `${text.slice(0, head).trimEnd()}\n[… ${tail - head} characters left out …]\n${text.slice(tail)}`.toWellFormed();
}

function endOfHead(text: string, most: number): number {
  const from = Math.floor(most * (1 - SEARCHED));
  const piece = text.slice(from, most);
  let end = 0;
  for (const { index, 0: mark } of piece.matchAll(sentenceEnd)) end = from + index + mark.length;
  if (end > 0) return end;
  const space = piece.lastIndexOf(" ");
  return space > 0 ? from + space + 1 : toWhole(text, most);
}

function startOfTail(text: string, least: number): number {
  const piece = text.slice(least, least + Math.floor((text.length - least) * SEARCHED));
  const first = piece.matchAll(sentenceEnd).next().value;
  if (first) return least + first.index + first[0].length;
  const space = piece.indexOf(" ");
  return space >= 0 ? least + space + 1 : toWhole(text, least);
}

/** Avoids splitting a surrogate pair. */
const toWhole = (text: string, at: number): number => {
  const code = text.charCodeAt(at);
  return code >= 0xdc00 && code <= 0xdfff && at > 0 ? at - 1 : at;
};

/** Fallback: the longest beginning that fits. */
export function cutToTokens(text: string, tokens: number, count: (text: string) => number): string {
  let characters = Math.min(text.length, tokens * 6);
  for (;;) {
    const piece = text.slice(0, toWhole(text, characters));
    const used = piece === "" ? 0 : count(piece);
    if (used <= tokens) return piece;
    characters = Math.min(characters - 1, Math.floor((characters * tokens) / used));
  }
}
