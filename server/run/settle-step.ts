import type { LogEntry } from "../log/log.ts";
import { threadStream } from "../../protocol/ids.ts";
import { isTerminal, type Part, type PartOf } from "../../protocol/parts.ts";
import { countTokens } from "../lib/tokens.ts";
import type { Write } from "../store/contract.ts";
import type { Answer } from "./answer.ts";
import type { Outcome } from "./call-model.ts";
import { endRun } from "./end.ts";
import { prepareCall } from "./prepare-call.ts";
import { isStopped, type Running } from "./running.ts";
import { addCost, toRunRow, type Ending, type PendingCall, type RunState } from "./state.ts";

type Settling = {
  readonly state: RunState;
  readonly answer: Answer;
  readonly outcome: Outcome;
  readonly last: Ending | null;
};

/** The step's parts, its usage and the run's next state, in one commit: tools to run, or the end. */
export async function settleStep(run: Running, { state, answer, outcome, last }: Settling): Promise<RunState> {
  const stopped = isStopped(run.signal);
  const callIds = new Set<string>();
  const room = run.limits.calls - state.used.calls;
  let asked = 0;
  const parts = answer.parts(outcome.ok ? "done" : "cut").map((part): Part => {
    if (part.kind !== "tool") return part;
    const call = prepareCall(part, run.catalog, callIds);
    if (isTerminal(call.state)) return call;
    if (stopped) return { ...call, state: "cancelled", errorText: "Stopped before it was run." };
    asked += 1;
    if (last || asked > room) return { ...call, state: "cancelled", errorText: "Not run: the limit of this answer was reached." };
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

export type Settled = { readonly parts: readonly Part[]; readonly writes: readonly Write[] };

/** Parts and state in one commit; the step's deltas go, since their parts are whole now. */
export async function commitStep(run: Running, state: RunState, { parts, writes }: Settled): Promise<void> {
  const seqs = await run.writer.commit({
    events: [
      ...toSettled(state, parts),
      { stream: threadStream(state.view.threadId), event: { type: "run-stepped", run: state.view } },
    ],
    writes: [
      dropTransient(state),
      { do: "update", table: "runs", set: toRunRow(state), where: { id: state.view.id }, expectOne: true },
      ...writes,
    ],
  });
  run.lastSeq = seqs.at(-1) ?? run.lastSeq;
}

export const dropTransient = (state: RunState): Write => ({
  do: "delete",
  table: "events",
  where: { stream: threadStream(state.view.threadId), seq: { gt: state.stepSeq }, transient: 1 },
});

/** A call on its way is transient: it goes when its result is there. */
export const toSettled = ({ view }: RunState, parts: readonly Part[]): LogEntry[] =>
  parts.map((part) => ({
    stream: threadStream(view.threadId),
    event: { type: "part-settled", messageId: view.messageId, part },
    tokens: countPart(part),
    transient: part.kind === "tool" && !isTerminal(part.state),
  }));

/** Counted once, when written; assembling only adds up. */
function countPart(part: Part): number {
  switch (part.kind) {
    case "text":
    case "reasoning":
      return countTokens(part.text);
    case "tool":
      return countTokens(JSON.stringify([part.name, part.input, part.output ?? part.errorText ?? null]));
    default:
      return 0;
  }
}

/** With tools to run they come first; with only refused calls the model is asked again, knowing why. */
export function continueWith(state: RunState, calls: readonly PendingCall[]): RunState {
  const step = state.at.kind === "ended" ? state.view.step : state.at.step;
  if (calls.some((call) => call.state !== "ended")) {
    return { ...state, recoveries: 0, at: { kind: "tools", step, calls } };
  }
  const view = { ...state.view, step: step + 1, model: state.model };
  return { ...state, view, recoveries: 0, at: { kind: "ready", step: step + 1, tries: [], model: state.model, notBefore: 0 } };
}

const toPending = ({ n, callId, name }: PartOf<"tool">): PendingCall => ({ n, callId, name, state: "waiting" });

export function closeCall(run: Running, state: RunState, outcome: Outcome, said: string): Write[] {
  if (state.at.kind !== "calling") return [];
  const set = {
    outcome: said,
    reason: outcome.ok ? null : JSON.stringify({ code: outcome.failure.code, text: outcome.failure.text }),
    usage: JSON.stringify(outcome.usage),
    cost_usd: outcome.costUsd,
    ended_at: run.clock.now(),
  };
  return [{ do: "update", table: "calls", set, where: { id: state.at.callId } }];
}

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
