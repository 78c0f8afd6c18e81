import { z } from "zod";
import { ClientId } from "../ids.ts";
import { Text } from "../text.ts";
import { SummaryView } from "./summary.ts";

const Id = ClientId;
const Line = Text.max(1_000).min(1);
const Lines = z.array(Line).max(50);

/** Fields that the user can edit. */
const EditedFields = z
  .object({
    overview: Text.max(4_000).min(1),
    keyPoints: Lines,
    decisions: Lines,
    actionItems: z.array(z.object({ text: Line, context: Text.max(1_000) }).strict()).max(50),
    openQuestions: Lines,
    toolResults: z
      .array(
        z.object({ toolName: Text.max(200), summary: Line, importance: z.enum(["high", "medium", "low"]) }).strict(),
      )
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
    summary: "Summaries of the active path, newest first, and the amount not yet summarized",
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
    summary: "Summarize the messages since the last summary, in the background. The stream reports when it is done",
    params: thread,
    query: none,
    body: act,
    status: 202,
    response: one,
  },
  getSummary: {
    summary: "A summary by its id, also one that was merged or belongs to another branch",
    params: summary,
    query: none,
    body: null,
    status: 200,
    response: one,
  },
  editSummary: {
    summary: "Edit a summary. Earlier versions are stored",
    params: summary,
    query: none,
    body: z.object({ id: Id, fields: EditedFields }).strict(),
    status: 200,
    response: one,
  },
  undoSummary: {
    summary: "Undo your last edit of a summary",
    params: summary,
    query: none,
    body: act,
    status: 200,
    response: one,
  },
} as const;
