import type { Budget } from "../../protocol/cost.ts";
import type { Clock } from "../lib/clock.ts";
import type { Reads } from "../store/contract.ts";
import type { RowOf } from "../store/schema.ts";
import type { Log } from "../log/log.ts";
import { createSpending, type Spending, type SpendingReads } from "./spending.ts";
import { toDollars } from "./to-dollars.ts";

export type Scope = Budget["scope"];
export const scopes: readonly Scope[] = ["day", "month", "thread"];

/** The operator's; null: none. */
export type FixedBudgets = { readonly dayUsd: number | null; readonly monthUsd: number | null };

export type Refused = {
  readonly scope: Scope;
  readonly limitUsd: number;
  readonly spentUsd: number;
  /** For the person: which budget, what is spent, what to do. */
  readonly text: string;
};

/** `expectedUsd` null: the price is unknown. Resolves to null when the call may be made; nothing is spent by asking. */
export type CheckBudget = (owner: string, threadId: string, expectedUsd: number | null) => Promise<Refused | null>;

export type Reservation = {
  /** Of a call whose intent is committed. */
  readonly callId: string;
  readonly owner: string;
  readonly threadId: string;
  readonly model: string;
  readonly expectedUsd: number | null;
  /** The most it may cost; see `boundCost`. */
  readonly mostUsd: number | null;
};

/**
 * Takes a call's cost from the budgets before it is made, atomically over all nodes and parallel answers: other calls count
 * what is reserved until the call settles. So of all calls that run at once at most one goes over a budget.
 */
export type ReserveBudget = (reservation: Reservation) => Promise<Refused | null>;

type Options = {
  readonly read: SpendingReads & Pick<Reads, "budgets">;
  readonly config: FixedBudgets;
  readonly clock: Clock;
};

export function checkBudget({ read, config, clock }: Options): CheckBudget {
  const look = createSpending(read, clock);
  return async (owner, threadId, expectedUsd) => {
    if (expectedUsd === 0) return null;
    const limits = toLimits(await read.budgets(owner), config);
    if (limits.length === 0) return null;
    const spending = await look(owner, limits.some(({ scope }) => scope === "thread") ? threadId : null);
    return limits.map((limit) => judge(limit, spending, expectedUsd)).find((refused) => refused !== null) ?? null;
  };
}

const MOST_TRIES = 100;

export function reserveBudget(
  { read, config, clock }: Omit<Options, "read"> & { readonly read: Options["read"] & Pick<Reads, "budgetGate"> },
  log: Pick<Log, "commit">,
): ReserveBudget {
  const look = createSpending(read, clock);
  const latest = new Map<string, Promise<unknown>>();

  const reserve = async (wanted: Reservation, limits: readonly Limit[]): Promise<Refused | null> => {
    const { callId, owner, threadId, model, expectedUsd } = wanted;
    for (let tries = 0; tries < MOST_TRIES; tries += 1) {
      // Read before the sums: whoever reserves in between makes the commit below fail.
      const gate = await read.budgetGate(owner);
      const spending = await look(owner, threadId, { callId, model });
      const refused = limits.map((limit) => judge(limit, spending, expectedUsd)).find((one) => one !== null);
      if (refused) return refused;
      if (wanted.mostUsd === null) return null;
      const reserved_usd = Math.max(wanted.mostUsd, spending.dearestUsd);
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
    throw new Error("a budget could not be reserved: its gate changed each time");
  };

  return async (wanted) => {
    const { owner, expectedUsd } = wanted;
    if (expectedUsd === 0) return null;
    const limits = toLimits(await read.budgets(owner), config);
    if (limits.length === 0) return null;
    // One after the other in this process: only other nodes can be in the way.
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

export type Limit = Pick<Budget, "scope" | "limitUsd" | "fixed">;

/** One for each scope, the lower of the person's and the operator's. */
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

/** A call of unknown price is made while something is left: it may be free, and nobody can say. */
function judge({ scope, limitUsd, fixed }: Limit, spending: Spending, expectedUsd: number | null): Refused | null {
  const { costUsd: spentUsd, unpriced } = spending[scope];
  const isLeft = expectedUsd === null ? spentUsd < limitUsd : spentUsd + expectedUsd <= limitUsd;
  if (isLeft) return null;
  const expected =
    expectedUsd === null
      ? "what this call costs is not known"
      : `this call is expected to cost ${toDollars(expectedUsd)}`;
  const calls = unpriced === 1 ? "1 call of unknown price is" : `${unpriced} calls of unknown price are`;
  const uncounted = unpriced === 0 ? "" : ` ${calls} not counted in it.`;
  const held =
    spending.heldUsd === 0 ? "" : ` Up to ${toDollars(spending.heldUsd)} of it is held for calls that are running.`;
  const text =
    `${names[scope]} of ${toDollars(limitUsd)} does not allow this: ${toDollars(spentUsd)} ${spent[scope]}, and ` +
    `${expected}.${held}${uncounted} ${fixed ? "The operator of this server has set it: c" : "Raise the budget, c"}hoose a free or ` +
    `cheaper model, or ${waits[scope]}. Nothing of this thread is lost.`;
  return { scope, limitUsd, spentUsd, text };
}

const names: Readonly<Record<Scope, string>> = {
  day: "Your budget for today",
  month: "Your budget for this month",
  thread: "Your budget for a thread",
};
const spent: Readonly<Record<Scope, string>> = {
  day: "is spent today",
  month: "is spent this month",
  thread: "is spent in this one",
};
const waits: Readonly<Record<Scope, string>> = {
  day: "go on tomorrow (days are counted in UTC)",
  month: "go on next month",
  thread: "go on in another thread",
};
