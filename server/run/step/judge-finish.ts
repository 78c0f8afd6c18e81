import type { FinishReason } from "../../../protocol/model.ts";
import type { Part } from "../../../protocol/parts.ts";
import type { Reason } from "../../../protocol/run.ts";
import { say, sentence, type Sentence } from "../../../protocol/sentences.ts";
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
  parts: readonly Part[],
): FinishEffect {
  const hasAnswer = parts.some(isAnswer);
  const hasReasoning = parts.some(({ kind }) => kind === "reasoning");
  const withoutAnswer: FinishEffect = {
    ...NATURAL,
    ending: endEarly(
      "without-answer",
      sentence(hasReasoning ? "ended-only-reasoned" : "ended-empty"),
      sentence("continue-again"),
    ),
  };
  switch (finish) {
    case "length":
      return {
        ...NATURAL,
        isLastCallCut: true,
        ending:
          hasAnswer || !hasReasoning
            ? endEarly("length", sentence("ended-length"), sentence("continue-rest"))
            : endEarly("length", sentence("ended-reasoning"), sentence("continue-effort")),
      };
    case "interrupted":
      return {
        ...NATURAL,
        isLastCallCut: true,
        ending: endEarly("interrupted", sentence("ended-interrupted", raw), sentence("continue-rest")),
      };
    case "time-limit":
      return {
        ...NATURAL,
        isTimeUp: true,
        ending: endEarly("time-limit", sentence("ended-time", raw), sentence("continue-rest")),
      };
    case "pause":
      return { ...NATURAL, goesOn: true };
    case "content-filter":
      return { ...NATURAL, notice: { code: finish, ...say(sentence("filter-cut")) }, withheld: FILTERED_CALL };
    case "refusal":
      return { ...NATURAL, notice: { code: finish, ...say(sentence("declined")) }, withheld: REFUSED_CALL };
    case "unstated":
      return hasAnswer ? { ...NATURAL, notice: { code: finish, ...say(sentence("unstated")) } } : withoutAnswer;
    case "other":
      return { ...NATURAL, ending: endEarly("other", sentence("ended-other", raw), sentence("continue-rest")) };
    case "stop":
    case "tool-calls":
      return hasAnswer ? NATURAL : withoutAnswer;
  }
}

/** Reasoning and blank text do not count as an answer. */
const isAnswer = (part: Part): boolean =>
  part.kind === "tool" || part.kind === "file" || (part.kind === "text" && part.text.trim() !== "");

const endEarly = (code: string, ...sentences: readonly Sentence[]): Ending => ({
  outcome: "limit",
  reason: { code: `ended-${code}`, ...say(...sentences) },
});

const FILTERED_CALL = "Not run: the provider's content filter stopped this answer.";
const REFUSED_CALL = "Not run: the model declined to answer.";
