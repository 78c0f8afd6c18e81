import { applyEvent, emptyThreadView } from "../../protocol/fold.ts";
import { threadStream } from "../../protocol/ids.ts";
import { say, sentence, type Sentence } from "../../protocol/sentences.ts";
import type { Part, PartOf } from "../../protocol/parts.ts";
import { costOf } from "../cost/cost.ts";
import { fallbackLimits } from "../model/fallback.ts";
import { toPart } from "../thread/rows.ts";
import { resolveCall } from "./tool-calls/resolve-call.ts";
import { commitStep, continueWith, type StepOutput } from "./commit-step.ts";
import { hasOnlyText, keepText, supersede } from "./step/fail-step.ts";
import { toNotice } from "./step/notice.ts";
import { closeCall, estimate, type CallOutcome } from "./step/outcome.ts";
import type { Write } from "../store/contract.ts";
import { toThreadEvent } from "../store/parse-rows.ts";
import { discardRun, MAX_CRASHES, parkRun, commitResume } from "./park.ts";
import type { RunContext } from "./run-context.ts";
import { addCost, toRunChange, type PendingCall, type RunPoint, type RunState } from "./state.ts";

const INTERRUPTED = say(sentence("server-stopped"));

type Point<K extends RunPoint["kind"]> = Extract<RunPoint, { kind: K }>;
type RecoveredStep = { readonly state: RunState } & StepOutput;

type InterruptedRun = {
  readonly state: RunState;
  /** Its process released it during an orderly shutdown, so this does not count as a crash. */
  readonly isHandedOver: boolean;
  readonly isStopped: boolean;
};

/**
 * Recovers a run that another process left unfinished. Finished steps stay. An unfinished model call is settled with its
 * streamed text. A tool call without a result is repeated or marked unknown, depending on its class. The crash is counted in a
 * separate commit before the step is read, because reading it may crash the process. After too many crashes the run is parked.
 */
export async function recoverRun(run: RunContext, left: InterruptedRun): Promise<RunState | "paused"> {
  const crashes = (left.state.crashes ?? 0) + (left.isHandedOver ? 0 : 1);
  const recoveries = left.state.recoveries + 1;
  const state: RunState = { ...left.state, recoveries, crashes, countedFrom: run.clock.now() };
  const set = { ...toRunChange(state), handed_over: 0 };
  await run.writer.commit({
    events: [],
    writes: [{ do: "update", table: "runs", set, where: { id: state.view.id }, expectOne: true }],
  });
  // It crashed again after it should have been parked, so settling the step may be the cause. Leave the step unsettled.
  const isLeft = crashes > MAX_CRASHES;
  if (left.isStopped && isLeft) return discardLeft(run, state);
  if (isLeft) {
    await parkRun(run, state, { ...state, crashes: MAX_CRASHES + 1 }, null);
    return "paused";
  }
  const { state: next, ...settled } = await settleLeft(run, state);
  if (crashes < MAX_CRASHES) {
    await commitStep(run, next, settled);
    return next;
  }
  if (left.isStopped) return discardRun(run, next, settled);
  await parkRun(run, state, next, settled);
  return "paused";
}

/** *Retry*, or *Discard* if the run was stopped. A step that was left unsettled is settled first. */
export async function resumeParked(run: RunContext, state: RunState, isStopped: boolean): Promise<RunState> {
  const isLeft = (state.crashes ?? 0) > MAX_CRASHES;
  if (isStopped && isLeft) return discardLeft(run, state);
  const resumed = await commitResume(run, state, isStopped);
  if (!isLeft) return resumed;
  const { state: next, ...settled } = await settleLeft(run, resumed);
  await commitStep(run, next, settled);
  return next;
}

/** Tries once more to settle the step, to keep its text. If that crashes the process again, the text is dropped. */
async function discardLeft(run: RunContext, state: RunState): Promise<RunState> {
  const tried = MAX_CRASHES + 2;
  if ((state.crashes ?? 0) > tried) {
    const { at } = state;
    const dropped: RunPoint =
      at.kind === "calling" ? { kind: "ready", step: at.step, tries: at.tries, model: at.model, notBefore: 0 } : at;
    return discardRun(run, { ...state, at: dropped }, { parts: [], writes: [] });
  }
  const counted: RunState = { ...state, crashes: tried + 1 };
  const change: Write = {
    do: "update",
    table: "runs",
    set: toRunChange(counted),
    where: { id: state.view.id },
    expectOne: true,
  };
  await run.writer.commit({ events: [], writes: [change] });
  const { state: next, ...settled } = await settleLeft(run, counted);
  return discardRun(run, next, settled);
}

async function settleLeft(run: RunContext, state: RunState): Promise<RecoveredStep> {
  const { at } = state;
  switch (at.kind) {
    case "calling":
      return settleCall(run, state, at);
    case "tools":
      return settleUnknown(run, state, at);
    case "ready": {
      // `notBefore` may come from the clock of another machine.
      const notBefore = Math.min(at.notBefore, run.clock.now() + fallbackLimits.maxRetryAfterMs);
      return { state: { ...state, at: { ...at, notBefore } }, parts: [], writes: [] };
    }
    case "ended":
      return { state, parts: [], writes: [] };
  }
}

/**
 * The text of an interrupted call is kept, and the next call continues it. A call that had started a tool call, or had
 * produced only reasoning, is superseded entirely: half a tool call cannot be continued, and the signature of the reasoning is lost.
 */
async function settleCall(run: RunContext, state: RunState, at: Point<"calling">): Promise<RecoveredStep> {
  const { step, tries, model } = at;
  const parts = await readStreamedParts(run, state);
  const usage = estimate(state, parts.map((part) => ("text" in part ? part.text : "")).join(""));
  const info = run.models.forUser(state.ownerId).find(model)?.info;
  const outcome: CallOutcome = {
    ok: false,
    usage,
    costUsd: info ? costOf(usage, info.prices) : null,
    failure: { code: "cut", fault: "provider", ...INTERRUPTED },
  };
  const isKept = info?.provider !== "offline" && hasOnlyText(parts);
  const continues = isKept || state.continues === true;
  const nextPart = Math.max(state.nextPart, ...parts.map((part) => part.n + 1));
  const paid = addCost({ ...state, nextPart }, usage, outcome.costUsd);
  const more = continues ? [sentence("goes-on")] : [sentence("started-again"), toLoss(outcome)];
  return {
    state: { ...paid, continues, nextPart: nextPart + 1, at: { kind: "ready", step, tries, model, notBefore: 0 } },
    parts: [
      ...(isKept ? keepText(parts, INTERRUPTED) : supersede(parts, INTERRUPTED)),
      toNotice(paid, { code: "interrupted", ...say(...INTERRUPTED.sentences, ...more) }),
    ],
    writes: closeCall(run, paid, outcome, "lost"),
  };
}

function toLoss({ usage, costUsd }: CallOutcome): Sentence {
  const tokens = usage.inputTokens + usage.outputTokens;
  return costUsd === null ? sentence("lost-tokens", tokens) : sentence("lost-cost", tokens, costUsd.toFixed(4));
}

const PAGE = 1000;

/** Rebuilds the parts of the interrupted call from its stored deltas. */
async function readStreamedParts(run: RunContext, { view, stepSeq }: RunState): Promise<readonly Part[]> {
  const stream = threadStream(view.threadId);
  const emptyMessage = { branchId: "", depth: 1, runId: view.id, variants: [], createdAt: 0 };
  const message = { ...emptyMessage, id: view.messageId, role: "assistant" as const };
  let folded = applyEvent(emptyThreadView, 1, { type: "message-added", message });
  for (let after = stepSeq; ;) {
    const rows = await run.store.read.events(stream, after, PAGE);
    for (const row of rows) {
      const event = toThreadEvent(row);
      if (event.type === "text-delta" || event.type === "tool-input-delta")
        folded = applyEvent(folded, row.seq + 1, event);
    }
    const last = rows.at(-1);
    if (!last || rows.length < PAGE) return folded.messages[0]?.parts ?? [];
    after = last.seq;
  }
}

async function settleUnknown(run: RunContext, state: RunState, at: Point<"tools">): Promise<RecoveredStep> {
  const rows = await run.store.read.partsOf(state.view.threadId, [state.view.messageId]);
  const parts = new Map(rows.map(toPart).map((part) => [part.n, part]));
  const unknown: PartOf<"tool">[] = [];
  const calls = at.calls.map((call): PendingCall => {
    const part = parts.get(call.n);
    if (call.state !== "started" || part?.kind !== "tool") return call;
    if ((resolveCall(part, run.catalog).tool?.repeat ?? "once") !== "once") return call;
    unknown.push({
      ...part,
      state: "unknown",
      errorText: "The server stopped while this tool ran. It may or may not have taken effect, and was not repeated.",
    });
    return { ...call, state: "ended" };
  });
  // This commit deletes the transient parts of calls that are still to run, so they are written again.
  const left = calls.flatMap((call) => (call.state === "ended" ? [] : (parts.get(call.n) ?? [])));
  const next = continueWith({ ...state, at: { ...at, calls } }, calls);
  return { state: next, parts: [...unknown, ...left], writes: [] };
}
