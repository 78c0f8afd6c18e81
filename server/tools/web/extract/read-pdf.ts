import { getDocumentProxy } from "unpdf";
import { splitTables, type PlacedText } from "./pdf-tables.ts";
import { cleanText, stripInvisible } from "./text.ts";
import { unknownMetadata, type Page } from "./page.ts";

const maxPages = 500;

/** The text of a PDF in document order, split into paragraphs and tables. Scanned images have no text. */
export async function readPdf(body: Uint8Array): Promise<Page> {
  const { pages, info } = await readPdfPages(body);
  return {
    ...unknownMetadata,
    ...toMetadata(info),
    markdown: pages.filter((page) => page !== "").join("\n\n"),
    kind: "pdf",
  };
}

type PdfPages = { readonly pages: readonly string[]; readonly pageCount: number; readonly info: unknown };

/** One text for each page, up to a limit of pages. */
export async function readPdfPages(body: Uint8Array): Promise<PdfPages> {
  // The library takes ownership of the bytes.
  const document = await getDocumentProxy(new Uint8Array(body), { verbosity: 0 });
  const pages: string[] = [];
  for (let number = 1; number <= Math.min(document.numPages, maxPages); number += 1) {
    const { items } = await (await document.getPage(number)).getTextContent();
    pages.push(toMarkdown(items.flatMap((item) => ("str" in item ? [item] : []))));
  }
  const { info } = await document.getMetadata();
  const pageCount = document.numPages;
  await document.loadingTask.destroy();
  return { pages, pageCount, info };
}

/** Tables are found by their lines; the text between them is split into paragraphs. */
const toMarkdown = (pieces: readonly PlacedText[]): string =>
  splitTables(pieces)
    .map((block) => ("rows" in block ? toTable(block.rows) : toParagraphs(block.pieces)))
    .filter((text) => text !== "")
    .join("\n\n");

const toTable = (rows: readonly (readonly string[])[]): string => {
  const lines = rows.map((row) => `| ${row.map((cell) => stripInvisible(cell).replaceAll("|", "\\|")).join(" | ")} |`);
  return [lines[0], `|${" --- |".repeat(rows[0]?.length ?? 0)}`, ...lines.slice(1)].join("\n");
};

/** A larger gap between lines starts a new paragraph; a word hyphenated at the end of a line is joined. */
function toParagraphs(pieces: readonly PlacedText[]): string {
  let text = "";
  let last: number | undefined;
  for (const { str, hasEOL, height, transform } of pieces) {
    const y = Number(transform[5]);
    if (str !== "" && last !== undefined && Math.abs(last - y) > Math.max(1, height) * 1.8) text += "\n";
    if (str !== "") last = y;
    text += hasEOL ? `${str}\n` : str;
  }
  return stripInvisible(text)
    .split(/\n{2,}/)
    .map((paragraph) =>
      paragraph
        .replace(/(\p{Ll})-\n(\p{Ll})/gu, "$1$2")
        .split(LIST_ITEM)
        .map((line) => line.replace(/\s+/g, " ").trim())
        .join("\n")
        .trim(),
    )
    .filter((paragraph) => paragraph !== "")
    .join("\n\n");
}

/** Before a bullet or a number at the start of a line. */
const LIST_ITEM = /\n(?=[•◦▪‣–] ?\S|\d{1,3}[.)] )/;

function toMetadata(info: unknown): Pick<Page, "title" | "author" | "date" | "lang"> {
  const given = typeof info === "object" && info !== null ? (info as Readonly<Record<string, unknown>>) : {};
  const text = (name: string): string | null => {
    const value = given[name];
    return (typeof value === "string" ? cleanText(value) : "") || null;
  };
  const day = /^D:(\d{4})(\d{2})(\d{2})/.exec(text("CreationDate") ?? "");
  return {
    title: text("Title"),
    author: text("Author"),
    date: day === null ? null : day.slice(1).join("-"),
    lang: text("Language"),
  };
}
