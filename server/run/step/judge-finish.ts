import type { FinishReason } from "../../../protocol/model.ts";
import type { Part } from "../../../protocol/parts.ts";
import type { Reason } from "../../../protocol/run.ts";
import type { Ending } from "../state.ts";

/** How the run continues after a model call, depending on its finish reason. */
export type FinishEffect = {
  /** How the run ends if no tool call is open; null: `done`. */
  readonly ending: Ending | null;
  /** Shown in the answer. */
  readonly notice: Reason | null;
  /** The last tool call may have been cut off in the middle: it is never run. */
  readonly isLastCallCut: boolean;
  /** The model is called again although it asked for no tool. */
  readonly goesOn: boolean;
  /** The time limit is over: pending tool calls are not run. */
  readonly isTimeUp: boolean;
  /** If set, the run ends, and its tool calls are not run for this reason. */
  readonly withheld: string | null;
};

export const NATURAL: FinishEffect = {
  ending: null,
  notice: null,
  isLastCallCut: false,
  goesOn: false,
  isTimeUp: false,
  withheld: null,
};

/**
 * Pure. An answer that was cut off ends the run as `limit`: its text is kept, the reason is shown, and the user can choose
 * *Continue*.
 */
export function judgeFinish(
  { finish, raw }: { readonly finish: FinishReason; readonly raw: string },
  said: readonly Part[],
): FinishEffect {
  const hasAnswer = said.some(isAnswer);
  const hasReasoning = said.some(({ kind }) => kind === "reasoning");
  const withoutAnswer: FinishEffect = {
    ...NATURAL,
    ending: endEarly("without-answer", hasReasoning ? REASONED : EMPTY),
  };
  switch (finish) {
    case "length":
      return {
        ...NATURAL,
        isLastCallCut: true,
        ending: endEarly("length", hasAnswer || !hasReasoning ? LENGTH : LENGTH_OF_REASONING),
      };
    case "interrupted":
      return { ...NATURAL, isLastCallCut: true, ending: endEarly("interrupted", toInterrupted(raw)) };
    case "time-limit":
      return { ...NATURAL, isTimeUp: true, ending: endEarly("time-limit", toTimeLimit(raw)) };
    case "pause":
      return { ...NATURAL, goesOn: true };
    case "content-filter":
      return { ...NATURAL, notice: { code: finish, text: FILTERED }, withheld: FILTERED_CALL };
    case "refusal":
      return { ...NATURAL, notice: { code: finish, text: REFUSED }, withheld: REFUSED_CALL };
    case "unstated":
      return hasAnswer ? { ...NATURAL, notice: { code: finish, text: UNSTATED } } : withoutAnswer;
    case "other":
      return { ...NATURAL, ending: endEarly("other", toUnknown(raw)) };
    case "stop":
    case "tool-calls":
      return hasAnswer ? NATURAL : withoutAnswer;
  }
}

/** Reasoning and blank text do not count as an answer. */
const isAnswer = (part: Part): boolean =>
  part.kind === "tool" || part.kind === "file" || (part.kind === "text" && part.text.trim() !== "");

const endEarly = (code: string, text: string): Ending => ({
  outcome: "limit",
  reason: { code: `ended-${code}`, text },
});

const LENGTH = "The answer was cut off at the model's output limit. Choose Continue to get the rest.";
const LENGTH_OF_REASONING =
  "The model used its whole output limit for reasoning and gave no answer. Choose Continue to ask again, or lower the effort.";
const FILTERED = "The provider's content filter cut this answer short.";
const REFUSED = "The model declined to answer this.";
const UNSTATED = "The model server did not say why the answer ended. It may be incomplete.";

const REASONED = "The model stopped after its reasoning, without an answer. Choose Continue to ask again.";
const EMPTY = "The model gave an empty answer. Choose Continue to ask again.";
const FILTERED_CALL = "Not run: the provider's content filter stopped this answer.";
const REFUSED_CALL = "Not run: the model declined to answer.";

const toInterrupted = (raw: string): string =>
  `The model server ended the answer early (“${raw}”). Choose Continue to get the rest.`;
const toTimeLimit = (raw: string): string =>
  `The answer took longer than the time limit of ${raw} and was cut off. Choose Continue to get the rest.`;
const toUnknown = (raw: string): string =>
  `The model server ended the answer with the unknown reason “${raw}”. The answer may be incomplete. ` +
  "Choose Continue to get the rest.";
