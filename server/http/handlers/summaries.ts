import type { Summaries } from "../../summary/summary.ts";
import type { Threads } from "../../thread/threads.ts";
import type { Handlers } from "../route-types.ts";

type SummaryRoute = "listSummaries" | "getSummary" | "summarize" | "editSummary" | "undoSummary";

/** Every id is authorized through the thread it belongs to. */
export const createSummaryHandlers = (
  threads: Pick<Threads, "get">,
  summaries: Summaries,
): Pick<Handlers, SummaryRoute> => ({
  listSummaries: async ({ principal, params, query }) =>
    summaries.list(await threads.get(principal, params.threadId), query.limit),
  getSummary: async ({ principal, params }) => {
    await threads.get(principal, params.threadId);
    return { summary: await summaries.get(params) };
  },
  summarize: async ({ principal, params, body }) => ({
    // Its cost counts for the user who asks for it.
    summary: await summaries.summarizeNow(
      { ...(await threads.get(principal, params.threadId, "change")), owner: principal.userId },
      body,
    ),
  }),
  editSummary: async ({ principal, params, body }) => {
    await threads.get(principal, params.threadId, "change");
    return { summary: await summaries.edit({ ...params, id: body.id }, body.fields) };
  },
  undoSummary: async ({ principal, params, body }) => {
    await threads.get(principal, params.threadId, "change");
    return { summary: await summaries.undo({ ...params, id: body.id }) };
  },
});
