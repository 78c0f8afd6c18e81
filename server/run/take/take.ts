import { threadStream } from "../../../protocol/ids.ts";
import type { RowOf } from "../../store/schema.ts";
import { planContinuation, type Continuation } from "./continue.ts";
import { planDelivery, type Delivery, type Planned } from "../deliver.ts";
import type { RunDeps } from "../running.ts";
import { lastSeqOn, toRunState, type RunState } from "../state.ts";
import { planEarly, type Early } from "./plan-early.ts";

/** The lease that a drive takes: whose, and for how long without a heartbeat. */
export type Lease = { readonly holder: string; readonly ttlMs: number };

export type Taken = {
  readonly state: RunState;
  readonly epoch: number;
  readonly lastSeq: number;
  /** Its first call, when its intent was committed with the delivery. */
  readonly early: Early | undefined;
  readonly recovered: boolean;
  /** It was looked for before its wake came, and `more` counts what that wake was for. */
  readonly foreseen: boolean;
  /** Further inputs waited when the lease was taken. */
  readonly more: boolean;
};

/**
 * The lease, with the next input as messages and a run, or with the run left open. `coming` is an input whose admission is in
 * line to be committed: what is written here comes after it, and fails by itself should it be refused.
 */
export async function take(
  deps: RunDeps,
  threadId: string,
  { holder, ttlMs }: Lease,
  coming?: RowOf<"inputs">,
): Promise<Taken | "nothing" | "changed"> {
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
  if (row?.waiting === 1 && row.stop === 0) return "nothing";
  const delivery = row || !input ? undefined : await plan(deps, thread, input);
  const held = { epoch: epoch + 1, lastSeq: head, foreseen: coming !== undefined };
  const ahead = isRun(delivery) ? await planEarly(deps, delivery, held) : undefined;
  const planned = ahead?.batch ?? toBatch(delivery);
  const result = await deps.log.commit({ fence: { stream, epoch, acquire: { holder, ttlMs } }, ...planned });
  if (!result.ok) return result.why === "fenced" ? "nothing" : "changed";
  if (isRun(delivery)) {
    const lastSeq = lastSeqOn(stream, planned.events, result.seqs);
    return { ...held, lastSeq, state: delivery.state, early: ahead?.early, recovered: false, more: queued.length > 1 };
  }
  // The holder before us may have written until the moment we took over: only what is read now is the run's state.
  const current = await read.liveRun(threadId);
  const state = current && toRunState(current);
  // One that lay down to wait was left by nobody.
  const recovered = state?.view.state !== "waiting";
  if (state) return { ...held, lastSeq: state.stepSeq, state, early: undefined, recovered, more: queued.length > 0 };
  await deps.log.commit({ fence: { stream, epoch: held.epoch, release: true }, events: [], writes: [] });
  return "changed";
}

const isRun = (delivery: Continuation | undefined): delivery is Delivery => Boolean(delivery?.state);

const toBatch = (delivery: Continuation | undefined): Planned => {
  if (!delivery) return { events: [], writes: [] };
  return isRun(delivery) ? delivery.toBatch(delivery.state) : delivery.toBatch();
};

const plan = (deps: RunDeps, thread: RowOf<"threads">, input: RowOf<"inputs">): Promise<Continuation> =>
  input.kind === "continue" ? planContinuation(deps, thread, input) : planDelivery(deps, thread, input);
