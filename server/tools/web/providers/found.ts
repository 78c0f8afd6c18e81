import { Parser } from "htmlparser2";
import { z } from "zod";
import { SearchFault, type Found } from "./provider.ts";

/** A row of a provider's list in our words; `undefined` when it has no use. */
export type ToFound<Row> = (row: Row) => {
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

/** Rows without an address that can be opened are left out, and so are repeated ones. A list of nothing else is unreadable. */
export function toFound(rows: readonly unknown[], read: ToFound<Readonly<Record<string, unknown>>>): readonly Found[] {
  const byUrl = new Map<string, Found>();
  for (const row of rows) {
    const found =
      typeof row === "object" && row !== null ? toOne(read(row as Readonly<Record<string, unknown>>)) : undefined;
    if (found && !byUrl.has(found.url)) byUrl.set(found.url, found);
  }
  if (rows.length > 0 && byUrl.size === 0)
    throw new SearchFault("unreadable", "It answered with results of another shape than documented.");
  return [...byUrl.values()];
}

function toOne({ title, url, snippet, date }: ReturnType<ToFound<never>>): Found | undefined {
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

/** Text in which some providers leave marks and entities. */
export function toPlain(html: unknown): string {
  if (typeof html !== "string") return "";
  let text = "";
  const parser = new Parser({ ontext: (piece) => (text += piece) }, { decodeEntities: true });
  parser.end(html);
  return text;
}
