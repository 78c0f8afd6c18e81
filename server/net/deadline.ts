import type { Clock } from "../lib/clock.ts";
import { NetError } from "./net-error.ts";

/** Combines everything that can end a call early into one signal; its reason is the error to throw. */
export type Deadline = {
  readonly signal: AbortSignal;
  readonly fail: (error: NetError) => void;
  readonly remainingMs: () => number;
  readonly close: () => void;
};

export function openDeadline(clock: Clock, timeoutMs: number, outer?: AbortSignal): Deadline {
  const controller = new AbortController();
  const fail = (error: NetError): void => controller.abort(error);
  const stop = (): void => fail(new NetError("aborted", "The request was cancelled.", { cause: outer?.reason }));
  const endsAt = clock.monotonic() + timeoutMs;
  const timer = setTimeout(() => fail(new NetError("timeout", "The server did not respond in time.")), timeoutMs);
  if (outer?.aborted) stop();
  outer?.addEventListener("abort", stop, { once: true });
  return {
    signal: controller.signal,
    fail,
    remainingMs: () => endsAt - clock.monotonic(),
    close: () => {
      clearTimeout(timer);
      outer?.removeEventListener("abort", stop);
    },
  };
}

/** Settles like `work`, or rejects with the signal's reason when it aborts first; a late result goes to `discard`. */
export function untilAborted<T>(signal: AbortSignal, work: Promise<T>, discard?: (late: T) => void): Promise<T> {
  return new Promise((resolve, reject) => {
    const stop = (): void => reject(signal.reason as NetError);
    if (signal.aborted) stop();
    else signal.addEventListener("abort", stop, { once: true });
    work
      .then((value) => {
        if (signal.aborted) discard?.(value);
        else resolve(value);
      }, reject)
      .finally(() => signal.removeEventListener("abort", stop));
  });
}
