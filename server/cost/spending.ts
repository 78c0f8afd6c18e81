import { DAY_MS, type Clock } from "../lib/clock.ts";
import type { Reads } from "../store/contract.ts";

type Spent = Awaited<ReturnType<Reads["spent"]>>;
type SpentCall = Awaited<ReturnType<Reads["callsSince"]>>[number];
export type SpendingReads = Pick<Reads, "spent" | "spentIn" | "callsSince">;

/** What somebody has spent, as of now; `thread` in the thread that was asked about, since it began. */
export type Spending = {
  readonly day: Spent;
  readonly month: Spent;
  readonly thread: Spent;
  /** Of these, what is held for calls that are still open. */
  readonly heldUsd: number;
  /** The dearest of the latest calls of the model that was asked about. */
  readonly dearestUsd: number;
};

/** For whom the sums are wanted: `reserving` counts open calls by what is reserved for them, without the call itself. */
export type Reserving = { readonly callId: string; readonly model: string };

/** Everything that began before `upTo` is settled and in the sums; what came later is read each time. */
type Sums = {
  readonly upTo: number;
  readonly dayStart: number;
  readonly monthStart: number;
  readonly day: Spent;
  readonly month: Spent;
  readonly threads: ReadonlyMap<string, Spent>;
};

/** Rows may become visible late, by other nodes' clocks too: nothing younger is taken as settled. */
const UNSETTLED_MS = 10 * 60_000;
/** A call that has been open for longer was left behind: its expected cost stays. */
const OPEN_MS = 24 * 3_600_000;
/** What is reserved for a call is held no longer than this; then its expected cost counts, as for any open call. */
const HELD_MS = 3_600_000;
const MOST_OWNERS = 1000;
const MOST_THREADS = 1000;

/** Running sums over the ledger: a look costs the calls of the last minutes, however old and busy a person's threads are. */
export function createSpending(read: SpendingReads, clock: Clock) {
  const byOwner = new Map<string, Promise<Sums | undefined>>();

  return async (owner: string, threadId: string | null, reserving?: Reserving): Promise<Spending> => {
    const before = byOwner.get(owner) ?? Promise.resolve(undefined);
    const looked = before.then((known) => look(read, { owner, threadId, known, now: clock.now(), reserving }));
    byOwner.delete(owner);
    byOwner.set(
      owner,
      looked.then(
        ({ sums }) => sums,
        () => undefined,
      ),
    );
    const [oldest] = byOwner.keys();
    if (byOwner.size > MOST_OWNERS && oldest !== undefined) byOwner.delete(oldest);
    return (await looked).spending;
  };
}

type Look = {
  readonly owner: string;
  readonly threadId: string | null;
  readonly known: Sums | undefined;
  readonly now: number;
  readonly reserving: Reserving | undefined;
};

async function look(
  read: SpendingReads,
  { owner, threadId, known, now, reserving }: Look,
): Promise<{ readonly sums: Sums; readonly spending: Spending }> {
  const sums = await openSums(read, owner, known, now);
  const threads = await openThread(read, threadId, sums);
  const calls = await read.callsSince(owner, sums.upTo);
  const held = calls.map((call) => hold(call, reserving, now));
  const within = (from: number) => held.filter(({ started_at }) => started_at >= from);
  const latest = calls.filter(({ model, outcome }) => model === reserving?.model && outcome !== "open");
  const spending = {
    heldUsd: held.reduce((sum, { outcome, cost_usd }) => sum + (outcome === "open" ? (cost_usd ?? 0) : 0), 0),
    dearestUsd: Math.max(0, ...latest.map(({ cost_usd }) => cost_usd ?? 0)),
    day: add(sums.day, within(sums.dayStart)),
    month: add(sums.month, within(sums.monthStart)),
    thread: add(
      threads.get(threadId ?? "") ?? nothing,
      held.filter(({ thread }) => thread === threadId),
    ),
  };
  return { sums: settle({ ...sums, threads }, calls, now), spending };
}

/**
 * An open call as it counts. One without a reservation has yet to ask for it, and then counts us: whoever reserves first is
 * first. Reservations of one user follow each other, so none of them is missed here.
 */
function hold(call: SpentCall, reserving: Reserving | undefined, now: number): SpentCall {
  if (call.outcome !== "open" || call.started_at < now - HELD_MS) return call;
  if (call.id === reserving?.callId) return { ...call, cost_usd: 0 };
  if (call.reserved_usd === null) return reserving ? { ...call, cost_usd: 0 } : call;
  return { ...call, cost_usd: call.reserved_usd };
}

/** The sums for the day and month that it is now. */
async function openSums(read: SpendingReads, owner: string, known: Sums | undefined, now: number): Promise<Sums> {
  const [dayStart, monthStart] = [toDayStart(now), toMonthStart(now)];
  if (known?.dayStart === dayStart && known.monthStart === monthStart) return known;
  const upTo = known?.upTo ?? now - UNSETTLED_MS;
  const since = async (from: number): Promise<Spent> => (upTo > from ? read.spent(owner, from, upTo) : nothing);
  const [day, month] = [await since(dayStart), await since(monthStart)];
  return { upTo, dayStart, monthStart, day, month, threads: known?.threads ?? new Map<string, Spent>() };
}

async function openThread(read: SpendingReads, threadId: string | null, sums: Sums): Promise<Sums["threads"]> {
  if (threadId === null || sums.threads.has(threadId)) return sums.threads;
  const threads = new Map(sums.threads).set(threadId, await read.spentIn(threadId, sums.upTo));
  const [oldest] = threads.keys();
  if (threads.size > MOST_THREADS && oldest !== undefined) threads.delete(oldest);
  return threads;
}

/** Moves on to the first call that may still change, or that others may still come beside. */
function settle(sums: Sums, calls: readonly SpentCall[], now: number): Sums {
  const open = calls.filter((call) => call.outcome === "open" && call.started_at > now - OPEN_MS);
  const upTo = Math.max(sums.upTo, Math.min(now - UNSETTLED_MS, ...open.map(({ started_at }) => started_at)));
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

const add = (spent: Spent, calls: readonly SpentCall[]): Spent => ({
  costUsd: calls.reduce((sum, { cost_usd }) => sum + (cost_usd ?? 0), spent.costUsd),
  unpriced: spent.unpriced + calls.filter(({ cost_usd, outcome }) => cost_usd === null && outcome !== "open").length,
});

export const toDayStart = (now: number): number => now - (now % DAY_MS);

/** Of the month in UTC. */
export function toMonthStart(now: number): number {
  const date = new Date(now);
  return Date.UTC(date.getUTCFullYear(), date.getUTCMonth());
}

const nothing: Spent = { costUsd: 0, unpriced: 0 };
