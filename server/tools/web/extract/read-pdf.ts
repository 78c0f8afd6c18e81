import { getDocumentProxy } from "unpdf";
import { cleanText, stripInvisible } from "./text.ts";
import { unknownMetadata, type Page } from "./page.ts";

const maxPages = 500;

/** The text of a PDF in document order, split into paragraphs. Scanned images have no text. */
export async function readPdf(body: Uint8Array): Promise<Page> {
  // The library takes ownership of the bytes.
  const document = await getDocumentProxy(new Uint8Array(body), { verbosity: 0 });
  const pages: string[] = [];
  for (let number = 1; number <= Math.min(document.numPages, maxPages); number += 1) {
    const { items } = await (await document.getPage(number)).getTextContent();
    pages.push(toParagraphs(items.flatMap((item) => ("str" in item ? [item] : []))));
  }
  const { info } = await document.getMetadata();
  await document.loadingTask.destroy();
  return {
    ...unknownMetadata,
    ...toMetadata(info),
    markdown: pages.filter((page) => page !== "").join("\n\n"),
    kind: "pdf",
  };
}

type Piece = {
  readonly str: string;
  readonly hasEOL: boolean;
  readonly height: number;
  readonly transform: readonly unknown[];
};

/** A larger gap between lines starts a new paragraph; a word hyphenated at the end of a line is joined. */
function toParagraphs(pieces: readonly Piece[]): string {
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
        .replace(/\s+/g, " ")
        .trim(),
    )
    .filter((paragraph) => paragraph !== "")
    .join("\n\n");
}

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
