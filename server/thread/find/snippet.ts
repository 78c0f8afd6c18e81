import { toTerms } from "../../rank/terms.ts";

const BEFORE = 40;
const LENGTH = 160;
/** Beyond this a text is only found, not shown at its hit. */
const SEARCHED = 50_000;

export type Snippet = { readonly snippet: string; readonly marks: [number, number][] };

/** The stretch of text around the first hit, and where the hits stand in it. */
export function toSnippet(text: string, terms: readonly string[]): Snippet {
  const hits = findHits(text.slice(0, SEARCHED), terms);
  const first = hits[0]?.[0] ?? 0;
  const start = first <= BEFORE ? 0 : toBoundary(text, first - BEFORE);
  const end = Math.min(text.length, start + LENGTH);
  const lead = start > 0 ? "…" : "";
  const snippet = lead + text.slice(start, end).replace(/\s/gu, " ").toWellFormed() + (end < text.length ? "…" : "");
  const marks = hits
    .filter(([from, to]) => from >= start && to <= end)
    .map(([from, to]): [number, number] => [from - start + lead.length, to - start + lead.length]);
  return { snippet, marks };
}

function findHits(text: string, terms: readonly string[]): [number, number][] {
  const last = terms.at(-1) ?? "";
  const hits: [number, number][] = [];
  for (const match of text.matchAll(/[\p{L}\p{M}\p{N}]+/gu)) {
    const found = toTerms(match[0]).some((term) => terms.includes(term) || (last !== "" && term.startsWith(last)));
    if (found) hits.push([match.index, match.index + match[0].length]);
  }
  return hits;
}

const toBoundary = (text: string, at: number): number => {
  const space = text.indexOf(" ", at);
  return space >= 0 && space - at < BEFORE ? space + 1 : at;
};
