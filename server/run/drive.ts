import { threadStream } from "../../protocol/ids.ts";
import { assertNever } from "../lib/assert-never.ts";
import { sleep } from "../lib/sleep.ts";
import { callModel, streamAnswer } from "./step/call-model.ts";
import { callTools } from "./tool-calls/call-tools.ts";
import { applyDecisions, park } from "./tool-calls/decide.ts";
import { planSteering } from "./deliver.ts";
import { endRun } from "./step/end.ts";
import { nextStep } from "./next-step.ts";
import { recoverRun, resumeFromPark } from "./recover.ts";
import { openRun, throwIfLost, type RunDeps, type RunContext } from "./running.ts";
import type { Write } from "../store/contract.ts";
import { StorageFull, Unavailable } from "../store/failure.ts";
import type { RowOf } from "../store/schema.ts";
import type { RunState } from "./state.ts";
import { claim, type Lease, type Claim } from "./claim.ts";

export type { Lease } from "./claim.ts";

/** What the drive tells its runner, so that a stop or a shutdown reaches the work under way. */
export type DriveControl = {
  readonly begin: (runId: string, controller: AbortController, foreseen: boolean) => void;
  /** No further run is to begin here. */
  readonly isDraining: () => boolean;
  /** Resolves when no other run has the turn, or when the signal aborts. The returned function ends the turn, as do a few seconds. */
  readonly waitForTurn: (signal: AbortSignal) => Promise<() => void>;
  readonly end: () => void;
};

type DriveOptions = {
  readonly threadId: string;
  readonly lease: Lease;
  readonly hold: DriveControl;
  /** An input whose admission is about to be committed. */
  readonly coming?: RowOf<"inputs"> | undefined;
  /** Found by a sweep, not woken: a process may have stopped while it prepared what is waiting here. */
  readonly isSwept?: boolean;
};

/**
 * One thread, driven until it has nothing to do: take the lease with the next input or the run left open, carry the run to
 * its end, look again. If another holds the lease there is nothing to do here.
 */
export async function driveThread(deps: RunDeps, driving: DriveOptions): Promise<void> {
  const { threadId, lease, hold } = driving;
  let expected: Pick<DriveOptions, "coming" | "isSwept"> = driving;
  for (let tries = 0; tries < MAX_TRIES;) {
    const taken = await claim(deps, threadId, lease, expected);
    expected = {};
    if (taken === "nothing") return;
    if (taken === "changed") {
      expected = { isSwept: driving.isSwept ?? false };
      tries += 1;
      continue;
    }
    tries = 0;
    const left = await driveRun(deps, taken, hold);
    // What was admitted since the lease was taken has woken this thread again.
    if (left === "broken off" || !taken.more || hold.isDraining()) return;
  }
}

const FIRST_ANSWER = 2;

/** How often a thread may change under us between looking and taking; the sweep comes back to it anyway. */
const MAX_TRIES = 5;

async function driveRun(deps: RunDeps, taken: Claim, hold: DriveControl): Promise<"ended" | "parked" | "broken off"> {
  const { epoch, lastSeq, early } = taken;
  const { id: runId, threadId } = taken.state.view;
  const controller = early?.controller ?? new AbortController();
  hold.begin(runId, controller, taken.foreseen);
  const sinceHere = deps.clock.now() - deps.clock.monotonic();
  let endTurn = (): void => {};
  try {
    if (isSuspect(taken)) endTurn = await hold.waitForTurn(controller.signal);
    throwIfLost(controller.signal);
    const run = early ? { ...early.run, lastSeq } : await openRun(deps, { ...taken, controller });
    const resumed = await resume(run, taken);
    if (resumed === "parked") return resumed;
    let state = resumed;
    while (state.at.kind !== "ended") {
      if (!state.crashes) endTurn();
      throwIfLost(run.signal);
      const next = await advance(run, state, sinceHere + deps.clock.monotonic());
      if (next === "parked") return next;
      state = next;
    }
    // After a first answer in plain words there is nothing yet to index, to sum up or to reconcile.
    if (state.depth > FIRST_ANSWER || state.view.step > 1) deps.afterTurn(threadId, taken.state.branchId);
    return "ended";
  } catch (error) {
    const closing = controller.signal.reason === "shutdown";
    controller.abort(error);
    const isOutage = error instanceof Unavailable || error instanceof StorageFull;
    const handOver: Write = { do: "update", table: "runs", set: { handed_over: 1 }, where: { id: runId, ended: 0 } };
    const release = deps.log.commit({
      fence: { stream: threadStream(threadId), epoch, release: true },
      events: [],
      writes: closing || isOutage ? [handOver] : [],
    });
    await release.catch(() => {});
    if (!closing) throw error;
    return "broken off";
  } finally {
    endTurn();
    hold.end();
  }
}

/**
 * Running when a process stopped, not for the first time. Such runs go on one at a time, until their step is settled: so only the one
 * that stops the process is counted again, and the others are not parked with it.
 */
const isSuspect = ({ recovered, isHandedOver, state }: Claim): boolean =>
  recovered && !isHandedOver && (state.crashes ?? 0) > 0;

/** A run that was delivered a moment ago is as it was delivered; a stop would have woken us. */
async function resume(run: RunContext, taken: Claim): Promise<RunState | "parked"> {
  const { state, early, recovered, isStopped } = taken;
  if (recovered) return recoverRun(run, taken);
  if (state.view.state === "parked") return resumeFromPark(run, state, isStopped);
  if (early) return streamAnswer(run, early.call);
  return state.view.step === 1 && state.at.kind === "ready" ? callModel(run, state, null) : state;
}

const endWait = (state: RunState): RunState =>
  state.at.kind === "ready" ? { ...state, at: { ...state.at, notBefore: 0 } } : state;

async function advance(run: RunContext, state: RunState, steadyNow: number): Promise<RunState | "parked"> {
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
      return callModel(run, state, action.last);
    case "call-tools":
      return callTools(run, state);
    case "park":
      return (await park(run, state)) ? "parked" : state;
    case "deliver-steering": {
      if (!thread) throw new Error("the thread is gone");
      const delivery = await planSteering(run, { state, inputs: steering, thread });
      // Something was withdrawn, or another branch became the active one, in this moment: look again.
      return (await run.writer.attempt(delivery.batch)) ? delivery.state : state;
    }
    case "wait":
      // One timer, which is monotonic: a wall clock that is set back must not lengthen the wait.
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
