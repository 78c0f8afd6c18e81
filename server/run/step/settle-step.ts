import { isTerminal, type Part, type PartOf } from "../../../protocol/parts.ts";
import type { PartCollector } from "./part-collector.ts";
import { commitStep, continueWith, type StepOutput } from "../commit-step.ts";
import { endRun } from "./end.ts";
import { judgeFinish, NATURAL } from "./judge-finish.ts";
import { toNotice } from "./notice.ts";
import { openToolCallContext } from "../tool-calls/open-context.ts";
import { closeCall, type CallOutcome } from "./outcome.ts";
import { checkReported, type SentTokens } from "../reported-tokens.ts";
import { prepareCall, type PreparedToolCall } from "../tool-calls/prepare-call.ts";
import { DESTROYS } from "../tool-calls/policy.ts";
import { resolveCall } from "../tool-calls/resolve-call.ts";
import { isStopped, type RunContext } from "../running.ts";
import { addCost, type Ending, type PendingCall, type RunState } from "../state.ts";

type ToolPart = PartOf<"tool">;
type SettleOptions = {
  readonly state: RunState;
  readonly answer: PartCollector;
  readonly outcome: CallOutcome;
  readonly last: Ending | null;
  readonly continues: PartOf<"text"> | null;
  readonly sent: SentTokens;
};

/** Commits the step's parts, its usage and the run's next state together. Next are tool calls, another model call, or the end. */
export async function settleStep(run: RunContext, settling: SettleOptions): Promise<RunState> {
  const { state, answer, outcome, last } = settling;
  const stopped = isStopped(run.signal);
  const isCut = !outcome.ok || outcome.finish === "time-limit" || outcome.finish === "interrupted";
  const said = answer.parts(isCut ? "cut" : "done");
  const close = outcome.ok ? judgeFinish(outcome, settling.continues ? [settling.continues, ...said] : said) : NATURAL;
  const limit = last ?? (close.isTimeUp ? close.ending : null);
  const cancel = stopped ? STOPPED : limit ? LIMIT : close.withheld;
  const prepared = await prepareCalls(run, state, said, { cancel, isLastCut: close.isLastCallCut });
  const parts = said.map((part) => prepared.get(part.n)?.part ?? part);
  const cut = close.notice && toNotice(state, close.notice);
  const checked = await checkReported(run, {
    ...settling,
    state: { ...state, nextPart: state.nextPart + (cut ? 1 : 0) },
  });
  const notices = [...(cut ? [cut] : []), ...checked.parts];
  const paid = addCost({ ...state, nextPart: state.nextPart + notices.length }, outcome.usage, outcome.costUsd);
  const settled: StepOutput = {
    parts: [...parts, ...notices],
    writes: [...closeCall(run, paid, outcome, stopped ? "stopped" : "ok"), ...checked.writes],
  };
  if (stopped) return endRun(run, { state: paid, ending: { outcome: "stopped", reason: null }, ...settled });
  if (limit || close.withheld !== null || (prepared.size === 0 && !close.goesOn)) {
    return endRun(run, { state: paid, ending: limit ?? close.ending ?? DONE, ...settled });
  }
  const next = continueWith(paid, [...prepared.values()].flatMap(toPending));
  await commitStep(run, next, settled);
  return next;
}

const DONE: Ending = { outcome: "done", reason: null };
const STOPPED = "Not run: the answer was stopped.";
const LIMIT = "Not run: the limit of this answer was reached.";
const CUT_OFF = "The arguments were cut off by the output limit. Call the tool again with shorter arguments.";

type CancelOptions = { readonly cancel: string | null; readonly isLastCut: boolean };

async function prepareCalls(
  run: RunContext,
  state: RunState,
  said: readonly Part[],
  { cancel, isLastCut }: CancelOptions,
): Promise<ReadonlyMap<number, PreparedToolCall>> {
  const calls = said.filter((part): part is ToolPart => part.kind === "tool");
  if (calls.length === 0) return new Map();
  const context = await openToolCallContext(run, state);
  const all = await Promise.all(
    calls.map(async (call): Promise<readonly [number, PreparedToolCall]> => {
      const isCut = isLastCut && call === calls.at(-1);
      const prepared = prepareCall(
        isCut ? { ...call, state: "error", errorText: CUT_OFF, untrusted: [] } : call,
        context,
      );
      if (cancel === null || isTerminal(prepared.part.state))
        return [call.n, await nameTargets(run, state.ownerId, prepared)];
      const { asks: _, ...part } = prepared.part;
      return [call.n, { part: { ...part, state: "cancelled", errorText: cancel } }];
    }),
  );
  return new Map(all);
}

/** The user decides by names, not by ids. */
async function nameTargets(run: RunContext, userId: string, prepared: PreparedToolCall): Promise<PreparedToolCall> {
  const { part } = prepared;
  if (part.state !== "asking" || !part.asks) return prepared;
  const { tool, input } = resolveCall(part, run.catalog);
  // A target that does not exist is reported by the call itself.
  const named = await tool?.describeTargets?.(input, { read: run.store.read, userId }).catch(() => undefined);
  if (!named) return prepared;
  const isPlain = part.asks.code === DESTROYS;
  const text = isPlain ? named.text : `${part.asks.text} ${named.text}`;
  return { ...prepared, part: { ...part, title: named.title.slice(0, 300), asks: { ...part.asks, text } } };
}

function toPending({ part, approval, identity }: PreparedToolCall): PendingCall[] {
  if (isTerminal(part.state)) return [];
  const { n, callId, name } = part;
  const tool = { callId, name, ...(identity === undefined ? {} : { identity }) };
  if (part.state !== "asking") return [{ n, ...tool, state: "waiting" }];
  return [{ n, ...tool, state: "asking", ...(approval ? { grant: approval.key } : {}) }];
}
