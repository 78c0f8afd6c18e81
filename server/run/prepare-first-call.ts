import type { BatchContent, Delivery } from "./deliver.ts";
import { overlayReads, ReadNotPrepared } from "./overlay-reads.ts";
import { openRun, type RunContext, type RunDeps } from "./run-context.ts";
import { planCall, type PreparedCall } from "./step/call-model.ts";

/** The first model call of a run, planned before the run is committed. */
export type FirstCall = { readonly call: PreparedCall; readonly run: RunContext; readonly controller: AbortController };

/** `batch` contains the delivery and the intent of the call. */
type PreparedFirstCall = { readonly firstCall: FirstCall; readonly batch: BatchContent };

type Options = {
  readonly epoch: number;
  readonly lastSeq: number;
  /** Preparing may wait for a tool server. The delivery of the user's message waits at most this long for it. */
  readonly maxMs?: number;
};

/**
 * Plans the first model call of a delivery, so that both are committed together and the model is called one commit earlier.
 * Returns undefined if the call needs a read that depends on the delivery, or takes too long. The caller then commits the
 * delivery and prepares the call afterwards. An attempt that takes too long is aborted.
 */
export async function prepareFirstCall(
  deps: RunDeps,
  { state, toBatch }: Delivery,
  { epoch, lastSeq, maxMs = 25 }: Options,
): Promise<PreparedFirstCall | undefined> {
  const read = state.view.step === 1 ? overlayReads(deps.store.read, toBatch(state)) : undefined;
  if (!read) return undefined;
  const controller = new AbortController();
  const { signal } = controller;
  const attempt = async (): Promise<PreparedFirstCall> => {
    const overlaid = { ...deps, store: { ...deps.store, read } };
    const run = await openRun(overlaid, { state, epoch, lastSeq, controller });
    const { call, ...intent } = await planCall(run, state, null);
    const { events, writes } = toBatch(call.calling);
    const batch = { events: [...events, ...intent.events], writes: [...writes, ...intent.writes] };
    return { firstCall: { call, run: { ...run, store: deps.store }, controller }, batch };
  };
  const attempted = attempt().catch((error: unknown) => {
    if (error instanceof ReadNotPrepared || error === signal.reason) return undefined;
    if (!signal.aborted) throw error;
    // The caller has already continued without this attempt.
    deps.onError(error);
    return undefined;
  });
  const timer = setTimeout(() => controller.abort(new Error("Preparing the first model call took too long.")), maxMs);
  const tooLate = new Promise<undefined>((resolve) => {
    signal.addEventListener("abort", () => resolve(undefined), { once: true });
  });
  try {
    return await Promise.race([attempted, tooLate]);
  } finally {
    clearTimeout(timer);
  }
}
