import type { MessageView } from "../protocol/fold.ts";
import type { PromptMessage, ToolSpec } from "../protocol/model.ts";
import type { Part } from "../protocol/parts.ts";

/**
 * A strategy that chooses the prompt of each model call. It is fed a recorded thread step by step and returns the requests.
 * No model is run: all contestants get the same recorded answers and results.
 */
export type Contestant = {
  readonly name: string;
  readonly family: "seed" | "coded" | "plain" | "peer" | "ours";
  /** Notes for readers of the table: settings and substitutes. */
  readonly note: string;
  readonly start: (thread: ThreadFrame) => Session;
  /** Transforms a part once, before it is first sent. */
  readonly ingest?: (part: Part) => Part;
};

/** Constant parts of every request of a thread. */
export type ThreadFrame = { readonly id: string; readonly system: string; readonly tools: readonly ToolSpec[] };

export type Turn = {
  readonly question: MessageView;
  /** The answer, one list of parts for each model call that made it. */
  readonly steps: readonly (readonly Part[])[];
  /** The answer's message, whose parts are those of all steps. */
  readonly answer: MessageView;
};

export type EvalThread = ThreadFrame & { readonly turns: readonly Turn[]; readonly isSynthetic: boolean };

export type SentPrompt = {
  readonly system: string;
  readonly messages: readonly PromptMessage[];
  /** In input tokens: what was spent since the call before on summaries, as if a model had made them. */
  readonly aside: number;
};

export type Session = {
  /** A complete message: from the user, or an answer in one piece. */
  readonly add: (message: MessageView) => void;
  /** One more step of the answer to the last words. */
  readonly grow: (answer: MessageView, step: readonly Part[]) => void;
  /** The request at this point. */
  readonly request: () => SentPrompt | Promise<SentPrompt>;
  /** The answer is finished: what is done in the background is done. */
  readonly settle: () => void | Promise<void>;
  /** The request if this were the next user message. Changes no state. */
  readonly probe: (question: MessageView) => SentPrompt | Promise<SentPrompt>;
};
