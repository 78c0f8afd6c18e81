import { z } from "zod";
import { ClientId } from "../ids.ts";
import { SummaryView } from "./summary.ts";

const Id = ClientId;
const Text = (most: number) =>
  z
    .string()
    .max(most)
    .refine((text) => text.isWellFormed() && !text.includes("\u0000"), "the text is not valid Unicode or holds a NUL");
const Said = Text(1_000).min(1);
const Lines = z.array(Said).max(50);

/** What a person may put in a summary's place. */
const EditedFields = z
  .object({
    overview: Text(4_000).min(1),
    keyPoints: Lines,
    decisions: Lines,
    actionItems: z.array(z.object({ text: Said, context: Text(1_000) }).strict()).max(50),
    openQuestions: Lines,
    toolResults: z
      .array(z.object({ toolName: Text(200), summary: Said, importance: z.enum(["high", "medium", "low"]) }).strict())
      .max(50),
  })
  .strict();

const thread = z.object({ threadId: Id });
const summary = z.object({ threadId: Id, summaryId: Id });
const act = z.object({ id: Id }).strict();
const none = z.object({});
const one = z.object({ summary: SummaryView });

export const summaryApi = {
  listSummaries: {
    summary: "Summaries of the active path, newest first, and what has come since the last one",
    params: thread,
    query: z.object({ limit: z.coerce.number().int().min(1).max(200).default(50) }),
    body: null,
    status: 200,
    response: z.object({
      summaries: z.array(SummaryView),
      since: z.object({ messages: z.number(), tokens: z.number(), leastMessages: z.number() }),
    }),
  },
  summarize: {
    summary: "Sum up what has come since the last summary. It is made in the background; the stream tells when",
    params: thread,
    query: none,
    body: act,
    status: 202,
    response: one,
  },
  editSummary: {
    summary: "Put your own words in a summary's place; what stood before is kept",
    params: summary,
    query: none,
    body: z.object({ id: Id, fields: EditedFields }).strict(),
    status: 200,
    response: one,
  },
  undoSummary: {
    summary: "Take back your newest edit of a summary",
    params: summary,
    query: none,
    body: act,
    status: 200,
    response: one,
  },
} as const;
