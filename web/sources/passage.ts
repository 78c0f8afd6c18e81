/** The cited part of an artifact. */
export type Passage = { readonly span?: readonly [number, number]; readonly quote?: string };

export type Cut = { readonly before: string; readonly marked: string; readonly after: string };

/** The text split around its passage; null if there is none or it is not found. */
export function cutPassage(text: string, passage: Passage | null): Cut | null {
  const span = passage && (toSpan(text, passage) ?? findQuote(text, passage.quote ?? ""));
  if (!span) return null;
  const [start, end] = span;
  return { before: text.slice(0, start), marked: text.slice(start, end), after: text.slice(end) };
}

function toSpan(text: string, { span }: Passage): readonly [number, number] | null {
  return span && span[0] < span[1] && span[1] <= text.length ? span : null;
}

/** Finds a quotation by its words, ignoring differences in white space. */
function findQuote(text: string, quote: string): readonly [number, number] | null {
  const words = quote.split(/\s+/).filter((word) => word !== "");
  if (words.length === 0) return null;
  const pattern = words.map((word) => word.replace(/[.*+?^${}()|[\]\\]/g, "\\$&")).join("\\s+");
  const match = new RegExp(pattern, "iu").exec(text);
  return match ? [match.index, match.index + match[0].length] : null;
}
