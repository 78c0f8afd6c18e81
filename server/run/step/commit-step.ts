import { threadStream } from "../../../protocol/ids.ts";
import { isTerminal, type Part, type PartOf } from "../../../protocol/parts.ts";
import { joinSources, type Sources } from "../../../protocol/context/untrusted.ts";
import { countTokens } from "../../lib/tokens.ts";
import type { LogEntry } from "../../log/log.ts";
import type { Write } from "../../store/contract.ts";
import type { Running } from "../running.ts";
import { toRunChange, type PendingCall, type RunState } from "../state.ts";
import type { Outcome } from "./outcome.ts";

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
      { do: "update", table: "runs", set: toRunChange(state), where: { id: state.view.id }, expectOne: true },
      ...writes,
    ],
  });
  run.lastSeq = seqs.at(-1) ?? run.lastSeq;
}

/** None is stored only where that is worth knowing: of a call whose tool has said what it read. */
export const toLabel = (untrusted: Sources, isKnown = false): { readonly untrusted?: Sources } =>
  untrusted.length > 0 || isKnown ? { untrusted } : {};

export const dropTransient = (state: RunState): Write => ({
  do: "delete",
  table: "events",
  where: { stream: threadStream(state.view.threadId), seq: { gt: state.stepSeq }, transient: 1 },
});

/**
 * A call on its way is transient: it goes when its result is there. Whatever an answer holds may derive from what was in its
 * prompt, so each part keeps those sources.
 */
export const toSettled = ({ view, untrusted }: RunState, parts: readonly Part[]): LogEntry[] =>
  parts.map((part) => ({
    stream: threadStream(view.threadId),
    event: {
      type: "part-settled",
      messageId: view.messageId,
      part: { ...part, ...toLabel(joinSources(part.untrusted, untrusted), part.untrusted !== undefined) },
    },
    tokens: countPart(part),
    transient: part.kind === "tool" && !isTerminal(part.state),
  }));

/** With tools to run they come first; with only refused calls the model is asked again, knowing why. */
export function continueWith(state: RunState, calls: readonly PendingCall[]): RunState {
  const step = state.at.kind === "ended" ? state.view.step : state.at.step;
  if (calls.some((call) => call.state !== "ended")) {
    const counts = state.at.kind === "tools" ? {} : { recoveries: 0, crashes: 0, continues: false };
    return { ...state, ...counts, at: { kind: "tools", step, calls } };
  }
  const view = { ...state.view, step: step + 1, model: state.model };
  return {
    ...state,
    view,
    recoveries: 0,
    crashes: 0,
    continues: false,
    at: { kind: "ready", step: step + 1, tries: [], model: state.model, notBefore: 0 },
  };
}

export function closeCall(run: Running, state: RunState, outcome: Outcome, said: string): Write[] {
  if (state.at.kind !== "calling") return [];
  const set = {
    outcome: said,
    reason:
      outcome.ok || said === "stopped"
        ? null
        : JSON.stringify({ code: outcome.failure.code, text: outcome.failure.text }),
    usage: JSON.stringify(outcome.usage),
    cost_usd: outcome.costUsd,
    answered_by: outcome.ok ? outcome.answeredBy : null,
    ended_at: run.clock.now(),
  };
  const { callId } = state.at;
  const unsent = outcome.ok ? undefined : outcome.unsentReceipt;
  return [
    { do: "update", table: "calls", set, where: { id: callId } },
    ...(unsent === undefined ? [] : dropReceipt(callId, unsent)),
  ];
}

/** The intent of a call writes its receipt; of a call that was never sent there is none. */
export const dropReceipt = (callId: string, receiptId: string): readonly Write[] => [
  { do: "update", table: "calls", set: { receipt: null }, where: { id: callId } },
  { do: "delete", table: "receipts", where: { id: receiptId } },
];

/** Counted once, when written, as it is sent; assembling only adds up. */
function countPart(part: Part): number {
  switch (part.kind) {
    case "text":
      return countTokens(part.text);
    case "reasoning":
      return countTokens(part.text) + countTokens(JSON.stringify(part.provider ?? ""));
    case "tool":
      return countTokens(JSON.stringify([part.name, part.input ?? {}])) + countTokens(toSent(part));
    default:
      return 0;
  }
}

const toSent = ({ state, digest, output, errorText, note = "" }: PartOf<"tool">): string => {
  const told = digest ?? (typeof output === "string" ? output : JSON.stringify(output ?? null));
  return `${note}${state === "ok" ? told : (errorText ?? state)}`;
};
