import { isTerminal, type Part, type PartOf } from "../../../protocol/parts.ts";
import { toPart } from "../../thread/rows.ts";
import type { Answer } from "./answer.ts";
import { closeCall, commitStep, continueWith, type Settled } from "./commit-step.ts";
import { endRun } from "./end.ts";
import type { Outcome } from "./outcome.ts";
import { prepareCall } from "./prepare-call.ts";
import { isStopped, type Running } from "../running.ts";
import { addCost, type Ending, type PendingCall, type RunState } from "../state.ts";

type Settling = {
  readonly state: RunState;
  readonly answer: Answer;
  readonly outcome: Outcome;
  readonly last: Ending | null;
};

/** The step's parts, its usage and the run's next state, in one commit: tools to run, or the end. */
export async function settleStep(run: Running, { state, answer, outcome, last }: Settling): Promise<RunState> {
  const stopped = isStopped(run.signal);
  const said = answer.parts(outcome.ok ? "done" : "cut");
  const callIds = said.some((part) => part.kind === "tool") ? await readCallIds(run, state) : new Set<string>();
  const room = run.limits.calls - state.used.calls;
  let asked = 0;
  const parts = said.map((part): Part => {
    if (part.kind !== "tool") return part;
    const call = prepareCall(part, run.catalog, callIds);
    if (isTerminal(call.state)) return call;
    if (stopped) return { ...call, state: "cancelled", errorText: "Stopped before it was run." };
    asked += 1;
    if (last || asked > room)
      return { ...call, state: "cancelled", errorText: "Not run: the limit of this answer was reached." };
    return call;
  });
  const notice = outcome.ok ? toNotice(outcome.finish, state) : undefined;
  const all = notice ? [...parts, notice] : parts;
  const paid = addCost({ ...state, nextPart: state.nextPart + (notice ? 1 : 0) }, outcome.usage, outcome.costUsd);
  const settled: Settled = { parts: all, writes: closeCall(run, paid, outcome, stopped ? "stopped" : "ok") };
  if (stopped) return endRun(run, { state: paid, ending: { outcome: "stopped", reason: null }, ...settled });
  const calls = parts.filter((part) => part.kind === "tool");
  if (last || calls.length === 0) {
    return endRun(run, { state: paid, ending: last ?? { outcome: "done", reason: null }, ...settled });
  }
  const pending = calls.filter((part) => part.state === "ready").map(toPending);
  const next = continueWith(paid, pending);
  await commitStep(run, next, settled);
  return next;
}

/** Providers may use an id again in a later step; a message must not. */
async function readCallIds(run: Running, { view }: RunState): Promise<Set<string>> {
  const rows = await run.store.read.partsOf(view.threadId, [view.messageId]);
  return new Set(rows.map(toPart).flatMap((part) => (part.kind === "tool" ? [part.callId] : [])));
}

const toPending = ({ n, callId, name }: PartOf<"tool">): PendingCall => ({ n, callId, name, state: "waiting" });

function toNotice(finish: string, state: RunState): Part | undefined {
  const texts: Record<string, string> = {
    length: "The answer was cut at the model's output limit. Ask it to go on.",
    "content-filter": "The provider's content filter cut this answer short.",
  };
  const text = texts[finish];
  if (!text) return undefined;
  const n = state.nextPart;
  const id = `${state.view.messageId}.${n}`;
  return { id, v: 1, n, step: state.view.step, kind: "notice", level: "warning", code: finish, text };
}
