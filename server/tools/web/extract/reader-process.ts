import { serveParent } from "../../../lib/bounded-process-child.ts";
import { judgePage, type Judged } from "../relevance.ts";
import type { Page, Source } from "./page.ts";
import { readPage, toMemory } from "./read-page.ts";

/** A page to be read, or the text of one to be searched for what answers a question. */
export type ReaderQuestion = Source | { readonly title: string; readonly text: string; readonly question: string };
export type ReaderAnswer = Page | Judged | undefined;

/** Reads pages for the server. A page is hostile: whatever it does, it does to this process only. */
serveParent<ReaderQuestion, ReaderAnswer>({
  handle: (asked) => ("question" in asked ? judgePage(asked.title, asked.text, asked.question) : readPage(asked)),
  maxBytes: (asked) => toMemory(asked.text.length + ("body" in asked ? asked.body.length : 0)),
});
