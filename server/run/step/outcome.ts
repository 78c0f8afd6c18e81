import type { FinishReason, ModelFailure } from "../../../protocol/model.ts";
import { noUsage, type Usage } from "../../../protocol/run.ts";
import { countTokens } from "../../lib/tokens.ts";
import type { RunState } from "../state.ts";

/** How a call ended: with an answer, or without. */
export type Outcome = { readonly usage: Usage; readonly costUsd: number | null } & (
  | {
      readonly ok: true;
      readonly finish: FinishReason;
      /** The server's own word for it. */
      readonly raw: string;
      readonly answeredBy: string | null;
    }
  /** `unsentReceipt`: of a call that was never sent, the receipt that its intent wrote. */
  | { readonly ok: false; readonly failure: ModelFailure; readonly unsentReceipt?: string }
);

/** Of a call that did not say itself: what was sent, and what came back. */
export const estimate = ({ at }: RunState, text: string): Usage => ({
  ...noUsage,
  inputTokens: at.kind === "calling" ? at.promptTokens : 0,
  outputTokens: countTokens(text),
  estimated: true,
});
