import type { Page, Source } from "./extract/page.ts";
import { createReader } from "./extract/reader.ts";

/**
 * Reads a page that was fetched: its main content as Markdown, its title, author, date and address. A page is hostile: text
 * that a person would not see is left out, and reading is done in a thread of its own that is ended when it takes too long.
 * Never touches the network. Rejects with what went wrong, in words for the person.
 */
export type { Page } from "./extract/page.ts";
export { createReader } from "./extract/reader.ts";

const reader = createReader();

export const extract = (source: Source): Promise<Page> => reader.read(source);
