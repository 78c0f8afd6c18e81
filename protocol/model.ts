import type { Usage } from "./run.ts";

/**
 * What goes to a model and what comes back, in our words. Providers' own types stay in `server/model/`.
 * A request is plain data: the same request gives the same bytes to a provider's package.
 */
export type PromptPart =
  | { readonly kind: "text"; readonly text: string }
  | { readonly kind: "reasoning"; readonly text: string; readonly provider?: unknown }
  | {
      readonly kind: "tool-call";
      readonly callId: string;
      readonly name: string;
      readonly input: unknown;
      readonly provider?: unknown;
    };

export type PromptResult = {
  readonly callId: string;
  readonly name: string;
  readonly text: string;
  readonly failed: boolean;
};

/** A picture by the hash of its content: the same request stays small and gives the same bytes. */
export type PromptImage = { readonly hash: string; readonly mediaType: string; readonly name: string };

/**
 * Messages of one role may follow each other; each provider's codec joins them as that provider wants it. `breakpoint`: what
 * comes up to here will be sent again, so a cache is worth marking here, for providers that want it said.
 */
export type PromptMessage = (
  | { readonly role: "user"; readonly text: string; readonly images?: readonly PromptImage[] }
  | { readonly role: "assistant"; readonly parts: readonly PromptPart[] }
  | { readonly role: "tool"; readonly results: readonly PromptResult[] }
) & { readonly breakpoint?: true };

export type ToolSpec = { readonly name: string; readonly description: string; readonly inputSchema: object };

/** How hard a model is to think before it answers, where it can. */
export const efforts = ["none", "low", "medium", "high"] as const;
export type Effort = (typeof efforts)[number];

export type ToolChoice = "auto" | "none" | { readonly tool: string };

export type ModelRequest = {
  readonly system: string;
  readonly messages: readonly PromptMessage[];
  /** Sorted by name. */
  readonly tools: readonly ToolSpec[];
  /** `tool`: the person named it by a command, and it must be called. */
  readonly toolChoice: ToolChoice;
  readonly effort: Effort;
  readonly maxOutputTokens: number | null;
  /** Base64 by hash, of the pictures that the messages name. Not part of a receipt. */
  readonly images?: Readonly<Record<string, string>>;
};

/**
 * Why a call failed, for a person and for the fallback. `fault` says whose it is: `provider` may heal by waiting or by
 * another model, `request` will not, `settings` needs the operator.
 */
export type ModelFailure = {
  readonly code:
    | "unreachable"
    | "rate-limited"
    | "overloaded"
    | "server-error"
    | "stalled"
    | "timed-out"
    /** Our own time limit for one call; not worth another try. */
    | "time-limit"
    | "loading"
    | "no-tools"
    | "cut"
    | "garbled"
    | "refused"
    | "too-long"
    | "bad-request"
    | "unauthorized"
    | "no-credit"
    | "not-found"
    | "resting"
    | "unavailable";
  readonly fault: "provider" | "request" | "settings";
  readonly text: string;
  readonly retryAfterMs?: number;
  /** The model's context window, where an error about a long prompt names it. */
  readonly windowTokens?: number;
};

/**
 * Why a model call ended. `unstated`: the server marked the end of its stream but gave no reason. `interrupted`: the server gave up
 * in the middle. `pause`: the model wants to be called again to go on. `other`: a word that is not known here, in `raw`.
 */
export type FinishReason =
  | "stop"
  | "tool-calls"
  | "length"
  | "content-filter"
  | "refusal"
  | "pause"
  | "interrupted"
  | "time-limit"
  | "unstated"
  | "other";

/** One call's stream. It ends with exactly one `finish` or `failed`, never by throwing. `key` names a part within the call. */
export type ModelEvent =
  | { readonly type: "start"; readonly key: string; readonly kind: "text" | "reasoning" }
  | { readonly type: "delta"; readonly key: string; readonly text: string }
  | { readonly type: "end"; readonly key: string; readonly provider?: unknown }
  | { readonly type: "tool-start"; readonly key: string; readonly callId: string; readonly name: string }
  | {
      readonly type: "tool-call";
      readonly key: string;
      readonly callId: string;
      readonly name: string;
      /** As the model wrote it; the run parses it. */
      readonly inputText: string;
      readonly provider?: unknown;
    }
  | {
      readonly type: "source";
      readonly sourceType: "url" | "document";
      readonly url?: string;
      readonly title?: string;
      readonly mediaType?: string;
    }
  | { readonly type: "file"; readonly mediaType: string; readonly content: string }
  | {
      readonly type: "finish";
      readonly reason: FinishReason;
      /** Of `other` and `interrupted`: the server's own word. Of `time-limit`: the limit. */
      readonly raw?: string;
      /** null: the provider did not say. */
      readonly usage: Usage | null;
      /** The provider's own figure for this call, where it gives one. */
      readonly costUsd?: number;
      /** The model that the provider says answered, where it differs from the one asked. */
      readonly answeredBy?: string;
    }
  /** `isCharged`: the server had begun to work on the prompt, so its tokens count. */
  /** `isUnsent`: it failed before anything went to the provider. */
  | { readonly type: "failed"; readonly failure: ModelFailure; readonly isCharged?: true; readonly isUnsent?: true }
  /** Nothing has come yet, and this is why; shown while it lasts. */
  | { readonly type: "waiting"; readonly text: string };
