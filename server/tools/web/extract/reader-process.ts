import { serveParent } from "../../../lib/bounded-process-child.ts";
import { judgePage, type PageRelevance } from "../relevance.ts";
import type { Page, Source } from "./page.ts";
import { readPage, toMemory } from "./read-page.ts";

/** A page to extract, or a text to search for the passage that answers a question. */
export type ReaderQuestion = Source | { readonly title: string; readonly text: string; readonly question: string };
export type ReaderAnswer = Page | PageRelevance | undefined;

/** Extracts pages for the server. A hostile page can only harm this process. */
serveParent<ReaderQuestion, ReaderAnswer>({
  handle: (asked) => ("question" in asked ? judgePage(asked.title, asked.text, asked.question) : readPage(asked)),
  maxBytes: (asked) => toMemory(asked.text.length + ("body" in asked ? asked.body.length : 0)),
});
