import { define } from "./language.ts";
import { plural } from "./plural.ts";

/** A stored source or tool result, next to its thread. */
export const artifacts = define("artifacts", {
  title: "Saved copy",
  untitled: (ref: number) => `Source ${ref}`,
  text: "Text of the saved copy",
  missing: "No copy of this source was saved.",
  quoteNotFound: "This quote was not found in the saved copy:",
  passageNotFound: "No passage in the saved copy supports this statement.",
  showMore: (characters: string) => `Show ${characters} more characters`,
  newTab: "opens in a new tab",
  saved: (date: string) => `Saved ${date}`,
  hash: (hash: string) => `SHA-256 of the text: ${hash}`,
  copyHash: "Copy the SHA-256 hash",
  /** An attached file. */
  file: {
    view: "View",
    views: { pages: "Pages", document: "Document", table: "Table", lines: "Lines", text: "Text" },
    content: "Content of the file",
    download: "Download original",
    pages: (count: number) => plural(count, "page"),
    page: (page: number) => `Page ${page}`,
    pageFailed: "This page cannot be shown.",
    share: (percent: number) =>
      `The message included about ${percent}% of this text. The model finds the rest by search and can read it in parts.`,
    showAll: "Show all",
    moreRows: (count: string) => `Show more of ${count} other rows`,
    moreLines: (count: string) => `Show more of ${count} other lines`,
  },
});
