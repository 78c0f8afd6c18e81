import { DAY_MS, type Clock } from "../lib/clock.ts";
import type { Reads } from "../store/contract.ts";

type SpentRows = Awaited<ReturnType<Reads["spent"]>>;
type SpentCall = Awaited<ReturnType<Reads["callsSince"]>>[number];
export type SpendingReads = Pick<Reads, "spent" | "spentIn" | "callsSince">;

/** A user's spending up to now; `thread`: in the given thread, over its whole life. */
export type Spending = {
  readonly day: SpentRows;
  readonly month: SpentRows;
  readonly thread: SpentRows;
  /** The part of it that is reserved for open calls. */
  readonly reservedUsd: number;
  /** The most expensive of the given model's recent calls. */
  readonly highestUsd: number;
};

/** With `reserving`, open calls count by their reservations, except the given call. */
type Reserving = { readonly callId: string; readonly model: string };

/** Sums of everything before `upTo`, which is final; later calls are read every time. */
type Sums = {
  readonly upTo: number;
  readonly dayStart: number;
  readonly monthStart: number;
  readonly day: SpentRows;
  readonly month: SpentRows;
  readonly threads: ReadonlyMap<string, SpentRows>;
};

/** Rows may become visible late, also because of other nodes' clocks: nothing younger counts as final. */
const FINAL_AFTER_MS = 10 * 60_000;
/** A call that is open for longer was abandoned; its expected cost is final. */
const ABANDONED_AFTER_MS = DAY_MS;
/** A reservation expires after this time; then the expected cost counts, as for any open call. */
const RESERVATION_MS = 3_600_000;
const MAX_OWNERS = 1000;
const MAX_THREADS = 1000;

/** Running sums over the ledger. Reading them is O(calls of the last minutes), not O(ledger). */
export function createSpending(read: SpendingReads, clock: Clock) {
  const byOwner = new Map<string, Promise<Sums | undefined>>();

  return async (owner: string, threadId: string | null, reserving?: Reserving): Promise<Spending> => {
    const before = byOwner.get(owner) ?? Promise.resolve(undefined);
    const pending = before.then((known) => readSums(read, { owner, threadId, known, now: clock.now(), reserving }));
    byOwner.delete(owner);
    byOwner.set(
      owner,
      pending.then(
        ({ sums }) => sums,
        () => undefined,
      ),
    );
    const [oldest] = byOwner.keys();
    if (byOwner.size > MAX_OWNERS && oldest !== undefined) byOwner.delete(oldest);
    return (await pending).spending;
  };
}

type Query = {
  readonly owner: string;
  readonly threadId: string | null;
  readonly known: Sums | undefined;
  readonly now: number;
  readonly reserving: Reserving | undefined;
};

async function readSums(
  read: SpendingReads,
  { owner, threadId, known, now, reserving }: Query,
): Promise<{ readonly sums: Sums; readonly spending: Spending }> {
  const sums = await openSums(read, owner, known, now);
  const threads = await openThread(read, threadId, sums);
  const calls = await read.callsSince(owner, sums.upTo);
  const counted = calls.map((call) => countOpen(call, reserving, now));
  const within = (from: number) => counted.filter(({ started_at }) => started_at >= from);
  const latest = calls.filter(({ model, outcome }) => model === reserving?.model && outcome !== "open");
  const spending = {
    reservedUsd: counted.reduce((sum, { outcome, cost_usd }) => sum + (outcome === "open" ? (cost_usd ?? 0) : 0), 0),
    highestUsd: Math.max(0, ...latest.map(({ cost_usd }) => cost_usd ?? 0)),
    day: add(sums.day, within(sums.dayStart)),
    month: add(sums.month, within(sums.monthStart)),
    thread: add(
      threads.get(threadId ?? "") ?? nothing,
      counted.filter(({ thread }) => thread === threadId),
    ),
  };
  return { sums: settle({ ...sums, threads }, calls, now), spending };
}

/**
 * How an open call counts. A call without a reservation has not asked for one yet, and will count this one then: the first to
 * reserve wins. Reservations of one user are serialized, so none is missed here.
 */
function countOpen(call: SpentCall, reserving: Reserving | undefined, now: number): SpentCall {
  if (call.outcome !== "open" || call.started_at < now - RESERVATION_MS) return call;
  if (call.id === reserving?.callId) return { ...call, cost_usd: 0 };
  if (call.reserved_usd === null) return reserving ? { ...call, cost_usd: 0 } : call;
  return { ...call, cost_usd: call.reserved_usd };
}

/** The sums for the current day and month. */
async function openSums(read: SpendingReads, owner: string, known: Sums | undefined, now: number): Promise<Sums> {
  const [dayStart, monthStart] = [toDayStart(now), toMonthStart(now)];
  if (known?.dayStart === dayStart && known.monthStart === monthStart) return known;
  const upTo = known?.upTo ?? now - FINAL_AFTER_MS;
  const since = async (from: number): Promise<SpentRows> => (upTo > from ? read.spent(owner, from, upTo) : nothing);
  const [day, month] = [await since(dayStart), await since(monthStart)];
  return { upTo, dayStart, monthStart, day, month, threads: known?.threads ?? new Map<string, SpentRows>() };
}

async function openThread(read: SpendingReads, threadId: string | null, sums: Sums): Promise<Sums["threads"]> {
  if (threadId === null || sums.threads.has(threadId)) return sums.threads;
  const threads = new Map(sums.threads).set(threadId, await read.spentIn(threadId, sums.upTo));
  const [oldest] = threads.keys();
  if (threads.size > MAX_THREADS && oldest !== undefined) threads.delete(oldest);
  return threads;
}

/** Advances `upTo` to the first call that may still change or before which rows may still appear. */
function settle(sums: Sums, calls: readonly SpentCall[], now: number): Sums {
  const open = calls.filter((call) => call.outcome === "open" && call.started_at > now - ABANDONED_AFTER_MS);
  const upTo = Math.max(sums.upTo, Math.min(now - FINAL_AFTER_MS, ...open.map(({ started_at }) => started_at)));
  const settled = calls.filter(({ started_at }) => started_at < upTo);
  if (settled.length === 0) return { ...sums, upTo };
  const byThread = Map.groupBy(settled, ({ thread }) => thread);
  return {
    ...sums,
    upTo,
    day: add(
      sums.day,
      settled.filter(({ started_at }) => started_at >= sums.dayStart),
    ),
    month: add(
      sums.month,
      settled.filter(({ started_at }) => started_at >= sums.monthStart),
    ),
    threads: new Map([...sums.threads].map(([id, spent]) => [id, add(spent, byThread.get(id) ?? [])])),
  };
}

const add = (spent: SpentRows, calls: readonly SpentCall[]): SpentRows => ({
  costUsd: calls.reduce((sum, { cost_usd }) => sum + (cost_usd ?? 0), spent.costUsd),
  ownKeyUsd: calls.reduce((sum, { cost_usd, own_key }) => sum + (own_key ? (cost_usd ?? 0) : 0), spent.ownKeyUsd),
  unpriced: spent.unpriced + calls.filter(({ cost_usd, outcome }) => cost_usd === null && outcome !== "open").length,
});

const toDayStart = (now: number): number => now - (now % DAY_MS);

/** Start of the month in UTC. */
function toMonthStart(now: number): number {
  const date = new Date(now);
  return Date.UTC(date.getUTCFullYear(), date.getUTCMonth());
}

const nothing: SpentRows = { costUsd: 0, ownKeyUsd: 0, unpriced: 0 };
