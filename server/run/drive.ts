import { assertNever } from "../lib/assert-never.ts";
import { sleep } from "../lib/sleep.ts";
import { callModel, streamAnswer } from "./step/call-model.ts";
import { callTools } from "./tool-calls/call-tools.ts";
import { applyDecisions, waitForUser } from "./tool-calls/wait-for-user.ts";
import { planSteering } from "./steer.ts";
import { endRun } from "./step/end.ts";
import { nextStep } from "./next-step.ts";
import { recoverRun, resumeParked } from "./recover.ts";
import { openRun, throwIfLost, type RunDeps, type RunContext } from "./run-context.ts";
import type { RowOf } from "../store/schema.ts";
import type { RunState } from "./state.ts";
import { claim, type Lease, type Claim } from "./claim.ts";
import { isOutage, releaseThread } from "./hand-over.ts";

export type { Lease } from "./claim.ts";

/** Connects a drive to its runner, so that a stop or a shutdown can abort the run. */
export type DriveControl = {
  readonly begin: (runId: string, controller: AbortController, isPrefetched: boolean) => void;
  /** True if no further run may start. */
  readonly isDraining: () => boolean;
  /** Resolves when no other run has the turn, or when the signal aborts. The turn ends with the returned function or after a few seconds. */
  readonly waitForTurn: (signal: AbortSignal) => Promise<() => void>;
  readonly end: () => void;
};

type DriveOptions = {
  readonly threadId: string;
  readonly lease: Lease;
  readonly control: DriveControl;
  /** An input whose admission is queued for commit. */
  readonly pendingInput?: RowOf<"inputs"> | undefined;
  /** The sweep found this thread, so a process may have crashed while preparing its input. */
  readonly isSwept?: boolean;
};

/**
 * Drives one thread until it has no more work: claims the next input or the open run, drives the run to its end, and checks
 * again. Returns at once if another process holds the lease.
 */
export async function driveThread(deps: RunDeps, driving: DriveOptions): Promise<void> {
  const { threadId, lease, control } = driving;
  let expected: Pick<DriveOptions, "pendingInput" | "isSwept"> = driving;
  for (let tries = 0; tries < MAX_TRIES;) {
    const claimed = await claim(deps, threadId, lease, { ...expected, isDraining: control.isDraining });
    expected = {};
    if (claimed === "nothing") return;
    if (claimed === "changed") {
      expected = { isSwept: driving.isSwept ?? false };
      tries += 1;
      continue;
    }
    tries = 0;
    const left = await driveRun(deps, claimed, control);
    // Inputs admitted after the claim have woken this thread again.
    if (left === "aborted" || !claimed.more || control.isDraining()) return;
  }
}

const FIRST_ANSWER_DEPTH = 2;

/** How often the claim is retried when the thread changes at the same time. The sweep finds the thread later anyway. */
const MAX_TRIES = 5;

/** `paused`: the run waits for the user, for an approval or because it was parked. */
async function driveRun(deps: RunDeps, claimed: Claim, control: DriveControl): Promise<"ended" | "paused" | "aborted"> {
  const { epoch, lastSeq, firstCall } = claimed;
  const { id: runId, threadId } = claimed.state.view;
  const controller = firstCall?.controller ?? new AbortController();
  control.begin(runId, controller, claimed.isPrefetched);
  const clockOffsetMs = deps.clock.now() - deps.clock.monotonic();
  let endTurn = (): void => {};
  const { profile = "stone" } = claimed.state;
  const endWork = deps.observe({ kind: "run", runId, threadId, profile, waitedMs: claimed.waitedMs });
  let outcome = "aborted";
  try {
    if (isSuspect(claimed)) endTurn = await control.waitForTurn(controller.signal);
    throwIfLost(controller.signal);
    const run = firstCall ? { ...firstCall.run, lastSeq } : await openRun(deps, { ...claimed, controller });
    const begun = await startOrResume(run, claimed);
    if (begun === "paused") {
      outcome = begun;
      return begun;
    }
    let state = begun;
    while (state.at.kind !== "ended") {
      if (!state.crashes) endTurn();
      throwIfLost(run.signal);
      const next = await advance(run, state, clockOffsetMs + deps.clock.monotonic());
      outcome = next === "paused" ? next : outcome;
      if (next === "paused") return next;
      state = next;
    }
    outcome = state.view.outcome ?? outcome;
    // After a first answer without tools there is nothing yet to index, summarize or reconcile.
    if (!state.caller?.isPlain && (state.depth > FIRST_ANSWER_DEPTH || state.view.step > 1))
      deps.afterTurn(threadId, { branchId: state.branchId, policy: state.policy || run.profile.policy });
    return "ended";
  } catch (error) {
    const closing = controller.signal.reason === "shutdown";
    controller.abort(error);
    const isHandedOver = closing || isOutage(error);
    await releaseThread(deps, { threadId, epoch, isHandedOver, isDraining: control.isDraining });
    if (!closing) throw error;
    return "aborted";
  } finally {
    endTurn();
    control.end();
    endWork({ outcome, isFailure: outcome === "failed" || outcome === "aborted" });
  }
}

/**
 * The run was left unfinished and at least one crash had been counted before. Such runs continue one at a time until their step is
 * settled, so that only the run that causes the crash is counted again and parked.
 */
const isSuspect = ({ recovered, isHandedOver, state }: Claim): boolean =>
  recovered && !isHandedOver && (state.crashes ?? 0) > 0;

/**
 * Starts a new run with its first model call, which was usually planned with the claim, or continues a run that was recovered,
 * parked or waiting. A new run's row is not read again for a stop, because a stop wakes the thread.
 */
async function startOrResume(run: RunContext, claimed: Claim): Promise<RunState | "paused"> {
  const { state, firstCall, recovered, isStopped } = claimed;
  if (recovered) return recoverRun(run, claimed);
  if (state.view.state === "parked") return resumeParked(run, state, isStopped);
  if (firstCall) return streamAnswer(run, firstCall.call);
  return state.view.step === 1 && state.at.kind === "ready" ? callModel(run, state, null) : state;
}

const endWait = (state: RunState): RunState =>
  state.at.kind === "ready" ? { ...state, at: { ...state.at, notBefore: 0 } } : state;

async function advance(run: RunContext, state: RunState, steadyNow: number): Promise<RunState | "paused"> {
  const { threadId, id: runId } = state.view;
  const { read } = run.store;
  const [row, queued, thread] = await Promise.all([read.run(runId), read.queued(threadId), read.thread(threadId)]);
  const decided = row?.stop === 1 ? undefined : await applyDecisions(run, state);
  if (decided) return decided;
  const here = thread?.branch === state.branchId;
  const steering = queued.filter((input) => here && input.mode === "steer" && input.kind === "message");
  const action = nextStep(state, {
    stop: row?.stop === 1,
    steering: steering.length,
    limits: run.limits,
    now: run.clock.now(),
    steadyNow,
  });
  switch (action.do) {
    case "call-model":
      return callModel(run, state, action.finalEnding);
    case "call-tools":
      return callTools(run, state);
    case "wait-for-user":
      return (await waitForUser(run, state)) ? "paused" : state;
    case "deliver-steering": {
      if (!thread) throw new Error("The thread was deleted.");
      const delivery = await planSteering(run, { state, inputs: steering, thread });
      // A message was withdrawn or the active branch changed at the same time: check again.
      return (await run.writer.attempt(delivery.batch)) ? delivery.state : state;
    }
    case "wait":
      // A timer is monotonic: setting the wall clock back must not extend the wait.
      await sleep(action.ms, run.signal);
      return endWait(state);
    case "end":
      return endRun(run, { state, ending: action.ending, parts: [], writes: [] });
    case "nothing":
      return state;
    default:
      return assertNever(action);
  }
}
