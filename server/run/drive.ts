import { threadStream } from "../../protocol/ids.ts";
import { assertNever } from "../lib/assert-never.ts";
import { sleep } from "../lib/sleep.ts";
import { callModel } from "./step/call-model.ts";
import { callTools } from "./calls/call-tools.ts";
import { applyDecisions, park } from "./calls/decide.ts";
import { planContinuation } from "./continue.ts";
import { planDelivery, planSteering } from "./deliver.ts";
import { extend } from "./limits.ts";
import { endRun } from "./step/end.ts";
import { nextStep } from "./next-step.ts";
import { recoverRun } from "./recover.ts";
import { throwIfLost, type RunDeps, type Running } from "./running.ts";
import type { RowOf } from "../store/schema.ts";
import { lastSeqOn, toRunState, type RunState } from "./state.ts";

/** The lease that a drive takes: whose, and for how long without a heartbeat. */
export type Lease = { readonly holder: string; readonly ttlMs: number };

/** What the drive tells its runner, so that a stop or a shutdown reaches the work under way. */
export type Hold = { readonly begin: (runId: string) => AbortController; readonly end: () => void };

type Taken = {
  readonly state: RunState;
  readonly epoch: number;
  readonly lastSeq: number;
  readonly recovered: boolean;
  /** Further inputs waited when the lease was taken. */
  readonly more: boolean;
};

/**
 * One thread, driven until it has nothing to do: take the lease with the next input or the run left open, carry the run to
 * its end, look again. If another holds the lease there is nothing to do here.
 */
export async function driveThread(deps: RunDeps, threadId: string, lease: Lease, hold: Hold): Promise<void> {
  for (let tries = 0; tries < MOST_TRIES;) {
    const taken = await take(deps, threadId, lease);
    if (taken === "nothing") return;
    if (taken === "changed") {
      tries += 1;
      continue;
    }
    tries = 0;
    const left = await carry(deps, taken, hold);
    // What was admitted since the lease was taken has woken this thread again.
    if (left === "broken off" || !taken.more) return;
  }
}

/** Between looks at the situation; a clock may be set back. */
const LONGEST_WAIT_MS = 30_000;

/** How often a thread may change under us between looking and taking; the sweep comes back to it anyway. */
const MOST_TRIES = 5;

async function take(deps: RunDeps, threadId: string, { holder, ttlMs }: Lease): Promise<Taken | "nothing" | "changed"> {
  const stream = threadStream(threadId);
  const { read } = deps.store;
  const { free, epoch } = await read.lease(stream);
  const [thread, row, queued] = await Promise.all([
    read.thread(threadId),
    read.liveRun(threadId),
    read.queued(threadId),
  ]);
  const input = queued[0];
  if (!free || !thread || (!row && !input)) return "nothing";
  if (row?.waiting === 1 && row.stop === 0) return "nothing";
  const fence = { stream, epoch, acquire: { holder, ttlMs } };
  const delivery = row || !input ? undefined : await plan(deps, thread, input);
  const result = await deps.log.commit({ fence, ...(delivery?.batch ?? { events: [], writes: [] }) });
  if (!result.ok) return result.why === "fenced" ? "nothing" : "changed";
  const held = { stream, epoch: result.epoch ?? epoch + 1 };
  if (delivery?.state) {
    const lastSeq = lastSeqOn(stream, delivery.batch.events, result.seqs);
    return { state: delivery.state, epoch: held.epoch, lastSeq, recovered: false, more: queued.length > 1 };
  }
  // The holder before us may have written until the moment we took over: only what is read now is the run's state.
  const current = await read.liveRun(threadId);
  const state = current && toRunState(current);
  // One that lay down to wait was left by nobody.
  const recovered = state?.view.state !== "waiting";
  if (state) return { state, epoch: held.epoch, lastSeq: state.stepSeq, recovered, more: queued.length > 0 };
  await deps.log.commit({ fence: { ...held, release: true }, events: [], writes: [] });
  return "changed";
}

const plan = (deps: RunDeps, thread: RowOf<"threads">, input: RowOf<"inputs">) =>
  input.kind === "continue" ? planContinuation(deps, thread, input) : planDelivery(deps, thread, input);

async function carry(
  deps: RunDeps,
  { state: taken, epoch, lastSeq, recovered }: Taken,
  hold: Hold,
): Promise<"ended" | "parked" | "broken off"> {
  const { id: runId, threadId } = taken.view;
  const controller = hold.begin(runId);
  const writer = deps.log.open({ threadId, epoch, onLost: (error) => controller.abort(error) });
  const profile = deps.profiles.find(taken.profile ?? "stone");
  const limits = extend(profile.limits, taken.extended ?? 0);
  try {
    const catalog = await deps.catalogOf(taken.ownerId);
    const run: Running = { ...deps, writer, signal: controller.signal, catalog, profile, limits, lastSeq };
    let state = recovered ? await recoverRun(run, taken) : taken;
    // A run that was delivered a moment ago is as it was delivered; a stop would have woken us.
    if (!recovered && state.view.step === 1 && state.at.kind === "ready") state = await callModel(run, state, null);
    while (state.at.kind !== "ended") {
      throwIfLost(run.signal);
      const next = await advance(run, state);
      if (next === "parked") return next;
      state = next;
    }
    return "ended";
  } catch (error) {
    const closing = controller.signal.reason === "shutdown";
    controller.abort(error);
    const release = deps.log.commit({
      fence: { stream: threadStream(threadId), epoch, release: true },
      events: [],
      writes: [],
    });
    await release.catch(() => {});
    if (!closing) throw error;
    return "broken off";
  } finally {
    hold.end();
  }
}

async function advance(run: Running, state: RunState): Promise<RunState | "parked"> {
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
      await sleep(Math.min(action.ms, LONGEST_WAIT_MS), run.signal);
      return state;
    case "end":
      return endRun(run, { state, ending: action.ending, parts: [], writes: [] });
    case "nothing":
      return state;
    default:
      return assertNever(action);
  }
}
