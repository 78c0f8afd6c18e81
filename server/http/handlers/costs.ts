import type { Costs } from "../../cost/cost.ts";
import type { Threads } from "../../thread/threads.ts";
import type { Handlers } from "../route-types.ts";

type CostRoute = "getCosts" | "getBudgets" | "setBudget";

/** Everyone's own; a thread that is named has to be theirs. */
export const createCostHandlers = (costs: Costs, threads: Threads): Pick<Handlers, CostRoute> => ({
  getCosts: async ({ principal, query }) => {
    if (query.threadId !== undefined) await threads.get(principal, query.threadId);
    return costs.costs(principal.userId, query);
  },
  getBudgets: async ({ principal, query }) => {
    const thread = query.threadId === undefined ? undefined : await threads.get(principal, query.threadId);
    return { budgets: await costs.budgets(principal.userId, thread?.id ?? null) };
  },
  setBudget: async ({ principal, body }) => ({ budgets: await costs.setBudget(principal.userId, body) }),
});
