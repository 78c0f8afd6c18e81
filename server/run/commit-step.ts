import { threadStream } from "../../protocol/ids.ts";
import { isTerminal, type Part, type PartOf } from "../../protocol/parts.ts";
import { joinSources, type Sources } from "../../protocol/context/untrusted.ts";
import { countTokens } from "../lib/tokens.ts";
import type { LogEntry } from "../log/log.ts";
import type { Write } from "../store/contract.ts";
import type { RunContext } from "./run-context.ts";
import { toRunChange, type PendingCall, type RunState } from "./state.ts";

export type StepOutput = { readonly parts: readonly Part[]; readonly writes: readonly Write[] };

/** Commits parts and state together, and deletes the step's deltas, which the complete parts replace. */
export async function commitStep(run: RunContext, state: RunState, { parts, writes }: StepOutput): Promise<void> {
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

/** Label for a part. An empty list is stored only if the tool reported its sources: absent means unknown. */
export const toLabel = (untrusted: Sources, isKnown = false): { readonly untrusted?: Sources } =>
  untrusted.length > 0 || isKnown ? { untrusted } : {};

export const dropTransient = (state: RunState): Write => ({
  do: "delete",
  table: "events",
  where: { stream: threadStream(state.view.threadId), seq: { gt: state.stepSeq }, transient: 1 },
});

/**
 * Events for settled parts. An unfinished tool call is transient and replaced by its result. Each part is labeled with the
 * untrusted sources of its prompt, because its text may derive from them.
 */
export const toSettled = ({ view, untrusted }: RunState, parts: readonly Part[]): LogEntry[] =>
  parts.map((part) => ({
    stream: threadStream(view.threadId),
    event: {
      type: "part-settled",
      messageId: view.messageId,
      part: { ...part, ...toLabel(joinSources(part.untrusted, untrusted), part.untrusted !== undefined) },
    },
    // A superseded part is in no prompt and in no summary.
    tokens: part.aside === undefined ? countPart(part) : 0,
    transient: part.kind === "tool" && !isTerminal(part.state),
  }));

/** The state after a step: open tool calls run next. If all calls have ended, the model is called again with their results. */
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

/** Token count of a part as it is sent. Counted once, when the part is written. */
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
  const result = digest ?? (typeof output === "string" ? output : JSON.stringify(output ?? null));
  return `${note}${state === "ok" ? result : (errorText ?? state)}`;
};
