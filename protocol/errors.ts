/** A refused request: seen by the caller, never by the thread. The set is closed. */
export const refusalStatus = {
  invalid: 400,
  unauthenticated: 401,
  forbidden: 403,
  "not-found": 404,
  conflict: 409,
  "too-large": 413,
  unsupported: 415,
  misdirected: 421,
  busy: 429,
  bug: 500,
  "storage-damaged": 500,
  unavailable: 503,
  "storage-full": 507,
} as const;

export type ApiErrorCode = keyof typeof refusalStatus;

export class ApiError extends Error {
  override readonly name = "Refusal";
  readonly code: ApiErrorCode;

  /** Of a conflict: what stands there now, for who wants to write over it knowingly. */
  readonly current: unknown;

  /** Sent as `Retry-After` where waiting helps. */
  readonly retryAfterSeconds: number | undefined;

  /** `message` is read by a person: it says what is wrong and what to do. */
  constructor(code: ApiErrorCode, message: string, current?: unknown, retryAfterSeconds?: number) {
    super(message);
    this.code = code;
    this.current = current;
    this.retryAfterSeconds = retryAfterSeconds;
  }
}
