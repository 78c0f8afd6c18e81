import { systemClock } from "./clock.ts";
import { startWatchdog } from "./watchdog.ts";

/** How to close the server: running answers have `graceMs`, or until `hurry` aborts; then they are handed over. */
export type Closing = {
  readonly graceMs: number;
  readonly hurry?: AbortSignal;
  /** After an uncaught exception: running steps count as crashed. */
  readonly isCrash?: boolean;
};

type Options = {
  readonly close: (closing: Closing) => Promise<void>;
  readonly reportBug: (error: unknown, message: string) => void;
  readonly graceMs: number;
  readonly blockedMs: number;
};

/** After the grace period, for handing over, closing the database and exiting. */
const CLOSE_MS = 3_000;
/** A terminal signals both the launcher and this process, so one key press may arrive twice. */
const SAME_SIGNAL_MS = 1_000;

/**
 * On SIGTERM or SIGINT, running answers may finish within the grace period; a second signal ends it. The watchdog kills
 * the process if it does not exit soon after, or if its event loop is blocked.
 */
export function runUntilSignal({ close, reportBug, graceMs, blockedMs }: Options): void {
  const watchdog = startWatchdog(blockedMs);
  const hurry = new AbortController();
  let since: number | undefined;

  const stop = async (exitCode: number, closing: Closing): Promise<void> => {
    since = systemClock.monotonic();
    watchdog.endWithin(closing.graceMs + CLOSE_MS);
    await close(closing).catch((error: unknown) => console.error("Stonechat did not stop cleanly:", error));
    process.exit(exitCode);
  };
  const onSignal = (): void => {
    if (since === undefined) return void stop(0, { graceMs, hurry: hurry.signal });
    if (systemClock.monotonic() - since < SAME_SIGNAL_MS || hurry.signal.aborted) return;
    watchdog.endWithin(CLOSE_MS);
    hurry.abort();
  };
  // The transaction of the failed operation was rolled back, and other operations are not affected.
  process.on("unhandledRejection", (reason) => reportBug(reason, "unhandled promise rejection"));
  // In-memory state may be inconsistent: shut down cleanly and let the supervisor start a new process.
  process.on("uncaughtException", (error) => {
    reportBug(error, "uncaught exception: shutting down");
    if (since === undefined) void stop(1, { graceMs: 0, isCrash: true });
  });
  for (const signal of ["SIGINT", "SIGTERM"] as const) process.on(signal, onSignal);
  // A program that started the server with a channel has ended, for example `stonechat chat --data`.
  process.once("disconnect", onSignal);
}
