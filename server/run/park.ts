import type { Part } from "../../protocol/parts.ts";
import { say, sentence, type Sentence } from "../../protocol/sentences.ts";
import type { Reason } from "../../protocol/run.ts";
import { toStatusChange } from "./tool-calls/wait-for-user.ts";
import type { RunContext } from "./run-context.ts";
import { toRunChange, type RunState } from "./state.ts";
import { dropTransient, toSettled, type StepOutput } from "./commit-step.ts";
import { endRun } from "./step/end.ts";
import { runWaiting } from "../store/contract.ts";

/** A step that was interrupted by this many crashes is retried only if the user asks for it. */
export const MAX_CRASHES = 3;

/**
 * Parks a run and releases its lease. The run and the queued inputs after it wait until the user retries or discards it.
 * `crashed` is the state in which its last process stopped. Without `settled` the unfinished step and its deltas stay unchanged.
 */
export async function parkRun(
  run: RunContext,
  crashed: RunState,
  state: RunState,
  settled: StepOutput | null,
): Promise<void> {
  const parked: RunState = { ...state, view: { ...state.view, state: "parked", reason: toReason(run, crashed) } };
  const status = toStatusChange(parked, "waiting");
  const pushes = await run.planPush({ threadId: state.view.threadId, ...state });
  await run.writer.commit({
    release: true,
    events: [
      ...toSettled(
        parked,
        (settled?.parts ?? []).map((part) => toIdle(run, part)),
      ),
      ...status.events,
    ],
    writes: [
      ...(settled ? [dropTransient(state), ...settled.writes] : []),
      {
        do: "update",
        table: "runs",
        set: { ...toRunChange(parked), waiting: runWaiting.forUser },
        where: { id: state.view.id },
        expectOne: true,
      },
      ...status.writes,
      ...pushes,
    ],
  });
}

/** A call without effects is shown as waiting. Others stay `running`, so that *Discard* reports that they may have happened. */
const toIdle = (run: RunContext, part: Part): Part =>
  part.kind === "tool" && part.state === "running" && run.catalog.find(part.name)?.repeat === "pure"
    ? { ...part, state: "ready" }
    : part;

/** *Retry* resets the crash count and the time limit. *Discard* is a stop: it ends the run without reading its text. */
export async function commitResume(run: RunContext, state: RunState, isStopped: boolean): Promise<RunState> {
  if (isStopped) return discardRun(run, state, { parts: [], writes: [] });
  const view = { ...state.view, state: "running" as const, reason: null };
  const next: RunState = { ...state, crashes: 0, countedFrom: run.clock.now(), view };
  const { events, writes } = toStatusChange(next, "streaming");
  const set = { ...toRunChange(next), waiting: runWaiting.no };
  await run.writer.commit({
    events,
    writes: [{ do: "update", table: "runs", set, where: { id: state.view.id }, expectOne: true }, ...writes],
  });
  return next;
}

/** The text of the answer may be what crashes the server, so it is not parsed for citations or a preview. */
export const discardRun = (run: RunContext, state: RunState, settled: StepOutput): Promise<RunState> =>
  endRun(run, { state, ending: { outcome: "stopped", reason: null }, skipsTextChecks: true, ...settled });

const toReason = (run: RunContext, { at }: RunState): Reason => ({
  code: "parked",
  ...say(describe(run, at), sentence("parked-choice")),
});

function describe(run: RunContext, at: RunState["at"]): Sentence {
  if (at.kind === "tools") {
    const names = new Set(at.calls.flatMap((call) => (call.state === "started" ? [`\`${call.name}\``] : [])));
    return names.size > 0 ? sentence("parked-running", [...names].join(", ")) : sentence("parked-preparing");
  }
  if (at.kind === "ended") return sentence("parked-ending");
  const model = run.models.find(at.model)?.info.name ?? at.model;
  return sentence(at.kind === "calling" ? "parked-answering" : "parked-request", model);
}
