import { say, sentence, type Text } from "../../protocol/sentences.ts";
import type { Budget } from "../../protocol/cost.ts";
import type { Clock } from "../lib/clock.ts";
import type { Reads } from "../store/contract.ts";
import type { RowOf } from "../store/schema.ts";
import type { Log } from "../log/log.ts";
import { createSpending, type Spending, type SpendingReads } from "./spending.ts";
import { toDollars } from "./to-dollars.ts";

type Scope = Budget["scope"];
const scopes: readonly Scope[] = ["day", "month", "thread"];

/** Budgets that the user cannot exceed; null: no budget. */
export type FixedBudgets = {
  readonly dayUsd: number | null;
  readonly monthUsd: number | null;
  /** Those that an admin set. The operator set the others. */
  readonly byAdmin?: readonly Scope[];
};

/** The budgets that admins set for this user. */
export type FindAdminBudgets = (owner: string) => Promise<FixedBudgets>;

/** The text explains to the user which budget it is, how much is spent, and what to do. */
export type BudgetRefusal = Text & {
  readonly scope: Scope;
  readonly limitUsd: number;
  readonly spentUsd: number;
};

/**
 * `expectedUsd` null: the price is unknown. `usesOwnKey`: the user pays the provider, so only the user's own limits apply.
 * Resolves to null if the call is allowed; reserves nothing.
 */
export type CheckBudget = (
  owner: string,
  threadId: string,
  expectedUsd: number | null,
  usesOwnKey?: boolean,
) => Promise<BudgetRefusal | null>;

type Reservation = {
  /** Id of a call whose intent is committed. */
  readonly callId: string;
  readonly owner: string;
  readonly threadId: string;
  readonly model: string;
  /** The user pays the provider, so only the user's own limits apply. */
  readonly usesOwnKey?: boolean;
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
  /** Set by the operator, for every user. */
  readonly config: FixedBudgets;
  readonly clock: Clock;
  /** Default: there are none. */
  readonly findAdminBudgets?: FindAdminBudgets | undefined;
};

/** The budgets that the user cannot exceed: of two, the lower one. */
export async function findFixed(
  { config, findAdminBudgets }: Pick<Options, "config" | "findAdminBudgets">,
  owner: string,
): Promise<FixedBudgets> {
  if (!findAdminBudgets) return config;
  const admin = await findAdminBudgets(owner);
  const isLower = (given: number | null, than: number | null) => given !== null && (than === null || given < than);
  const isDay = isLower(admin.dayUsd, config.dayUsd);
  const isMonth = isLower(admin.monthUsd, config.monthUsd);
  return {
    dayUsd: isDay ? admin.dayUsd : config.dayUsd,
    monthUsd: isMonth ? admin.monthUsd : config.monthUsd,
    byAdmin: [...(isDay ? (["day"] as const) : []), ...(isMonth ? (["month"] as const) : [])],
  };
}

export function checkBudget({ read, clock, ...fixed }: Options): CheckBudget {
  const readSpending = createSpending(read, clock);
  return async (owner, threadId, expectedUsd, usesOwnKey = false) => {
    if (expectedUsd === 0) return null;
    const limits = await findLimits(read, fixed, { owner, usesOwnKey });
    if (limits.length === 0) return null;
    const spending = await readSpending(owner, limits.some(({ scope }) => scope === "thread") ? threadId : null);
    return limits.map((limit) => judge(limit, spending, expectedUsd)).find((refused) => refused !== null) ?? null;
  };
}

const MAX_TRIES = 100;

export function reserveBudget(
  { read, clock, ...fixed }: Omit<Options, "read"> & { readonly read: Options["read"] & Pick<Reads, "budgetGate"> },
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
    throw new Error("The budget could not be reserved: its gate changed on every attempt.");
  };

  return async (wanted) => {
    const { owner, expectedUsd, usesOwnKey = false } = wanted;
    if (expectedUsd === 0) return null;
    const limits = await findLimits(read, fixed, { owner, usesOwnKey });
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

type Limit = Pick<Budget, "scope" | "limitUsd" | "fixed" | "byAdmin">;

async function findLimits(
  read: Pick<Reads, "budgets">,
  fixed: Pick<Options, "config" | "findAdminBudgets">,
  { owner, usesOwnKey }: { readonly owner: string; readonly usesOwnKey: boolean },
): Promise<readonly Limit[]> {
  if (usesOwnKey) return toLimits(await read.budgets(owner), NOT_FIXED);
  const [rows, config] = await Promise.all([read.budgets(owner), findFixed(fixed, owner)]);
  const limits = toLimits(rows, config);
  // The user's limit counts all calls, and the others only those with this server's keys, so neither includes the other.
  const own = toLimits(rows, NOT_FIXED).filter(({ scope }) => limits.some((one) => one.scope === scope && one.fixed));
  return [...limits, ...own];
}

const NOT_FIXED: FixedBudgets = { dayUsd: null, monthUsd: null };

/** Limits of the operator and of admins do not count calls with the user's own keys. */
export const toSpent = ({ fixed }: Pick<Limit, "fixed">, { costUsd, ownKeyUsd }: Spending["day"]): number =>
  fixed ? costUsd - ownKeyUsd : costUsd;

/** One per scope: the lower of the user's limit and the one that the user cannot exceed. */
export function toLimits(rows: readonly RowOf<"budgets">[], config: FixedBudgets): readonly Limit[] {
  const own = new Map(rows.map((row) => [row.scope, row.limit_usd]));
  return scopes.flatMap((scope): Limit[] => {
    const fixed = toFixed(config, scope);
    const mine = own.get(scope);
    if (mine !== undefined && (fixed === null || mine < fixed)) return [{ scope, limitUsd: mine, fixed: false }];
    if (fixed === null) return [];
    return [{ scope, limitUsd: fixed, fixed: true, ...(config.byAdmin?.includes(scope) ? { byAdmin: true } : {}) }];
  });
}

export const toFixed = ({ dayUsd, monthUsd }: FixedBudgets, scope: Scope): number | null =>
  ({ day: dayUsd, month: monthUsd, thread: null })[scope];

/** A call of unknown price is allowed while some budget is left, because it may be free. */
function judge(
  { scope, limitUsd, fixed, byAdmin }: Limit,
  spending: Spending,
  expectedUsd: number | null,
): BudgetRefusal | null {
  const { unpriced } = spending[scope];
  const spentUsd = toSpent({ fixed }, spending[scope]);
  const isLeft = expectedUsd === null ? spentUsd < limitUsd : spentUsd + expectedUsd <= limitUsd;
  if (isLeft) return null;
  const sentences = [
    sentence(`budget-${scope}`, toDollars(limitUsd), toDollars(spentUsd)),
    expectedUsd === null ? sentence("budget-cost-unknown") : sentence("budget-cost", toDollars(expectedUsd)),
    ...(spending.reservedUsd === 0 ? [] : [sentence("budget-reserved", toDollars(spending.reservedUsd))]),
    ...(unpriced === 0
      ? []
      : [unpriced === 1 ? sentence("budget-uncounted-call") : sentence("budget-uncounted", unpriced)]),
    ...(fixed && scope !== "thread"
      ? [sentence(byAdmin ? "budget-admin" : "budget-fixed"), sentence(`budget-fixed-${scope}`)]
      : [sentence(`budget-own-${scope}`)]),
    sentence("messages-saved"),
  ];
  return { scope, limitUsd, spentUsd, ...say(...sentences) };
}
