import type { Usage } from "./run.ts";
import type { Text } from "./sentences.ts";

/**
 * Model requests and responses, independent of the provider. Provider types stay in `server/model/`. A request is plain
 * data: the same request produces the same bytes.
 */
export type PromptPart =
  | { readonly kind: "text"; readonly text: string }
  | { readonly kind: "reasoning"; readonly text: string; readonly provider?: unknown }
  | {
      readonly kind: "tool-call";
      readonly callId: string;
      readonly name: string;
      readonly input: unknown;
      /** The model's own text, if JSON.stringify(input) differs: it may have numbers that `input` cannot represent. */
      readonly inputText?: string;
      readonly provider?: unknown;
    };

export type PromptResult = {
  readonly callId: string;
  readonly name: string;
  readonly text: string;
  readonly failed: boolean;
};

/** An image by the hash of its content, which keeps requests small and their bytes stable. */
type PromptImage = { readonly hash: string; readonly mediaType: string; readonly name: string };

/**
 * Consecutive messages may have the same role; each provider's codec merges them as needed. `breakpoint`: the prefix up
 * to here will be sent again, so providers with explicit caching mark it.
 */
export type PromptMessage = (
  | { readonly role: "user"; readonly text: string; readonly images?: readonly PromptImage[] }
  | { readonly role: "assistant"; readonly parts: readonly PromptPart[] }
  | { readonly role: "tool"; readonly results: readonly PromptResult[] }
) & { readonly breakpoint?: true };

export type ToolSpec = { readonly name: string; readonly description: string; readonly inputSchema: object };

/** Reasoning effort, for models that support it. */
export const efforts = ["none", "low", "medium", "high"] as const;
export type Effort = (typeof efforts)[number];

/** `required`: the model must call some tool. */
export type ToolChoice = "auto" | "none" | "required" | { readonly tool: string };

/** Settings of one request that its caller chose. A model that does not take one of them ignores it. */
export type CallSettings = {
  readonly temperature?: number;
  readonly topP?: number;
  readonly presencePenalty?: number;
  readonly frequencyPenalty?: number;
  readonly seed?: number;
  readonly stop?: readonly string[];
  readonly maxOutputTokens?: number;
  readonly parallelToolCalls?: boolean;
  /** The effort as the caller named it. For servers that do not say whether a model takes one. */
  readonly reasoningEffort?: string;
  /** The answer must be JSON, and match the schema if there is one. */
  readonly format?: { readonly name?: string; readonly description?: string; readonly schema?: object };
};

export type ModelRequest = {
  readonly system: string;
  readonly messages: readonly PromptMessage[];
  /** Sorted by name. */
  readonly tools: readonly ToolSpec[];
  /** `tool`: the user named it in a command, so the model must call it. */
  readonly toolChoice: ToolChoice;
  readonly effort: Effort;
  readonly maxOutputTokens: number | null;
  readonly settings?: CallSettings;
  /** Base64 by hash, of the images that the messages refer to. Not part of a receipt. */
  readonly images?: Readonly<Record<string, string>>;
};

/**
 * Why a call failed, for the user and for the fallback. `fault` says who must act: `provider` may recover by waiting or
 * with another model, `request` will not, `settings` needs the operator.
 */
export type ModelFailure = Text & {
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
  readonly retryAfterMs?: number;
  /** The model's context window, if an error about a long prompt names it. */
  readonly windowTokens?: number;
};

/**
 * Why a model call ended. `unstated`: the server ended its stream without a reason. `interrupted`: the server stopped
 * midway. `pause`: the model asks to be called again to continue. `other`: an unknown reason, given in `raw`.
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

/**
 * Events of one model call. The stream ends with exactly one `finish` or `failed` and never throws. `key` identifies a
 * part within the call.
 */
export type ModelEvent =
  | { readonly type: "start"; readonly key: string; readonly kind: "text" | "reasoning" }
  | { readonly type: "delta"; readonly key: string; readonly text: string }
  /** `isReasoning`: the text of this part was reasoning, as its end shows. */
  | { readonly type: "end"; readonly key: string; readonly provider?: unknown; readonly isReasoning?: true }
  | { readonly type: "tool-start"; readonly key: string; readonly callId: string; readonly name: string }
  | {
      readonly type: "tool-call";
      readonly key: string;
      readonly callId: string;
      readonly name: string;
      /** As written by the model; the run parses it. */
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
      /** The server's reason for `other` and `interrupted`; the limit for `time-limit`. */
      readonly raw?: string;
      /** null: the provider did not report it. */
      readonly usage: Usage | null;
      /** The provider's own figure for this call, if it reports one. */
      readonly costUsd?: number;
      /** The model that answered, according to the provider, if it differs from the requested one. */
      readonly answeredBy?: string;
    }
  /** `isCharged`: the server had begun to work on the prompt, so its tokens count. */
  /** `isUnsent`: it failed before anything was sent to the provider. */
  | { readonly type: "failed"; readonly failure: ModelFailure; readonly isCharged?: true; readonly isUnsent?: true }
  /** The server has sent nothing yet. `text` says why and is shown until output arrives. */
  | ({ readonly type: "waiting" } & Text);
