import type { ServerResponse } from "node:http";
import { healthyReply, toSse } from "../../support/chat-wire.ts";
import type { Fault, ProviderCall, RecordedReply } from "../../support/provider-server.ts";

/** The behavior of one kind of model server in one situation, and what a user of Stonechat sees. */
export type Scenario = {
  /** The software or provider that behaves like this. */
  readonly server: string;
  readonly name: string;
  /** The provider package that reads it; the OpenAI-compatible one by default. */
  readonly provider?: Provider;
  /** Its error for a prompt that is too long, for the table in docs/providers.md. */
  readonly says?: { readonly status: number; readonly words: string };
  /** In order; the last one repeats. */
  readonly replies: readonly Reply[];
  readonly outcome: "done" | "limit" | "failed";
  /** The notice or error that the user sees; null: none. `{server}` is the address of the compatible server. */
  readonly sentence: string | null;
  /** The text of the answer; empty if there is none. */
  readonly answer: string;
  /** Model calls of the turn. */
  readonly calls: number;
  /** Long turns come before it, so that the prompt can be shortened. */
  readonly isLong?: true;
  /** Runs with short timeouts. */
  readonly hasShortTimeouts?: true;
  /** Shown while the answer is running. */
  readonly waitingFor?: string;
  readonly answeredBy?: string;
  /** Checks the requests that the server received. */
  readonly requests?: (bodies: readonly string[]) => boolean;
  /** Tool calls and how they ended, as `name state`. */
  readonly tools?: readonly string[];
  /** The reasoning of the answer. */
  readonly reasoning?: string;
  /** Whether the tokens of the turn are an estimate. */
  readonly isEstimated?: boolean;
};

export type Provider = "compatible" | "openrouter" | "openai" | "anthropic" | "google";
export type Reply = Fault | RecordedReply | ((call: ProviderCall, context: ReplyContext) => Fault | RecordedReply);

/** Resolves when the page shows what the answer is waiting for. */
export type ReplyContext = { readonly isShown: Promise<void> };

export const HEALTHY = "All is well.";
export const healthy: Reply = healthyReply(HEALTHY);

/** An HTTP status with a JSON or text body. */
export const status = (code: number, body: object | string, headers: Record<string, string> = {}): RecordedReply => ({
  status: code,
  headers: { "content-type": typeof body === "string" ? "text/plain" : "application/json", ...headers },
  body: typeof body === "string" ? body : JSON.stringify(body),
});

export const error = (message: string, type = "error", code: string | number | null = null) => ({
  error: { message, type, code },
});

export const events = (...list: readonly object[]): RecordedReply => ({ body: toSse(list) });

/** A literal event stream. */
export const raw = (body: string, headers: Record<string, string> = {}): RecordedReply => ({ headers, body });

/** A function that writes the response. */
export const write =
  (respond: (res: ServerResponse, context: ReplyContext) => void | Promise<void>): Reply =>
  (_call, context) => ({
    name: "",
    respond: (_again, res) => {
      res.writeHead(200, { "content-type": "text/event-stream" });
      res.flushHeaders();
      return respond(res, context);
    },
  });

/** Rejects prompts above this size and answers shorter ones. */
export const refuseLong =
  (refusal: RecordedReply, mostCharacters = 18_000): Reply =>
  (call) =>
    call.text.length > mostCharacters ? refusal : healthyReply(HEALTHY);
