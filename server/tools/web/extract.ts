import { createBoundedProcess } from "../../lib/process/bounded-process.ts";
import type { Page, Source } from "./extract/page.ts";

/**
 * Reads a page that was fetched: its main content as Markdown, its title, author, date and address. A page is hostile: text
 * that a person would not see is left out, and reading is done in a process of its own that is killed when it takes too much
 * time or memory. Never touches the network. Rejects with an `OutOfBounds`, or with what went wrong.
 */
export type { Page } from "./extract/page.ts";

const reader = createBoundedProcess<Source, Page>({
  file: new URL("./extract/reader-process.ts", import.meta.url),
  timeoutMs: 8_000,
});

const nothing = new Uint8Array(0);

/** Only a PDF is read from its bytes; of other pages the text is sent. */
export const extract = ({ body, text, type, url }: Source): Promise<Page> =>
  reader.ask({ body: text === "" ? body : nothing, text, type, url });
