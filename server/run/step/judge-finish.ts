import type { FinishReason } from "../../../protocol/model.ts";
import type { Part } from "../../../protocol/parts.ts";
import type { Reason } from "../../../protocol/run.ts";
import type { Ending } from "../state.ts";

/** What the reason for a model call's end means for the run. */
export type Close = {
  /** How the run ends if nothing else is to be done; null: done. */
  readonly ending: Ending | null;
  /** Shown in the answer. */
  readonly notice: Reason | null;
  /** The last tool call may have been cut off in the middle: it is never run. */
  readonly isLastCallCut: boolean;
  /** The model is called again although it asked for no tool. */
  readonly goesOn: boolean;
  /** Nothing more is done, not even the calls that were asked for. */
  readonly isTimeUp: boolean;
  /** Why the calls that were asked for are not run; the run ends. null: they are. */
  readonly withheld: string | null;
};

export const NATURAL: Close = {
  ending: null,
  notice: null,
  isLastCallCut: false,
  goesOn: false,
  isTimeUp: false,
  withheld: null,
};

/**
 * Pure. An answer that did not end by itself ends the run as `limit`: what came is kept, the reason is shown, and the user can
 * choose *Continue*.
 */
export function judgeFinish(
  { finish, raw }: { readonly finish: FinishReason; readonly raw: string },
  said: readonly Part[],
): Close {
  const hasAnswer = said.some(isAnswer);
  const hasReasoning = said.some(({ kind }) => kind === "reasoning");
  const withoutAnswer: Close = { ...NATURAL, ending: early("without-answer", hasReasoning ? REASONED : EMPTY) };
  switch (finish) {
    case "length":
      return {
        ...NATURAL,
        isLastCallCut: true,
        ending: early("length", hasAnswer || !hasReasoning ? LENGTH : LENGTH_OF_REASONING),
      };
    case "interrupted":
      return { ...NATURAL, isLastCallCut: true, ending: early("interrupted", toInterrupted(raw)) };
    case "time-limit":
      return { ...NATURAL, isTimeUp: true, ending: early("time-limit", toTimeLimit(raw)) };
    case "pause":
      return { ...NATURAL, goesOn: true };
    case "content-filter":
      return { ...NATURAL, notice: { code: finish, text: FILTERED }, withheld: FILTERED_CALL };
    case "refusal":
      return { ...NATURAL, notice: { code: finish, text: REFUSED }, withheld: REFUSED_CALL };
    case "unstated":
      return hasAnswer ? { ...NATURAL, notice: { code: finish, text: UNSTATED } } : withoutAnswer;
    case "other":
      return { ...NATURAL, ending: early("other", toUnknown(raw)) };
    case "stop":
    case "tool-calls":
      return hasAnswer ? NATURAL : withoutAnswer;
  }
}

/** Reasoning and blank text are no answer. */
const isAnswer = (part: Part): boolean =>
  part.kind === "tool" || part.kind === "file" || (part.kind === "text" && part.text.trim() !== "");

const early = (code: string, text: string): Ending => ({ outcome: "limit", reason: { code: `ended-${code}`, text } });

const LENGTH = "The answer was cut off at the model's output limit. Choose Continue to let the model go on.";
const LENGTH_OF_REASONING =
  "The model used its whole output limit for reasoning and gave no answer. Choose Continue to ask again, or lower the effort.";
const FILTERED = "The provider's content filter cut this answer short.";
const REFUSED = "The model declined to answer this.";
const UNSTATED = "The model server did not say why the answer ended. It may be incomplete.";

const REASONED = "The model ended after its reasoning, without an answer. Choose Continue to ask again.";
const EMPTY = "The model gave an empty answer. Choose Continue to ask again.";
const FILTERED_CALL = "Not run: the provider's content filter stopped this answer.";
const REFUSED_CALL = "Not run: the model declined to answer.";

const toInterrupted = (raw: string): string =>
  `The model server ended the answer early (“${raw}”). Choose Continue to let the model go on.`;
const toTimeLimit = (raw: string): string =>
  `The answer took longer than the time limit of ${raw} and was cut off. Choose Continue to let the model go on.`;
const toUnknown = (raw: string): string =>
  `The model server ended the answer with the reason “${raw}”, which is not known here. The answer may be incomplete. ` +
  "Choose Continue to let the model go on.";
