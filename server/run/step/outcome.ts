import type { FinishReason, ModelFailure } from "../../../protocol/model.ts";
import { noUsage, type Usage } from "../../../protocol/run.ts";
import { countTokens } from "../../lib/tokens.ts";
import type { RunState } from "../state.ts";

/** Outcome of a model call. */
export type Outcome = { readonly usage: Usage; readonly costUsd: number | null } & (
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
