/** HTTP status by error code. The set is closed. */
export const errorStatus = {
  invalid: 400,
  unauthenticated: 401,
  forbidden: 403,
  "not-found": 404,
  conflict: 409,
  "too-large": 413,
  unsupported: 415,
  misdirected: 421,
  /** The user must prove again who they are. */
  unconfirmed: 428,
  busy: 429,
  bug: 500,
  "storage-damaged": 500,
  unavailable: 503,
  "storage-full": 507,
} as const;

export type ApiErrorCode = keyof typeof errorStatus;

export class ApiError extends Error {
  override readonly name = "ApiError";
  readonly code: ApiErrorCode;

  /** On a conflict: the current state, so that the caller can decide to overwrite it. */
  readonly current: unknown;

  /** Sent as `Retry-After` when waiting helps. */
  readonly retryAfterSeconds: number | undefined;

  /** `message` is shown to the user: it says what is wrong and what to do next. */
  constructor(code: ApiErrorCode, message: string, current?: unknown, retryAfterSeconds?: number) {
    super(message);
    this.code = code;
    this.current = current;
    this.retryAfterSeconds = retryAfterSeconds;
  }
}
