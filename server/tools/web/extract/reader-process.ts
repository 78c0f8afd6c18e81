import { answerParent } from "../../../lib/process/answer-parent.ts";
import type { Page, Source } from "./page.ts";
import { readPage, toMemory } from "./read-page.ts";

/** Reads pages for the server. A page is hostile: whatever it does, it does to this process only. */
answerParent<Source, Page>({ answer: readPage, mostBytes: ({ body, text }) => toMemory(body.length + text.length) });
