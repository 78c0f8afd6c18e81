import type { Delivery, BatchContent } from "./deliver.ts";
import { openRun, type RunDeps, type RunContext } from "./running.ts";
import { planCall, type Call } from "./step/call-model.ts";
import { overlayReads } from "./overlay-reads.ts";

/** The first call of a run that is about to be delivered. */
export type PreparedFirstCall = { readonly call: Call; readonly run: RunContext; readonly controller: AbortController };

/** With the batch that holds both. */
type Ahead = { readonly early: PreparedFirstCall; readonly batch: BatchContent };

/** Preparing may wait for a tool server; the person's message does not. */
const MAX_MS = 25;

/**
 * Delivery and intent in one commit, so the model is asked one commit earlier. It is only a shorter way: where the call cannot
 * be prepared in time, or at all, the answer is undefined, and the delivery stands by itself before the call is looked at.
 */
export async function prepareFirstCall(
  deps: RunDeps,
  delivery: Delivery,
  held: { readonly epoch: number; readonly lastSeq: number },
): Promise<Ahead | undefined> {
  const { state, toBatch } = delivery;
  const read = state.view.step === 1 ? overlayReads(deps.store.read, toBatch(state)) : undefined;
  if (!read) return undefined;
  const controller = new AbortController();
  const prepare = async (): Promise<Ahead> => {
    const run = await openRun({ ...deps, store: { ...deps.store, read } }, { state, ...held, controller });
    const { call, ...intent } = await planCall(run, state, null);
    const { events, writes } = toBatch(call.calling);
    const batch = { events: [...events, ...intent.events], writes: [...writes, ...intent.writes] };
    return { early: { call, run: { ...run, store: deps.store }, controller }, batch };
  };
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<undefined>((resolve) => {
    timer = setTimeout(() => resolve(undefined), MAX_MS);
  });
  try {
    return await Promise.race([prepare().catch(() => undefined), late]);
  } finally {
    clearTimeout(timer);
  }
}
