import type { Budget } from "../../protocol/cost.ts";
import type { Clock } from "../lib/clock.ts";
import type { Reads } from "../store/contract.ts";
import type { RowOf } from "../store/schema.ts";
import type { Log } from "../log/log.ts";
import { createSpending, type Spending, type SpendingReads } from "./spending.ts";
import { toDollars } from "./to-dollars.ts";

type Scope = Budget["scope"];
const scopes: readonly Scope[] = ["day", "month", "thread"];

/** Set by the operator; null: no budget. */
export type FixedBudgets = { readonly dayUsd: number | null; readonly monthUsd: number | null };

export type BudgetRefusal = {
  readonly scope: Scope;
  readonly limitUsd: number;
  readonly spentUsd: number;
  /** For the user: which budget, how much is spent, and what to do. */
  readonly text: string;
};

/** `expectedUsd` null: the price is unknown. Resolves to null if the call is allowed; reserves nothing. */
export type CheckBudget = (
  owner: string,
  threadId: string,
  expectedUsd: number | null,
) => Promise<BudgetRefusal | null>;

type Reservation = {
  /** Id of a call whose intent is committed. */
  readonly callId: string;
  readonly owner: string;
  readonly threadId: string;
  readonly model: string;
  readonly expectedUsd: number | null;
  /** Upper bound of its cost; see `boundCost`. */
  readonly maxUsd: number | null;
};

/**
 * Reserves a call's cost before it is made, atomically over all nodes and parallel answers: other calls count the
 * reservation until the call settles. So at most one of all concurrent calls can exceed a budget.
 */
export type ReserveBudget = (reservation: Reservation) => Promise<BudgetRefusal | null>;

type Options = {
  readonly read: SpendingReads & Pick<Reads, "budgets">;
  readonly config: FixedBudgets;
  readonly clock: Clock;
};

export function checkBudget({ read, config, clock }: Options): CheckBudget {
  const readSpending = createSpending(read, clock);
  return async (owner, threadId, expectedUsd) => {
    if (expectedUsd === 0) return null;
    const limits = toLimits(await read.budgets(owner), config);
    if (limits.length === 0) return null;
    const spending = await readSpending(owner, limits.some(({ scope }) => scope === "thread") ? threadId : null);
    return limits.map((limit) => judge(limit, spending, expectedUsd)).find((refused) => refused !== null) ?? null;
  };
}

const MAX_TRIES = 100;

export function reserveBudget(
  { read, config, clock }: Omit<Options, "read"> & { readonly read: Options["read"] & Pick<Reads, "budgetGate"> },
  log: Pick<Log, "commit">,
): ReserveBudget {
  const readSpending = createSpending(read, clock);
  const latest = new Map<string, Promise<unknown>>();

  const reserve = async (wanted: Reservation, limits: readonly Limit[]): Promise<BudgetRefusal | null> => {
    const { callId, owner, threadId, model, expectedUsd } = wanted;
    for (let tries = 0; tries < MAX_TRIES; tries += 1) {
      // Read before the sums: a concurrent reservation makes the commit below fail.
      const gate = await read.budgetGate(owner);
      const spending = await readSpending(owner, threadId, { callId, model });
      const refused = limits.map((limit) => judge(limit, spending, expectedUsd)).find((one) => one !== null);
      if (refused) return refused;
      if (wanted.maxUsd === null) return null;
      const reserved_usd = Math.max(wanted.maxUsd, spending.highestUsd);
      const { ok } = await log.commit({
        events: [],
        writes: [
          gate
            ? {
                do: "update",
                table: "budget_gates",
                set: { version: gate.version + 1 },
                where: { owner, version: gate.version },
                expectOne: true,
              }
            : { do: "insert", table: "budget_gates", row: { owner, version: 1 } },
          { do: "update", table: "calls", set: { reserved_usd }, where: { id: callId }, expectOne: true },
        ],
      });
      if (ok) return null;
    }
    throw new Error("a budget could not be reserved: its gate changed on every attempt");
  };

  return async (wanted) => {
    const { owner, expectedUsd } = wanted;
    if (expectedUsd === 0) return null;
    const limits = toLimits(await read.budgets(owner), config);
    if (limits.length === 0) return null;
    // Serialized within this process, so only other nodes can conflict.
    const before = latest.get(owner) ?? Promise.resolve();
    const reserved = before.then(() => reserve(wanted, limits));
    const settled = reserved.catch(() => {});
    latest.set(owner, settled);
    try {
      return await reserved;
    } finally {
      if (latest.get(owner) === settled) latest.delete(owner);
    }
  };
}

type Limit = Pick<Budget, "scope" | "limitUsd" | "fixed">;

/** One per scope: the lower of the user's and the operator's limit. */
export function toLimits(rows: readonly RowOf<"budgets">[], config: FixedBudgets): readonly Limit[] {
  const own = new Map(rows.map((row) => [row.scope, row.limit_usd]));
  return scopes.flatMap((scope): Limit[] => {
    const fixed = toFixed(config, scope);
    const mine = own.get(scope);
    if (mine !== undefined && (fixed === null || mine < fixed)) return [{ scope, limitUsd: mine, fixed: false }];
    return fixed === null ? [] : [{ scope, limitUsd: fixed, fixed: true }];
  });
}

export const toFixed = ({ dayUsd, monthUsd }: FixedBudgets, scope: Scope): number | null =>
  ({ day: dayUsd, month: monthUsd, thread: null })[scope];

/** A call of unknown price is allowed while some budget is left, because it may be free. */
function judge(
  { scope, limitUsd, fixed }: Limit,
  spending: Spending,
  expectedUsd: number | null,
): BudgetRefusal | null {
  const { costUsd: spentUsd, unpriced } = spending[scope];
  const isLeft = expectedUsd === null ? spentUsd < limitUsd : spentUsd + expectedUsd <= limitUsd;
  if (isLeft) return null;
  const expected =
    expectedUsd === null
      ? "the cost of this call is unknown"
      : `this call is expected to cost ${toDollars(expectedUsd)}`;
  const calls = unpriced === 1 ? "1 call of unknown price is" : `${unpriced} calls of unknown price are`;
  const uncounted = unpriced === 0 ? "" : ` ${calls} not included.`;
  const reserved =
    spending.reservedUsd === 0 ? "" : ` Up to ${toDollars(spending.reservedUsd)} of it is reserved for running calls.`;
  const text =
    `Your budget of ${toDollars(limitUsd)} ${periods[scope]} does not allow this call: ${toDollars(spentUsd)} is spent, and ` +
    `${expected}.${reserved}${uncounted} ${fixed ? "The operator of this server set this budget: c" : "Raise the budget, c"}hoose a free or ` +
    `cheaper model, or ${waits[scope]}. Your messages are saved.`;
  return { scope, limitUsd, spentUsd, text };
}

const periods: Readonly<Record<Scope, string>> = {
  day: "for today",
  month: "for this month",
  thread: "for this thread",
};
const waits: Readonly<Record<Scope, string>> = {
  day: "continue tomorrow (UTC)",
  month: "continue next month",
  thread: "continue in another thread",
};
