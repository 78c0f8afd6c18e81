import type { Clock } from "../lib/clock.ts";
import { NetError } from "./net-error.ts";

/** Everything that can end a call before its time, as one signal whose reason is the error to throw. */
export type Deadline = {
  readonly signal: AbortSignal;
  readonly fail: (error: NetError) => void;
  readonly remainingMs: () => number;
  readonly close: () => void;
};

export function openDeadline(clock: Clock, timeoutMs: number, outer?: AbortSignal): Deadline {
  const controller = new AbortController();
  const fail = (error: NetError): void => controller.abort(error);
  const stop = (): void => fail(new NetError("aborted", "The request was stopped.", { cause: outer?.reason }));
  const endsAt = clock.monotonic() + timeoutMs;
  const timer = setTimeout(() => fail(new NetError("timeout", "The answer did not come in time.")), timeoutMs);
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

/** The work's own end, or the signal's reason as soon as it aborts; what comes too late is given to `discard`. */
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
