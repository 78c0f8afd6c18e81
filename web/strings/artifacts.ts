import { define } from "./language.ts";
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
});
