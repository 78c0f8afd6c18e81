import { Parser } from "htmlparser2";
import { z } from "zod";
import { SearchFault, type SearchResult } from "./provider.ts";

/** Reads the fields of a provider's row; undefined if the row is unusable. */
type ReadRow<Row> = (row: Row) => {
  readonly title: unknown;
  readonly url: unknown;
  readonly snippet: unknown;
  readonly date?: unknown;
};

const MAX_URL_LENGTH = 2000;
const MAX_TITLE_LENGTH = 300;
const MAX_SNIPPET_LENGTH = 800;
const MAX_DATE_LENGTH = 40;

export const Rows = z.array(z.unknown());

/** Skips rows without a valid URL and duplicates. Throws if no row of a non-empty list is usable. */
export function toSearchResults(
  rows: readonly unknown[],
  read: ReadRow<Readonly<Record<string, unknown>>>,
): readonly SearchResult[] {
  const byUrl = new Map<string, SearchResult>();
  for (const row of rows) {
    const found =
      typeof row === "object" && row !== null
        ? toSearchResult(read(row as Readonly<Record<string, unknown>>))
        : undefined;
    if (found && !byUrl.has(found.url)) byUrl.set(found.url, found);
  }
  if (rows.length > 0 && byUrl.size === 0)
    throw new SearchFault("unreadable", "It returned results that do not match its documentation.");
  return [...byUrl.values()];
}

function toSearchResult({ title, url, snippet, date }: ReturnType<ReadRow<never>>): SearchResult | undefined {
  const address = typeof url === "string" ? toAddress(url) : undefined;
  if (address === undefined) return undefined;
  const dated = toLine(date, MAX_DATE_LENGTH);
  return {
    title: toLine(title, MAX_TITLE_LENGTH) || address,
    url: address,
    snippet: toLine(snippet, MAX_SNIPPET_LENGTH),
    ...(dated === "" ? {} : { date: dated }),
  };
}

function toAddress(text: string): string | undefined {
  if (text.length > MAX_URL_LENGTH || !URL.canParse(text)) return undefined;
  const url = new URL(text);
  if (!/^https?:$/.test(url.protocol) || url.username !== "" || url.password !== "") return undefined;
  url.hash = "";
  return url.href;
}

function toLine(value: unknown, longest: number): string {
  if (typeof value !== "string") return "";
  const line = value
    .slice(0, longest * 4)
    .replace(/[\s\p{Cc}]+/gu, " ")
    .trim();
  return (line.length > longest ? `${line.slice(0, longest - 1)}…` : line).toWellFormed();
}

/** Removes the tags and entities that some providers leave in their text. */
export function stripHtml(html: unknown): string {
  if (typeof html !== "string") return "";
  let text = "";
  const parser = new Parser({ ontext: (piece) => (text += piece) }, { decodeEntities: true });
  parser.end(html);
  return text;
}
