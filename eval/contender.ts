import type { MessageView } from "../protocol/fold.ts";
import type { PromptMessage, ToolSpec } from "../protocol/model.ts";
import type { Part } from "../protocol/parts.ts";

/**
 * Whoever chooses what a model sees. In: a recorded thread, message by message, step by step. Out: what would be sent at each
 * model call. No model is run: the recorded answers and results are replayed, for everybody alike.
 */
export type Contender = {
  readonly name: string;
  readonly family: "seed" | "coded" | "plain" | "peer" | "ours";
  /** What a reader of the table must know: its settings, its stand-ins. */
  readonly note: string;
  readonly start: (thread: ThreadFrame) => Session;
  /** What it makes of a part before it is first sent, once and for good. */
  readonly ingest?: (part: Part) => Part;
};

/** What stands around every request of a thread. */
export type ThreadFrame = { readonly id: string; readonly system: string; readonly tools: readonly ToolSpec[] };

export type Turn = {
  readonly question: MessageView;
  /** The answer, one list of parts for each model call that made it. */
  readonly steps: readonly (readonly Part[])[];
  /** The answer's message, whose parts are those of all steps. */
  readonly answer: MessageView;
};

export type EvalThread = ThreadFrame & { readonly turns: readonly Turn[]; readonly isSynthetic: boolean };

export type Sent = {
  readonly system: string;
  readonly messages: readonly PromptMessage[];
  /** In input tokens: what was spent since the call before on summaries, as if a model had made them. */
  readonly aside: number;
};

export type Session = {
  /** A message as it stands: a person's words, or an answer that is told at once. */
  readonly add: (message: MessageView) => void;
  /** One more step of the answer to the last words. */
  readonly grow: (answer: MessageView, step: readonly Part[]) => void;
  /** What a model would be sent now. */
  readonly request: () => Sent | Promise<Sent>;
  /** The answer is finished: what is done in the background is done. */
  readonly settle: () => void | Promise<void>;
  /** What a model would be sent if these were the next words; nothing is kept of it. */
  readonly probe: (question: MessageView) => Sent | Promise<Sent>;
};
