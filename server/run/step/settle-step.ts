import { isTerminal, type Part, type PartOf } from "../../../protocol/parts.ts";
import type { Answer } from "./answer.ts";
import { closeCall, commitStep, continueWith, type Settled } from "./commit-step.ts";
import { endRun } from "./end.ts";
import { openDesk } from "../calls/open-desk.ts";
import type { Outcome } from "./outcome.ts";
import { prepareCall, type Prepared } from "../calls/prepare-call.ts";
import { isStopped, type Running } from "../running.ts";
import { addCost, type Ending, type PendingCall, type RunState } from "../state.ts";

type ToolPart = PartOf<"tool">;
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
  const prepared = await prepareCalls(run, state, said, stopped ? STOPPED : last ? LIMIT : null);
  const parts = said.map((part) => prepared.get(part.n)?.part ?? part);
  const notice = outcome.ok ? toNotice(outcome.finish, state) : undefined;
  const all = notice ? [...parts, notice] : parts;
  const paid = addCost({ ...state, nextPart: state.nextPart + (notice ? 1 : 0) }, outcome.usage, outcome.costUsd);
  const settled: Settled = { parts: all, writes: closeCall(run, paid, outcome, stopped ? "stopped" : "ok") };
  if (stopped) return endRun(run, { state: paid, ending: { outcome: "stopped", reason: null }, ...settled });
  if (last || prepared.size === 0) {
    return endRun(run, { state: paid, ending: last ?? { outcome: "done", reason: null }, ...settled });
  }
  const next = continueWith(paid, [...prepared.values()].flatMap(toPending));
  await commitStep(run, next, settled);
  return next;
}

const STOPPED = "Stopped before it was run.";
const LIMIT = "Not run: the limit of this answer was reached.";

async function prepareCalls(
  run: Running,
  state: RunState,
  said: readonly Part[],
  cancel: string | null,
): Promise<ReadonlyMap<number, Prepared>> {
  const calls = said.filter((part): part is ToolPart => part.kind === "tool");
  if (calls.length === 0) return new Map();
  const desk = await openDesk(run, state);
  return new Map(
    calls.map((call) => {
      const prepared = prepareCall(call, desk);
      if (cancel === null || isTerminal(prepared.part.state)) return [call.n, prepared];
      const { asks: _, ...part } = prepared.part;
      return [call.n, { part: { ...part, state: "cancelled", errorText: cancel } }];
    }),
  );
}

function toPending({ part, question }: Prepared): PendingCall[] {
  if (isTerminal(part.state)) return [];
  const { n, callId, name } = part;
  return [{ n, callId, name, ...(question ? { state: "asking", grant: question.key } : { state: "waiting" }) }];
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
