import type { Receipt } from "../../../protocol/context/receipt.ts";
import type { FinishReason, ModelFailure, ModelRequest } from "../../../protocol/model.ts";
import { say, sentence, type Text } from "../../../protocol/sentences.ts";
import type { PartOf } from "../../../protocol/parts.ts";
import { noUsage, type Usage } from "../../../protocol/run.ts";
import { threadStream } from "../../../protocol/ids.ts";
import { boundCost, costOf, expectCost, type BudgetRefusal } from "../../cost/cost.ts";
import type { LogEntry } from "../../log/log.ts";
import type { Model } from "../../model/model.ts";
import type { Write } from "../../store/contract.ts";
import { createPartCollector, type PartCollector } from "./part-collector.ts";
import { endRun } from "./end.ts";
import { dropReceipt, estimate, type CallOutcome } from "./outcome.ts";
import { failStep } from "./fail-step.ts";
import { prepare } from "./prepare.ts";
import { toSent, type SentTokens } from "../reported-tokens.ts";
import { findLostAccess } from "./lost-access.ts";
import { withImages } from "./with-images.ts";
import { isStopped, throwIfLost, type RunContext } from "../run-context.ts";
import { settleStep } from "./settle-step.ts";
import { toRunChange, withoutWait, type Ending, type RunState } from "../state.ts";

export type CallingState = RunState & { readonly at: Extract<RunState["at"], { readonly kind: "calling" }> };

/**
 * One model call: commits the intent, streams the answer, then commits parts, usage and the next state together. A failure of
 * the model is an outcome, not an exception. `finalEnding`: tools are off, and the run ends with this call.
 */
export async function callModel(run: RunContext, state: RunState, finalEnding: Ending | null): Promise<RunState> {
  const { call, events, writes } = await planCall(run, state, finalEnding);
  const { view } = call.calling;
  const seqs = await run.writer.commit({
    events: [...events, { stream: threadStream(view.threadId), event: { type: "run-stepped", run: view } }],
    writes: [
      { do: "update", table: "runs", set: toRunChange(call.calling), where: { id: view.id }, expectOne: true },
      ...writes,
    ],
  });
  run.lastSeq = seqs.at(-1) ?? run.lastSeq;
  return streamAnswer(run, call);
}

/** A planned model call and the rows of its intent. The call may be made once they are committed, with the run as `calling`. */
export type Intent = { readonly call: PreparedCall } & Rows;

/** The data that is needed while the answer streams. It excludes the rows of the intent, which are as large as the prompt. */
export type PreparedCall = {
  readonly calling: CallingState;
  readonly model: Model | undefined;
  readonly request: ModelRequest;
  readonly finalEnding: Ending | null;
  /** Interrupted text that this call continues. */
  readonly continues: PartOf<"text"> | null;
  readonly sent: SentTokens;
  /** Set if a budget does not allow the call. It is not made, and the run ends with this reason. */
  readonly refused: BudgetRefusal | null;
  /** null: the price is unknown. */
  readonly expectedUsd: number | null;
  /** Counted in `/metrics`. */
  readonly prompt: { readonly breaksPrefix: boolean; readonly compacts: boolean };
};

type Rows = { readonly events: readonly LogEntry[]; readonly writes: readonly Write[] };

/** Rows from preparing the call that are committed with its intent. `parts`: how many parts they add to the answer. */
export type Extra = Rows & { readonly parts?: number };
type PreparedModelCall = Awaited<ReturnType<typeof prepare>> & { readonly extra?: Extra };

/** Plans a model call. The caller commits it. */
export async function planCall(run: RunContext, state: RunState, finalEnding: Ending | null): Promise<Intent> {
  if (state.at.kind !== "ready") throw new Error("The run is not ready for a model call.");
  const model = run.models.forUser(state.ownerId).find(state.at.model);
  const prepared: PreparedModelCall = await prepare(run, state, model, finalEnding);
  // A prefetch that took too long stops here.
  throwIfLost(run.signal);
  const { request, receipt, question, isQuestionUntrusted, untrusted, offered, toolTokens, turnContext, extra } =
    prepared;
  const expectedUsd = model ? expectCost({ ...toExpected(receipt), model: model.info }) : 0;
  const refused =
    (await findLostAccess(run, state)) ??
    (await run.checkBudget(state.ownerId, state.view.threadId, expectedUsd, model?.usesOwnKey === true));
  const [callId, receiptId] = [run.ids.next(), run.ids.next()];
  const { step, tries } = state.at;
  const attempt = tries.length + 1 + state.recoveries;
  const n = state.nextPart + (extra?.parts ?? 0);
  const { toolTokens: _, ...rest } = state;
  const calling = {
    ...rest,
    ...(toolTokens === undefined ? {} : { toolTokens }),
    view: { ...withoutWait(state.view), step, model: state.at.model },
    stepSeq: run.lastSeq,
    nextPart: n + 1,
    question,
    isQuestionUntrusted,
    untrusted,
    offered,
    ...(turnContext ? { turnContext } : {}),
    at: {
      kind: "calling",
      step,
      tries,
      callId,
      model: state.at.model,
      promptTokens: refused ? 0 : receipt.promptTokens,
      fixedTokens: receipt.budget.fixed,
    },
  } satisfies RunState;
  const rows = planIntentRows(run, {
    calling,
    callId,
    receiptId,
    attempt,
    n,
    model,
    receipt,
    expectedUsd: refused ? 0 : expectedUsd,
  });
  return {
    call: {
      calling,
      model,
      request,
      finalEnding,
      continues: prepared.continues,
      refused,
      expectedUsd,
      sent: toSent(receiptId, receipt, request),
      prompt: { breaksPrefix: receipt.cache.broke === "unexplained", compacts: prepared.assembled.compaction !== null },
    },
    events: [...(extra?.events ?? []), ...rows.events],
    writes: [...(extra?.writes ?? []), ...rows.writes],
  };
}

/** Tokens expected in the provider's cache are cheaper. */
const toExpected = ({ promptTokens, cache }: Receipt) => ({ promptTokens, cachedTokens: cache.expectedRead });

/** Makes the model call after its intent was committed. */
export async function streamAnswer(run: RunContext, call: PreparedCall): Promise<RunState> {
  const { calling, model, request, finalEnding, sent, continues } = call;
  countPrompt(run, call);
  const refused = call.refused ?? (await reserve(run, call));
  if (refused) return refuse(run, calling, refused, sent.receiptId);
  const { messageId, step, model: modelId } = calling.view;
  const position = { messageId, step, firstPart: calling.nextPart };
  const answer = createPartCollector({
    writer: run.writer,
    clock: run.clock,
    ...position,
    continues: continues?.text ?? null,
  });
  const isContinued = continues !== null;
  const { receiptId } = sent;
  const outcome = model
    ? await streamObserved(run, { model, request, receiptId, answer, calling, isContinued })
    : unknownModel(modelId, receiptId);
  throwIfLost(run.signal);
  const streamed = { ...calling, nextPart: answer.nextPart() };
  if (outcome.ok || isStopped(run.signal))
    return settleStep(run, { state: streamed, answer, outcome, finalEnding, sent, continues });
  return failStep(run, { state: streamed, parts: answer.parts("cut"), outcome });
}

/** Counted after the intent was committed, so that an abandoned or repeated preparation is not counted. */
function countPrompt({ promptCounts }: RunContext, { prompt }: PreparedCall): void {
  promptCounts.prompts += 1;
  if (prompt.breaksPrefix) promptCounts.prefixBreaks += 1;
  if (prompt.compacts) promptCounts.compactions += 1;
}

/** Reserves budget after the intent was committed, so that a discarded prefetch reserves nothing. */
async function reserve(
  run: RunContext,
  { calling, model, request, expectedUsd }: PreparedCall,
): Promise<BudgetRefusal | null> {
  if (!model) return null;
  const { promptTokens, callId } = calling.at;
  return run.reserveBudget({
    callId,
    owner: calling.ownerId,
    threadId: calling.view.threadId,
    model: model.info.id,
    usesOwnKey: model.usesOwnKey === true,
    expectedUsd,
    maxUsd: boundCost({ promptTokens, maxOutputTokens: request.maxOutputTokens, model: model.info }),
  });
}

/** Ends the run without a model call. No cost is recorded, and earlier results stay. */
function refuse(
  run: RunContext,
  calling: CallingState,
  { text, sentences }: BudgetRefusal,
  receiptId: string,
): Promise<RunState> {
  const reason = { code: "budget", text, sentences };
  const set = { outcome: "refused", reason: JSON.stringify(reason), cost_usd: 0, ended_at: run.clock.now() };
  const writes: Write[] = [
    { do: "update", table: "calls", set, where: { id: calling.at.callId } },
    ...dropReceipt(calling.at.callId, receiptId),
  ];
  return endRun(run, { state: calling, ending: { outcome: "failed", reason }, parts: [], writes });
}

type CallStart = {
  readonly calling: CallingState;
  readonly callId: string;
  readonly receiptId: string;
  readonly attempt: number;
  readonly n: number;
  readonly model: Model | undefined;
  readonly receipt: Receipt;
  /** Counted as spent while the call is open, so that budget checks of concurrent calls include it. */
  readonly expectedUsd: number | null;
};

/** The rows of the intent. Once they are committed, the call may have been made. */
function planIntentRows(
  run: RunContext,
  { calling, callId, receiptId, attempt, n, model, receipt, expectedUsd }: CallStart,
): Rows {
  const { id: runId, threadId, messageId, step, model: modelId } = calling.view;
  const now = run.clock.now();
  const part: PartOf<"step"> = { id: `${messageId}.${n}`, v: 1, n, step, kind: "step", attempt, model: modelId };
  const stream = threadStream(threadId);
  return {
    events: [{ stream, event: { type: "part-settled", messageId, part } }],
    writes: [
      {
        do: "insert",
        table: "receipts",
        row: { id: receiptId, thread: threadId, v: receipt.v, body: JSON.stringify(receipt), created_at: now },
      },
      {
        do: "insert",
        table: "calls",
        row: {
          id: callId,
          thread: threadId,
          run: runId,
          purpose: "answer",
          step,
          attempt,
          model: modelId,
          answered_by: null,
          provider: model?.info.provider ?? "",
          outcome: "open",
          reason: null,
          usage: JSON.stringify(noUsage),
          cost_usd: expectedUsd,
          reserved_usd: null,
          receipt: receiptId,
          started_at: now,
          ended_at: null,
          owner: calling.ownerId,
          job: null,
          own_key: model?.usesOwnKey ? 1 : 0,
        },
      },
    ],
  };
}

type StreamOptions = {
  readonly model: Model;
  readonly request: ModelRequest;
  readonly receiptId: string;
  readonly answer: PartCollector;
  readonly calling: CallingState;
  /** The answer has text from before, so an empty continuation is not a failure. */
  readonly isContinued: boolean;
};

async function streamObserved(run: RunContext, options: StreamOptions): Promise<CallOutcome> {
  const { model, request, answer, calling } = options;
  const { id: runId, threadId } = calling.view;
  const end = run.observe({
    ...{ kind: "model", runId, threadId, provider: model.info.provider, model: model.info.id },
    isTemporary: calling.temporary === true,
    input: () => JSON.stringify([{ role: "system", text: request.system }, ...request.messages]),
  });
  const output = () => answer.text();
  try {
    const outcome = await stream(run, options);
    const code = outcome.ok ? "ok" : run.signal.aborted ? "stopped" : outcome.failure.code;
    end({ outcome: code, isFailure: code !== "ok" && code !== "stopped", usage: outcome.usage, output });
    return outcome;
  } catch (error) {
    end({ outcome: "error", isFailure: true, output });
    throw error;
  }
}

async function stream(
  run: RunContext,
  { model, request, receiptId, answer, calling, isContinued }: StreamOptions,
): Promise<CallOutcome> {
  const whole = await withImages(run.store.read, request, calling);
  const isFirst = calling.at.step === 1 || calling.continues === true;
  const isAskedFor = isFirst && calling.at.tries.length === 0;
  for await (const event of model.stream(whole, run.signal, { isAskedFor })) {
    if (event.type === "failed" && event.isUnsent)
      return { ok: false, failure: event.failure, usage: noUsage, costUsd: 0, unsentReceipt: receiptId };
    if (run.signal.aborted) break;
    if (event.type === "finish") {
      const usage = event.usage ?? estimate(calling, answer.text());
      const costUsd = event.costUsd ?? costOf(usage, model.info.prices);
      if (answer.parts("done").length > 0 || isContinued) {
        const { reason, raw = "", answeredBy = null } = event;
        return { ok: true, finish: reason, raw, answeredBy, usage, costUsd };
      }
      return { ok: false, failure: toEmptyAnswerFailure(event.reason, event.raw), usage, costUsd };
    }
    if (event.type === "failed") {
      return { ok: false, failure: event.failure, ...estimateCharge(model, calling, answer, event.isCharged) };
    }
    if (event.type === "waiting") await showWaiting(run, calling, event);
    else answer.take(event);
  }
  return { ok: false, failure: ENDED_EARLY, ...estimateCharge(model, calling, answer, true) };
}

/** Shows why the call is waiting, until the run's next event. */
async function showWaiting(run: RunContext, calling: CallingState, { text, sentences }: Text): Promise<void> {
  const shown = { waitingFor: text, ...(sentences ? { waitingSentences: sentences } : {}) };
  const waiting = { ...calling, view: { ...calling.view, ...shown } };
  const { id, threadId } = calling.view;
  const seqs = await run.writer.commit({
    events: [{ stream: threadStream(threadId), event: { type: "run-stepped", run: waiting.view } }],
    writes: [{ do: "update", table: "runs", set: toRunChange(waiting), where: { id }, expectOne: true }],
  });
  run.lastSeq = seqs.at(-1) ?? run.lastSeq;
}

/** Estimates the usage of a call that did not report it: its output, and its prompt if the server had started to process it. */
function estimateCharge(
  model: Model,
  calling: RunState,
  answer: PartCollector,
  isCharged = false,
): { usage: Usage; costUsd: number | null } {
  const text = answer.text();
  const usage = text === "" && !isCharged ? noUsage : estimate(calling, text);
  return { usage, costUsd: costOf(usage, model.info.prices) };
}

const ENDED_EARLY: ModelFailure = {
  code: "cut",
  fault: "provider",
  ...say(sentence("answer-incomplete")),
};

/** Failure of a call that ended without any part. */
const toEmptyAnswerFailure = (reason: FinishReason, raw = ""): ModelFailure => {
  switch (reason) {
    case "content-filter":
      return { code: "refused", fault: "request", ...say(sentence("filter-withheld")) };
    case "refusal":
      return { code: "refused", fault: "request", ...say(sentence("model-declined")) };
    case "length":
      return {
        code: "garbled",
        fault: "provider",
        ...say(sentence("no-room")),
      };
    case "interrupted":
      return {
        code: "server-error",
        fault: "provider",
        ...say(sentence("ended-before-start", raw)),
      };
    default:
      return {
        code: "garbled",
        fault: "provider",
        ...say(sentence("empty-answer")),
      };
  }
};

const unknownModel = (id: string, receiptId: string): CallOutcome => ({
  ok: false,
  unsentReceipt: receiptId,
  usage: noUsage,
  costUsd: 0,
  failure: {
    code: "not-found",
    fault: "settings",
    ...say(sentence("model-missing", id)),
  },
});
