import { toTerms } from "../rank/terms.ts";
import { stripMarkdown } from "./title.ts";

const BEFORE = 40;
const LENGTH = 160;
/** Hits after this position are not located: the snippet then shows the beginning. */
const SEARCHED = 50_000;

export type Snippet = { readonly snippet: string; readonly marks: [number, number][] };

/** The text around the first hit, verbatim, with the positions of the hits in it. */
export const toSnippet = (text: string, terms: readonly string[]): Snippet => cut(text, terms, (raw) => raw);

/** The same for Markdown text, with the syntax removed. */
export const toProseSnippet = (text: string, terms: readonly string[]): Snippet => cut(text, terms, stripMarkdown);

function cut(text: string, terms: readonly string[], clean: (raw: string) => string): Snippet {
  const [first] = listHits(text.slice(0, SEARCHED), terms).next().value ?? [0];
  const start = first <= BEFORE ? 0 : toBoundary(text, first - BEFORE);
  const end = Math.min(text.length, start + LENGTH);
  const words = clean(text.slice(start, end)).replace(/\s+/gu, " ").trim().toWellFormed();
  const snippet = (start > 0 ? "…" : "") + words + (end < text.length ? "…" : "");
  return { snippet, marks: [...listHits(snippet, terms)] };
}

/** Lazy, because most callers need only the first hit. */
function* listHits(text: string, terms: readonly string[]): Generator<[number, number], void> {
  const last = terms.at(-1) ?? "";
  for (const match of text.matchAll(/[\p{L}\p{M}\p{N}]+/gu)) {
    const found = toTerms(match[0]).some((term) => terms.includes(term) || (last !== "" && term.startsWith(last)));
    if (found) yield [match.index, match.index + match[0].length];
  }
}

const toBoundary = (text: string, at: number): number => {
  const space = text.indexOf(" ", at);
  return space >= 0 && space - at < BEFORE ? space + 1 : at;
};
