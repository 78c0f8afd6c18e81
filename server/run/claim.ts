import { threadStream } from "../../protocol/ids.ts";
import type { RowOf } from "../store/schema.ts";
import { planContinuation, type Continuation } from "./continue.ts";
import { planDelivery, type Delivery, type BatchContent } from "./deliver.ts";
import type { RunDeps } from "./running.ts";
import { lastSeqOn, toRunState, type RunState } from "./state.ts";
import { prepareFirstCall, type PreparedFirstCall } from "./prefetch.ts";
import { runWaiting } from "../store/contract.ts";

/** The lease that a drive takes: whose, and for how long without a heartbeat. */
export type Lease = { readonly holder: string; readonly ttlMs: number };

export type Claim = {
  readonly state: RunState;
  readonly epoch: number;
  readonly lastSeq: number;
  /** Its first call, when its intent was committed with the delivery. */
  readonly early: PreparedFirstCall | undefined;
  /** Left unfinished by another process or an earlier drive. */
  readonly recovered: boolean;
  readonly isHandedOver: boolean;
  readonly isStopped: boolean;
  /** It was looked for before its wake came, and `more` counts what that wake was for. */
  readonly foreseen: boolean;
  /** Further inputs waited when the lease was taken. */
  readonly more: boolean;
};

/**
 * The lease, with the next input as messages and a run, or with the run left open. `coming` is an input whose admission is in
 * line to be committed: what is written here comes after it, and fails by itself should it be refused.
 */
export async function claim(
  deps: RunDeps,
  threadId: string,
  { holder, ttlMs }: Lease,
  { coming, isSwept = false }: { readonly coming?: RowOf<"inputs"> | undefined; readonly isSwept?: boolean } = {},
): Promise<Claim | "nothing" | "changed"> {
  const stream = threadStream(threadId);
  const { read } = deps.store;
  const { free, epoch, head } = await read.lease(stream);
  const [thread, row, stored] = await Promise.all([
    read.thread(threadId),
    read.liveRun(threadId),
    read.queued(threadId),
  ]);
  const queued = coming && stored.every(({ id }) => id !== coming.id) ? [...stored, coming] : stored;
  const input = queued[0];
  if (!free || !thread || (!row && !input)) return "nothing";
  if (row?.waiting === runWaiting.forUser && row.stop === 0) return "nothing";
  const found = row || !input ? undefined : await plan(deps, thread, input);
  const delivery = isSwept ? countSwept(found) : found;
  const held = { epoch: epoch + 1, lastSeq: head, foreseen: coming !== undefined };
  const ahead = isRun(delivery) && !isSwept ? await prepareFirstCall(deps, delivery, held) : undefined;
  const planned = ahead?.batch ?? toBatch(delivery);
  const result = await deps.log.commit({ fence: { stream, epoch, acquire: { holder, ttlMs } }, ...planned });
  if (!result.ok) return result.why === "fenced" ? "nothing" : "changed";
  if (isRun(delivery)) {
    const lastSeq = lastSeqOn(stream, planned.events, result.seqs);
    const fresh = { recovered: false, isHandedOver: false, isStopped: false };
    return { ...held, ...fresh, lastSeq, state: delivery.state, early: ahead?.early, more: queued.length > 1 };
  }
  // The holder before us may have written until the moment we took over: only what is read now is the run's state.
  const current = await read.liveRun(threadId);
  const state = current && toRunState(current);
  if (current && state) {
    const left = {
      // A waiting or parked run released its lease itself.
      recovered: state.view.state === "running",
      isHandedOver: current.handed_over === 1,
      isStopped: current.stop === 1,
    };
    return { ...held, ...left, lastSeq: state.stepSeq, state, early: undefined, more: queued.length > 0 };
  }
  await deps.log.commit({ fence: { stream, epoch: held.epoch, release: true }, events: [], writes: [] });
  return "changed";
}

/**
 * An input that a sweep found may have stopped the process that prepared its run. The run is stored before its first
 * request is prepared, with that one crash counted.
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
