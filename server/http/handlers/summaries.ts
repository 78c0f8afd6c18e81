import type { Summaries } from "../../summary/summary.ts";
import type { Threads } from "../../thread/threads.ts";
import type { Handlers } from "../route-types.ts";

type SummaryRoute = "listSummaries" | "summarize" | "editSummary" | "undoSummary";

/** Every id is authorised through the thread it belongs to. */
export const createSummaryHandlers = (
  threads: Pick<Threads, "get">,
  summaries: Summaries,
): Pick<Handlers, SummaryRoute> => ({
  listSummaries: async ({ principal, params, query }) =>
    summaries.list(await threads.get(principal, params.threadId), query.limit),
  summarize: async ({ principal, params, body }) => ({
    summary: await summaries.summarizeNow(await threads.get(principal, params.threadId), body),
  }),
  editSummary: async ({ principal, params, body }) => {
    await threads.get(principal, params.threadId);
    return { summary: await summaries.edit({ ...params, id: body.id }, body.fields) };
  },
  undoSummary: async ({ principal, params, body }) => {
    await threads.get(principal, params.threadId);
    return { summary: await summaries.undo({ ...params, id: body.id }) };
  },
});
