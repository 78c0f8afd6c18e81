import type { ApiErrorCode } from "../../../protocol/errors.ts";
import { ApiError } from "../../../protocol/errors.ts";
import type { Reason } from "../../../protocol/run.ts";

/** An error in the form of OpenAI's API. */
export type OpenAiError = {
  readonly message: string;
  readonly type: string;
  readonly param: string | null;
  readonly code: string | null;
};

/** Our error in OpenAI's form. */
export const toOpenAiError = (code: ApiErrorCode, message: string): OpenAiError => {
  const [type, theirCode] = kinds[code];
  return { message, type, param: null, code: theirCode };
};

const invalid = "invalid_request_error";
const kinds: Readonly<Record<ApiErrorCode, readonly [string, string | null]>> = {
  invalid: [invalid, null],
  unauthenticated: [invalid, "invalid_api_key"],
  forbidden: ["permission_error", null],
  "not-found": [invalid, "not_found"],
  conflict: [invalid, "conflict"],
  "too-large": [invalid, "request_too_large"],
  unsupported: [invalid, "unsupported_media_type"],
  misdirected: [invalid, null],
  unconfirmed: ["permission_error", null],
  busy: ["rate_limit_error", "rate_limit_exceeded"],
  bug: ["server_error", null],
  "storage-damaged": ["server_error", null],
  unavailable: ["server_error", "unavailable"],
  "storage-full": ["server_error", "storage_full"],
};

/** How an answer failed. The status is that of the HTTP reply if nothing was sent yet. */
export type AnswerFailure = { readonly status: number; readonly error: OpenAiError };

type FailureKind = readonly [status: number, type: string, code: string];

const failures: Readonly<Record<string, FailureKind>> = {
  "rate-limited": [429, "rate_limit_error", "rate_limit_exceeded"],
  overloaded: [503, "server_error", "server_overloaded"],
  resting: [503, "server_error", "server_overloaded"],
  loading: [503, "server_error", "model_loading"],
  budget: [429, "insufficient_quota", "insufficient_quota"],
  "no-credit": [429, "insufficient_quota", "insufficient_quota"],
  "too-long": [400, invalid, "context_length_exceeded"],
  "bad-request": [400, invalid, "invalid_prompt"],
  refused: [400, invalid, "content_policy_violation"],
  "not-found": [404, invalid, "model_not_found"],
};

export function toAnswerFailure(reason: Reason | null): AnswerFailure {
  const [status, type, code] = failures[reason?.code ?? ""] ?? [502, "server_error", "server_error"];
  return { status, error: { message: reason?.text ?? "The answer failed.", type, param: null, code } };
}

/** An answer that failed before anything was sent. */
export class AnswerFailed extends Error {
  override readonly name = "AnswerFailed";
  readonly failure: AnswerFailure;

  constructor(failure: AnswerFailure) {
    super(failure.error.message);
    this.failure = failure;
  }
}

/** A model's connection broke, and its answer was begun again after text of the first attempt was sent. */
export const answerRestarted = (): AnswerFailed => {
  const message =
    "The connection to the model broke after part of the answer was streamed, and the model began again. The text so far is not part of the answer. Send the request again, or read the stored response.";
  return new AnswerFailed({
    status: 502,
    error: { message, type: "server_error", param: null, code: "answer_restarted" },
  });
};

export const notFound = (): ApiError => new ApiError("not-found", "Not found.");
