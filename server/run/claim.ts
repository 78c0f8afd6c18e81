import { threadStream } from "../../protocol/ids.ts";
import type { RowOf } from "../store/schema.ts";
import { planContinuation, type Continuation } from "./continue.ts";
import { planDelivery, type Delivery, type BatchContent } from "./deliver.ts";
import type { RunDeps } from "./run-context.ts";
import { lastSeqOn, toRunState, type RunState } from "./state.ts";
import { isOutage, releaseThread } from "./hand-over.ts";
import { prepareFirstCall, type FirstCall } from "./prepare-first-call.ts";
import { runWaiting } from "../store/contract.ts";

/** Who holds the lease, and after how long without renewal it expires. */
export type Lease = { readonly holder: string; readonly ttlMs: number };

export type Claim = {
  readonly state: RunState;
  readonly epoch: number;
  readonly lastSeq: number;
  /** The first model call, if its intent was committed with the delivery. */
  readonly firstCall: FirstCall | undefined;
  /** The run was left unfinished by another process or an earlier drive. */
  readonly recovered: boolean;
  readonly isHandedOver: boolean;
  readonly isStopped: boolean;
  /** How long the input of a new run waited; null for a run that is continued. */
  readonly waitedMs: number | null;
  /** The drive was started by `prefetch`, before the wake for its input. That wake needs no second drive. */
  readonly isPrefetched: boolean;
  /** Further inputs were queued at the time of the claim. */
  readonly more: boolean;
};

type ClaimOptions = {
  readonly pendingInput?: RowOf<"inputs"> | undefined;
  readonly isSwept?: boolean;
  readonly isDraining: () => boolean;
};

/**
 * Claims a thread: obtains its lease together with the next input, delivered as messages and a run, or with the open run. `pendingInput` is an
 * input whose admission is queued for commit: this commit comes after the admission and fails if the admission was rejected.
 */
export async function claim(
  deps: RunDeps,
  threadId: string,
  { holder, ttlMs }: Lease,
  { pendingInput, isSwept = false, isDraining }: ClaimOptions,
): Promise<Claim | "nothing" | "changed"> {
  const stream = threadStream(threadId);
  const { read } = deps.store;
  const { free, epoch, head } = await read.lease(stream);
  const [thread, row, stored, hasSuspended] = await Promise.all([
    read.thread(threadId),
    read.liveRun(threadId),
    read.queued(threadId),
    read.hasSuspended(),
  ]);
  const isSuspended = hasSuspended && (await read.isOfSuspended(threadId));
  const isNew = pendingInput && stored.every(({ id }) => id !== pendingInput.id);
  const all = isNew ? [...stored, pendingInput] : stored;
  // In a shared thread, only inputs of suspended users wait.
  const suspended =
    thread?.shared === 1 ? await findSuspended(deps, [row?.asker, ...all.map(({ author }) => author)]) : none;
  if (row?.asker && suspended.has(row.asker) && row.stop === 0) return "nothing";
  const queued = all.filter(({ author }) => author === null || !suspended.has(author));
  const input = findNext(queued);
  if (!free || !thread || isSuspended || (!row && !input)) return "nothing";
  if (row?.waiting === runWaiting.forUser && row.stop === 0) return "nothing";
  const found = row || !input ? undefined : await plan(deps, thread, input);
  const delivery = isSwept ? countSwept(found) : found;
  const claimed = { epoch: epoch + 1, lastSeq: head, isPrefetched: pendingInput !== undefined };
  const prepared = isRun(delivery) && !isSwept ? await prepareFirstCall(deps, delivery, claimed) : undefined;
  const content = prepared?.batch ?? toBatch(delivery);
  const commit = deps.log.commit({ fence: { stream, epoch, acquire: { holder, ttlMs } }, ...content });
  const result = await commit.catch(async (error: unknown) => {
    // The connection may have been lost after the commit.
    if (isOutage(error)) await releaseThread(deps, { threadId, epoch: claimed.epoch, isHandedOver: true, isDraining });
    throw error;
  });
  if (!result.ok) return result.why === "fenced" ? "nothing" : "changed";
  if (isRun(delivery)) {
    const lastSeq = lastSeqOn(stream, content.events, result.seqs);
    const waitedMs = input ? Math.max(0, deps.clock.now() - input.created_at) : null;
    const fresh = { recovered: false, isHandedOver: false, isStopped: false, waitedMs };
    const { state } = delivery;
    return { ...claimed, ...fresh, lastSeq, state, firstCall: prepared?.firstCall, more: queued.length > 1 };
  }
  // The previous holder may have written until the lease changed, so the run is read again.
  const current = await read.liveRun(threadId);
  const state = current && toRunState(current);
  if (current && state) {
    const left = {
      // A waiting or parked run released its own lease.
      recovered: state.view.state === "running",
      isHandedOver: current.handed_over === 1,
      isStopped: current.stop === 1,
      waitedMs: null,
    };
    return { ...claimed, ...left, lastSeq: state.stepSeq, state, firstCall: undefined, more: queued.length > 0 };
  }
  await deps.log.commit({ fence: { stream, epoch: claimed.epoch, release: true }, events: [], writes: [] });
  return "changed";
}

const none: ReadonlySet<string> = new Set();

async function findSuspended(
  { store }: Pick<RunDeps, "store">,
  users: readonly (string | null | undefined)[],
): Promise<ReadonlySet<string>> {
  const accounts = await store.read.accountsById([...new Set(users.flatMap((id) => id ?? []))]);
  return new Set(accounts.flatMap(({ id, state }) => (state === "suspended" ? [id] : [])));
}

/** The oldest input. A steering message goes first among the messages before the first input of another kind. */
function findNext(queued: readonly RowOf<"inputs">[]): RowOf<"inputs"> | undefined {
  const other = queued.findIndex(({ kind }) => kind !== "message");
  const messages = other < 0 ? queued : queued.slice(0, other);
  return messages.find(({ mode }) => mode === "steer") ?? queued[0];
}

/**
 * A process may have crashed while it prepared the run for an input that the sweep found. The run is therefore stored before
 * its first request is prepared, with one crash counted.
 */
const countSwept = (delivery: Continuation | undefined): Continuation | undefined =>
  isRun(delivery) ? { ...delivery, state: { ...delivery.state, crashes: 1 } } : delivery;

const isRun = (delivery: Continuation | undefined): delivery is Delivery => Boolean(delivery?.state);

const toBatch = (delivery: Continuation | undefined): BatchContent => {
  if (!delivery) return { events: [], writes: [] };
  return isRun(delivery) ? delivery.toBatch(delivery.state) : delivery.toBatch();
};

const plan = (deps: RunDeps, thread: RowOf<"threads">, input: RowOf<"inputs">): Promise<Continuation> =>
  input.kind === "continue" ? planContinuation(deps, thread, input) : planDelivery(deps, thread, input);
