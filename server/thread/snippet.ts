import { toTerms } from "../rank/terms.ts";
import { stripMarks } from "./title.ts";

const BEFORE = 40;
const LENGTH = 160;
/** Beyond this a text is only found, not shown at its hit. */
const SEARCHED = 50_000;

export type Snippet = { readonly snippet: string; readonly marks: [number, number][] };

/** The stretch of text around the first hit, letter for letter, and where the hits stand in it. */
export const toSnippet = (text: string, terms: readonly string[]): Snippet => cut(text, terms, (raw) => raw);

/** The same of what is drawn elsewhere: the words, without the marks of Markdown. */
export const toProseSnippet = (text: string, terms: readonly string[]): Snippet => cut(text, terms, stripMarks);

function cut(text: string, terms: readonly string[], clean: (raw: string) => string): Snippet {
  const [first] = listHits(text.slice(0, SEARCHED), terms).next().value ?? [0];
  const start = first <= BEFORE ? 0 : toBoundary(text, first - BEFORE);
  const end = Math.min(text.length, start + LENGTH);
  const words = clean(text.slice(start, end)).replace(/\s+/gu, " ").trim().toWellFormed();
  const snippet = (start > 0 ? "…" : "") + words + (end < text.length ? "…" : "");
  return { snippet, marks: [...listHits(snippet, terms)] };
}

/** Only as far as they are asked for: most texts are looked at for their first hit. */
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
