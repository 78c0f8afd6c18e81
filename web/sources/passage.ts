/** What of a kept text is meant. */
export type Passage = { readonly span?: readonly [number, number]; readonly quote?: string };

export type Cut = { readonly before: string; readonly marked: string; readonly after: string };

/** The text around its passage; null when it is not there, or none is meant. */
export function cutPassage(text: string, passage: Passage | null): Cut | null {
  const span = passage && (toSpan(text, passage) ?? findQuote(text, passage.quote ?? ""));
  if (!span) return null;
  const [start, end] = span;
  return { before: text.slice(0, start), marked: text.slice(start, end), after: text.slice(end) };
}

function toSpan(text: string, { span }: Passage): readonly [number, number] | null {
  return span && span[0] < span[1] && span[1] <= text.length ? span : null;
}

/** A quotation stands where its words stand in a row, whatever white space is between them. */
function findQuote(text: string, quote: string): readonly [number, number] | null {
  const words = quote.split(/\s+/).filter((word) => word !== "");
  if (words.length === 0) return null;
  const pattern = words.map((word) => word.replace(/[.*+?^${}()|[\]\\]/g, "\\$&")).join("\\s+");
  const match = new RegExp(pattern, "iu").exec(text);
  return match ? [match.index, match.index + match[0].length] : null;
}
