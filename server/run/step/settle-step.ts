import { joinSources, type Sources } from "../../../protocol/context/untrusted.ts";
import { joinTexts } from "../../../protocol/sentences.ts";
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
import { DESTROYS } from "../tool-calls/approval-rules.ts";
import { resolveCall } from "../tool-calls/resolve-call.ts";
import { isStopped, type RunContext } from "../run-context.ts";
import { addCost, type Ending, type PendingCall, type RunState } from "../state.ts";

type ToolPart = PartOf<"tool">;
type SettleOptions = {
  readonly state: RunState;
  readonly answer: PartCollector;
  readonly outcome: CallOutcome;
  readonly finalEnding: Ending | null;
  readonly continues: PartOf<"text"> | null;
  readonly sent: SentTokens;
};

/** Commits the step's parts, its usage and the run's next state together. Next are tool calls, another model call, or the end. */
export async function settleStep(run: RunContext, settling: SettleOptions): Promise<RunState> {
  const { state, answer, outcome, finalEnding } = settling;
  const stopped = isStopped(run.signal);
  const isCut = !outcome.ok || outcome.finish === "time-limit" || outcome.finish === "interrupted";
  const parts = answer.parts(isCut ? "cut" : "done");
  const effect = outcome.ok
    ? judgeFinish(outcome, settling.continues ? [settling.continues, ...parts] : parts)
    : NATURAL;
  const limit = finalEnding ?? (effect.isTimeUp ? effect.ending : null);
  const cancel = stopped ? STOPPED : limit ? LIMIT : effect.withheld;
  const prepared = await prepareCalls(run, state, parts, { cancel, isLastCut: effect.isLastCallCut });
  const settledParts = parts.map((part) => prepared.get(part.n)?.part ?? part);
  const cut = effect.notice && toNotice(state, effect.notice);
  const checked = await checkReported(run, {
    ...settling,
    state: { ...state, nextPart: state.nextPart + (cut ? 1 : 0) },
  });
  const notices = [...(cut ? [cut] : []), ...checked.parts];
  const paid = addCost({ ...state, nextPart: state.nextPart + notices.length }, outcome.usage, outcome.costUsd);
  const settled: StepOutput = {
    parts: [...settledParts, ...notices],
    writes: [...closeCall(run, paid, outcome, stopped ? "stopped" : "ok"), ...checked.writes],
  };
  if (stopped) return endRun(run, { state: paid, ending: { outcome: "stopped", reason: null }, ...settled });
  if (limit || effect.withheld !== null || (prepared.size === 0 && !effect.goesOn)) {
    return endRun(run, { state: paid, ending: limit ?? effect.ending ?? DONE, ...settled });
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
  parts: readonly Part[],
  { cancel, isLastCut }: CancelOptions,
): Promise<ReadonlyMap<number, PreparedToolCall>> {
  const calls = parts.filter((part): part is ToolPart => part.kind === "tool");
  if (calls.length === 0) return new Map();
  const context = await openToolCallContext(run, state);
  const all = await Promise.all(
    calls.map(async (call): Promise<readonly [number, PreparedToolCall]> => {
      const isCut = isLastCut && call === calls.at(-1);
      const prepared = prepareCall(
        isCut ? { ...call, state: "error", errorText: CUT_OFF, untrusted: [] } : call,
        context,
      );
      if (cancel === null || isTerminal(prepared.part.state)) return [call.n, await nameTargets(run, state, prepared)];
      const { asks: _, ...part } = prepared.part;
      return [call.n, { part: { ...part, state: "cancelled", errorText: cancel } }];
    }),
  );
  return new Map(all);
}

/** The user decides by names, not by ids. A call whose targets do not exist fails without asking. */
async function nameTargets(run: RunContext, state: RunState, prepared: PreparedToolCall): Promise<PreparedToolCall> {
  const { part } = prepared;
  if (part.state !== "asking" || !part.asks) return prepared;
  const { tool, input } = resolveCall(part, run.catalog);
  let untrusted: Sources = [];
  const noteSources = (more: Sources) => void (untrusted = joinSources(untrusted, more));
  const named = await tool
    ?.describeTargets?.(input, {
      ...{ read: run.store.read, userId: state.ownerId, noteSources },
      ...{ projectId: state.scope?.projectId ?? null, isShared: state.shared === true },
    })
    .catch((error: unknown) => (error instanceof Error ? error : new Error(String(error))));
  if (!named) return prepared;
  if (named instanceof Error) {
    const { asks: _, ...call } = part;
    return { part: { ...call, state: "error", errorText: named.message, untrusted } };
  }
  const hasOwnText = part.asks.code === DESTROYS;
  const { text: _, sentences: __, ...asks } = part.asks;
  const text = hasOwnText ? named.text : joinTexts(part.asks, named.text);
  const title = named.title.text.slice(0, 300);
  const titled = { ...part, title, titleSentences: named.title.sentences };
  return { ...prepared, part: { ...titled, asks: { ...asks, ...text } } };
}

function toPending({ part, approval, identity }: PreparedToolCall): PendingCall[] {
  if (isTerminal(part.state)) return [];
  const { n, callId, name } = part;
  const tool = { callId, name, ...(identity === undefined ? {} : { identity }) };
  if (part.state !== "asking") return [{ n, ...tool, state: "ready" }];
  const client = part.client ? { client: part.client } : {};
  return [{ n, ...tool, ...client, state: "asking", ...(approval ? { grant: approval.key } : {}) }];
}
