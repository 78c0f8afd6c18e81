import type { Query, Body } from "../../protocol/api.ts";
import { say, sentence } from "../../protocol/sentences.ts";
import type { Budget, CostRow } from "../../protocol/cost.ts";
import { ApiError } from "../../protocol/errors.ts";
import { findThreadAccess } from "../auth/access.ts";
import { noUsage } from "../../protocol/run.ts";
import { DAY_MS, type Clock } from "../lib/clock.ts";
import type { Log } from "../log/log.ts";
import type { ModelAccess } from "../model/model-access.ts";
import type { Models } from "../model/model.ts";
import type { Reads, Store, Write } from "../store/contract.ts";
import { checkBudget, findFixed, reserveBudget, toFixed, toLimits, toSpent } from "./budget.ts";
import type { BudgetRefusal, CheckBudget, FindAdminBudgets, FixedBudgets, ReserveBudget } from "./budget.ts";
import { createSpending } from "./spending.ts";
import { toDollars } from "./to-dollars.ts";

export { boundCost, costOf, expectCost } from "./cost-of.ts";
export { explainCache } from "./explain-cache.ts";
export type { CheckBudget, FixedBudgets, BudgetRefusal, ReserveBudget } from "./budget.ts";
export { checkBudget, reserveBudget } from "./budget.ts";

/**
 * Costs and budgets of a user: sums over one ledger, the table `calls`, which records every model call and paid search,
 * and the check whether a call fits the budgets. Costs are reported usage times prices: calls without a price are
 * counted separately, never guessed.
 */
export type Costs = ReturnType<typeof createCosts>;

type Options = {
  readonly store: Pick<Store, "read">;
  readonly log: Pick<Log, "commit">;
  readonly models: Pick<Models, "forUser">;
  readonly clock: Clock;
  readonly budgets: FixedBudgets;
  /** Omitted: no budgets set by admins. */
  readonly findAdminBudgets?: FindAdminBudgets | undefined;
  /** Omitted: every user may use every model. */
  readonly access?: Pick<ModelAccess, "filterFor"> | undefined;
};

const DAYS = 30;

const suspension: BudgetRefusal = {
  ...{ scope: "day", limitUsd: 0, spentUsd: 0 },
  text: "This account is suspended, so no model is called for it. Ask an admin of this server to end the suspension. Your messages are saved.",
};

export function createCosts({ store, log, models, clock, budgets, findAdminBudgets, access }: Options) {
  const { read } = store;
  const fixedBudgets = { config: budgets, findAdminBudgets };
  const look = createSpending(read, clock);

  const listBudgets = async (owner: string, threadId: string | null): Promise<Budget[]> => {
    const limits = toLimits(await read.budgets(owner), await findFixed(fixedBudgets, owner));
    const spending = await look(owner, threadId);
    return limits.map((limit) => ({ ...limit, spentUsd: toSpent(limit, spending[limit.scope]) }));
  };

  const check = checkBudget({ read, clock, ...fixedBudgets });
  const reserve = reserveBudget({ read, clock, ...fixedBudgets }, log);
  /** A suspended account may not spend anything, and its answers stop at their next model call. */
  const findSuspension = async (owner: string): Promise<BudgetRefusal | null> =>
    (await read.isSuspended(owner)) ? suspension : null;

  /** The last check before a call, for every purpose: a model may have been withdrawn since the message was sent. */
  const findForbidden = async ({ owner, model }: { readonly owner: string; readonly model: string }) => {
    if (!access || (await access.filterFor(owner))(model)) return null;
    const name = models.forUser(owner).find(model)?.info.name ?? model;
    const said = say(sentence("model-not-allowed", name), sentence("messages-saved"));
    return { scope: "day", limitUsd: 0, spentUsd: 0, ...said } satisfies BudgetRefusal;
  };

  return {
    /** Checks whether a call is allowed; see `checkBudget`. */
    check: (async (owner, threadId, expectedUsd, usesOwnKey = false) => {
      const [suspended, refused] = await Promise.all([
        findSuspension(owner),
        check(owner, threadId, expectedUsd, usesOwnKey),
      ]);
      return suspended ?? refused;
    }) satisfies CheckBudget,

    /** Reserves the cost of a call before it is made; see `reserveBudget`. */
    reserve: (async (wanted) =>
      (await findSuspension(wanted.owner)) ?? (await findForbidden(wanted)) ?? reserve(wanted)) satisfies ReserveBudget,

    /** Most expensive first, days in order; the last 30 days by default. */
    costs: async (owner: string, query: Query<"getCosts">) => {
      const to = query.to ?? clock.now() + 1;
      const from = query.from ?? to - DAYS * DAY_MS;
      const sums = await read.costs({ owner, from, to, by: query.by, thread: query.threadId });
      const label = await labelOf(read, models.forUser(owner), { owner, by: query.by }, sums);
      const rows = sums.map(({ key, ...sum }): CostRow => ({ key: toKey(query.by, key), label: label(key), ...sum }));
      const sorted =
        query.by === "day"
          ? rows.toSorted((a, b) => (a.key < b.key ? -1 : 1))
          : rows.toSorted((a, b) => b.costUsd - a.costUsd || b.inputTokens - a.inputTokens || (a.key < b.key ? -1 : 1));
      return { from, to, rows: sorted, total: addUp(rows) };
    },

    budgets: listBudgets,

    /** The user's own limit; null removes it. It cannot exceed the operator's limit. */
    setBudget: async (owner: string, { scope, limitUsd }: Body<"setBudget">): Promise<Budget[]> => {
      const set = await findFixed(fixedBudgets, owner);
      const fixed = toFixed(set, scope);
      if (limitUsd !== null && fixed !== null && limitUsd > fixed) {
        const whose = set.byAdmin?.includes(scope) ? "limit that an admin set" : "operator's limit";
        throw new ApiError("invalid", `The ${whose} is ${toDollars(fixed)}. Set yours to that or less.`);
      }
      const write: Write =
        limitUsd === null
          ? { do: "delete", table: "budgets", where: { owner, scope } }
          : { do: "put", table: "budgets", row: { owner, scope, limit_usd: limitUsd, updated_at: clock.now() } };
      await log.commit({ events: [], writes: [write] });
      return listBudgets(owner, null);
    },
  };
}

type Group = Query<"getCosts">["by"];
type Sum = Awaited<ReturnType<Reads["costs"]>>[number];

const toKey = (by: Group, key: string | number): string =>
  by === "day" ? new Date(Number(key) * DAY_MS).toISOString().slice(0, 10) : String(key);

/** Labels for display: a model's name, a thread's title. */
async function labelOf(
  read: Pick<Reads, "threadsById" | "project" | "member">,
  models: Pick<Models, "find">,
  { owner, by }: { readonly owner: string; readonly by: Group },
  sums: readonly Sum[],
): Promise<(key: string | number) => string> {
  if (by === "model")
    return (key) => models.find(String(key))?.info.name ?? String(key).replace(/^search:/, "Search: ");
  if (by !== "thread") return (key) => toKey(by, key);
  const threads = await read.threadsById(sums.flatMap(({ key }) => (key === "" ? [] : [String(key)])));
  const titles = new Map<string, string>();
  for (const thread of threads) {
    const access = thread.shared === 1 ? await findThreadAccess(read, owner, thread) : undefined;
    // Costs stay with the user who asked, the title is for those who have access.
    const isVisible = access ? access.role !== null : thread.owner === owner;
    titles.set(thread.id, isVisible ? thread.title || "Untitled" : "No access");
  }
  return (key) => (key === "" ? "Deleted threads" : (titles.get(String(key)) ?? "Untitled"));
}

const addUp = (rows: readonly CostRow[]): CostRow =>
  rows.reduce<CostRow>(
    (sum, row) => ({
      ...sum,
      calls: sum.calls + row.calls,
      inputTokens: sum.inputTokens + row.inputTokens,
      outputTokens: sum.outputTokens + row.outputTokens,
      cacheReadTokens: sum.cacheReadTokens + row.cacheReadTokens,
      costUsd: sum.costUsd + row.costUsd,
      unpriced: sum.unpriced + row.unpriced,
    }),
    { key: "", label: "All", calls: 0, inputTokens: 0, outputTokens: 0, cacheReadTokens: 0, costUsd: 0, unpriced: 0 },
  );

/** A search that costs money. `costUsd` null: the price is unknown. */
export type PaidSearch = {
  readonly provider: string;
  readonly costUsd: number | null;
  readonly startedAt: number;
  readonly endedAt: number;
};

type Origin = { readonly id: string; readonly userId: string; readonly threadId: string; readonly runId: string };

/** Its ledger row, committed with the search results. */
export const planSearch = ({ id, userId, threadId, runId }: Origin, search: PaidSearch): Write => ({
  do: "insert",
  table: "calls",
  row: {
    id,
    thread: threadId,
    run: runId,
    purpose: "search",
    step: 0,
    attempt: 1,
    model: `search:${search.provider}`,
    answered_by: null,
    provider: search.provider,
    outcome: "ok",
    reason: null,
    usage: JSON.stringify(noUsage),
    cost_usd: search.costUsd,
    reserved_usd: null,
    receipt: null,
    started_at: search.startedAt,
    ended_at: search.endedAt,
    owner: userId,
    job: null,
    own_key: 0,
  },
});
