import type { Part } from "../../protocol/parts.ts";
import type { Reason } from "../../protocol/run.ts";
import { renderStatus } from "./tool-calls/decide.ts";
import type { Running } from "./running.ts";
import { toRunChange, type RunState } from "./state.ts";
import { dropTransient, toSettled, type Settled } from "./step/commit-step.ts";
import { endRun } from "./step/end.ts";

/** A step during which so many processes stopped is not tried again until the user says so. */
export const MOST_CRASHES = 3;

/**
 * Parks a run and releases its lease. It waits, with everything behind it in the queue, until the user retries or discards
 * it. `crashed` is the state in which its last process stopped. Without `settled` the step stays as it is, with what it streamed.
 */
export async function parkRun(
  run: Running,
  crashed: RunState,
  state: RunState,
  settled: Settled | null,
): Promise<void> {
  const parked: RunState = { ...state, view: { ...state.view, state: "parked", reason: toReason(run, crashed) } };
  const status = renderStatus(parked, "waiting");
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
        set: { ...toRunChange(parked), waiting: 1 },
        where: { id: state.view.id },
        expectOne: true,
      },
      ...status.writes,
    ],
  });
}

/** A call without effects is shown as waiting. Others keep `running`, so that discarding tells that they may have happened. */
const toIdle = (run: Running, part: Part): Part =>
  part.kind === "tool" && part.state === "running" && run.catalog.find(part.name)?.repeat === "pure"
    ? { ...part, state: "ready" }
    : part;

/** *Retry*: the step gets as many attempts again. *Discard* is a stop; it ends the run without reading what it wrote. */
export async function resumeParked(run: Running, state: RunState, isStopped: boolean): Promise<RunState> {
  if (isStopped) return discardRun(run, state, { parts: [], writes: [] });
  const next: RunState = { ...state, crashes: 0, view: { ...state.view, state: "running", reason: null } };
  const { events, writes } = renderStatus(next, "streaming");
  const set = { ...toRunChange(next), waiting: 0 };
  await run.writer.commit({
    events,
    writes: [{ do: "update", table: "runs", set, where: { id: state.view.id }, expectOne: true }, ...writes],
  });
  return next;
}

/** Whatever stopped the server may be in the text of the answer, so it is neither cited nor previewed. */
export const discardRun = (run: Running, state: RunState, settled: Settled): Promise<RunState> =>
  endRun(run, { state, ending: { outcome: "stopped", reason: null }, isPlain: true, ...settled });

const toReason = (run: Running, { at }: RunState): Reason => ({
  code: "parked",
  text:
    `The server stopped three times while ${describe(run, at)}. This answer is parked so that it cannot stop ` +
    "the server again. Retry runs the step once more; Discard ends the answer and keeps what it has so far.",
});

function describe(run: Running, at: RunState["at"]): string {
  if (at.kind === "tools") {
    const names = new Set(at.calls.flatMap((call) => (call.state === "started" ? [`\`${call.name}\``] : [])));
    return names.size > 0 ? `running ${[...names].join(", ")}` : "preparing tool calls";
  }
  if (at.kind === "ended") return "ending this answer";
  const model = run.models.find(at.model)?.info.name ?? at.model;
  return at.kind === "calling" ? `${model} was answering` : `preparing the request to ${model}`;
}
