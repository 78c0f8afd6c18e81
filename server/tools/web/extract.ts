import { createBoundedProcess } from "../../lib/bounded-process.ts";
import type { Page, Source } from "./extract/page.ts";
import type { ReaderAnswer, ReaderQuestion } from "./extract/reader-process.ts";
import { judgePage, type Judged } from "./relevance.ts";

/**
 * Reads a page that was fetched: its main content as Markdown, its title, author, date and address. A page is hostile: text
 * that a person would not see is left out, and reading is done in a process of its own that is killed when it takes too much
 * time or memory. Never touches the network. Rejects with `LimitExceeded`, or with what went wrong.
 */
export type { Page } from "./extract/page.ts";

const reader = createBoundedProcess<ReaderQuestion, ReaderAnswer>({
  file: new URL("./extract/reader-process.ts", import.meta.url),
  timeoutMs: 8_000,
});

const nothing = new Uint8Array(0);

/** Only a PDF is read from its bytes; of other pages the text is sent. */
export const extract = async ({ body, text, type, url }: Source): Promise<Page> =>
  (await reader.request({ body: text === "" ? body : nothing, text, type, url })) as Page;

/** Up to this length a text is searched right here. */
const SHORT_CHARACTERS = 50_000;

/** How relevant a page is, by its best passage. A long one that takes too much to search is not judged. */
export async function judge(title: string, text: string, question: string): Promise<Judged | undefined> {
  if (text.length <= SHORT_CHARACTERS || question.trim() === "") return judgePage(title, text, question);
  return reader.request({ title, text, question }).then(
    (judged) => judged as Judged,
    () => undefined,
  );
}
