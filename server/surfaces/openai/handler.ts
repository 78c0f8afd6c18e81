import type { Principal } from "../../auth/principal.ts";
import type { Log } from "../../log/log.ts";
import type { ModelAccess } from "../../model/model-access.ts";
import type { Models } from "../../model/model.ts";
import type { AskDeps, RetryMark } from "./admit-request.ts";
import type { OpenAiError } from "./errors.ts";

export type OpenAiDeps = AskDeps & {
  readonly log: Log;
  readonly models: Models;
  readonly access: ModelAccess;
  readonly onError: (error: unknown) => void;
};

/** Aborted with this reason when the client has closed its connection. */
export const CLIENT_GONE = "client-gone";

export type OpenAiRequest = {
  readonly principal: Principal;
  readonly params: Readonly<Record<string, string>>;
  readonly query: Readonly<Record<string, string>>;
  readonly body: object;
  readonly retry: RetryMark;
  readonly signal: AbortSignal;
  /** Called when the message is stored, so that its body is no longer needed. */
  readonly onAdmitted: () => void;
};

/** `events` are lines of a stream of server-sent events. `toFailure`: the last lines of one that fails after its beginning. */
export type OpenAiReply =
  | { readonly json: object }
  | { readonly events: AsyncGenerator<string>; readonly toFailure: (error: OpenAiError) => string };

export type Handler = (request: OpenAiRequest) => Promise<OpenAiReply>;

export const DONE = "data: [DONE]\n\n";
export const toLine = (value: object): string => `data: ${JSON.stringify(value)}\n\n`;

export const toJson = async (value: Promise<object> | object): Promise<OpenAiReply> => ({ json: await value });
