import { createBoundedProcess } from "../../lib/bounded-process.ts";
import type { Page, Source } from "./extract/page.ts";
import type { ReaderAnswer, ReaderQuestion } from "./extract/reader-process.ts";
import { judgePage, type PageRelevance } from "./relevance.ts";

/**
 * Extracts the main content of a fetched page as Markdown, with its title, author, date and URL. Pages are hostile: invisible
 * text is dropped, and a separate process does the work and is killed if it takes too much time or memory. Never uses the
 * network. Rejects with `LimitExceeded` or the parser's error.
 */
export type { Page } from "./extract/page.ts";

const reader = createBoundedProcess<ReaderQuestion, ReaderAnswer>({
  file: new URL("./extract/reader-process.ts", import.meta.url),
  timeoutMs: 8_000,
});

const nothing = new Uint8Array(0);

/** Sends the bytes only for a PDF, otherwise the decoded text. */
export const extract = async ({ body, text, type, url }: Source): Promise<Page> =>
  (await reader.request({ body: text === "" ? body : nothing, text, type, url })) as Page;

/** Texts up to this length are searched in this process. */
const SHORT_CHARACTERS = 50_000;

/** Rates a page by its best passage. Returns undefined if searching a long page exceeds the limits. */
export async function judge(title: string, text: string, question: string): Promise<PageRelevance | undefined> {
  if (text.length <= SHORT_CHARACTERS || question.trim() === "") return judgePage(title, text, question);
  return reader.request({ title, text, question }).then(
    (judged) => judged as PageRelevance,
    () => undefined,
  );
}
