import type { FinishReason, ModelFailure } from "../../../protocol/model.ts";
import { noUsage, type Usage } from "../../../protocol/run.ts";
import { countTokens } from "../../lib/tokens.ts";
import type { Write } from "../../store/contract.ts";
import type { RunContext } from "../run-context.ts";
import type { RunState } from "../state.ts";

/** Outcome of a model call. */
export type CallOutcome = { readonly usage: Usage; readonly costUsd: number | null } & (
  | {
      readonly ok: true;
      readonly finish: FinishReason;
      /** The provider's finish reason, unmapped. */
      readonly raw: string;
      readonly answeredBy: string | null;
    }
  /** `unsentReceipt`: the receipt to delete because the call was never sent. */
  | { readonly ok: false; readonly failure: ModelFailure; readonly unsentReceipt?: string }
);

/** Estimated usage of a call that did not report it. */
export const estimate = ({ at }: RunState, text: string): Usage => ({
  ...noUsage,
  inputTokens: at.kind === "calling" ? at.promptTokens : 0,
  outputTokens: countTokens(text),
  estimated: true,
});

/** Writes the outcome of the open model call to its row. */
export function closeCall(run: RunContext, state: RunState, outcome: CallOutcome, stored: string): Write[] {
  if (state.at.kind !== "calling") return [];
  const set = {
    outcome: stored,
    reason:
      outcome.ok || stored === "stopped"
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

/** Deletes the receipt of a call that was never sent. */
export const dropReceipt = (callId: string, receiptId: string): readonly Write[] => [
  { do: "update", table: "calls", set: { receipt: null }, where: { id: callId } },
  { do: "delete", table: "receipts", where: { id: receiptId } },
];
