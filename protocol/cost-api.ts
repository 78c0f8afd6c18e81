import { z } from "zod";
import { ClientId } from "./ids.ts";
import { Budget, costGroups, CostRow } from "./cost.ts";

const none = z.object({});
const Moment = z.coerce.number().int().min(0).max(8_640_000_000_000_000).optional();
const budgets = { status: 200, response: z.object({ budgets: z.array(Budget) }) } as const;

export const costApi = {
  getCosts: {
    summary: "Costs of your model calls and paid searches, by day (UTC), model, thread or purpose",
    params: none,
    query: z.object({
      by: z.enum(costGroups).default("day"),
      /** Milliseconds since 1970; `from` is inclusive, `to` exclusive; defaults to the last 30 days. */
      from: Moment,
      to: Moment,
      /** Only this thread. */
      threadId: ClientId.optional(),
    }),
    body: null,
    status: 200,
    response: z.object({ from: z.number(), to: z.number(), rows: z.array(CostRow), total: CostRow }),
  },
  getBudgets: {
    summary: "Your budgets and the amounts spent; the thread budget is for the given thread",
    params: none,
    query: z.object({ threadId: ClientId.optional() }),
    body: null,
    ...budgets,
  },
  setBudget: {
    summary: "Set a limit in US dollars per day, per month or per thread; null removes it",
    params: none,
    query: none,
    body: z
      .object({
        id: ClientId,
        scope: z.enum(["day", "month", "thread"]),
        limitUsd: z.number().positive().max(1_000_000).nullable(),
      })
      .strict(),
    ...budgets,
  },
} as const;
