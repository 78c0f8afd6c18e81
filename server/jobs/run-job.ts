import type { Clock } from "../lib/clock.ts";
import type { Random } from "../lib/random.ts";
import type { Log } from "../log/log.ts";
import type { Reads } from "../store/contract.ts";
import { endJob, releaseJob, renewJob, type ClaimedJob } from "./claim.ts";
import { EMPTY_OUTCOME, type JobKind, type JobOutcome } from "./kind.ts";

type Deps = {
  readonly read: Pick<Reads, "job">;
  readonly log: Pick<Log, "commit">;
  readonly clock: Clock;
  readonly random: Random;
  readonly onError: (error: unknown) => void;
  /** Incremented as jobs end. */
  readonly counts: { done: number; retried: number; failed: number };
};

type Attempt =
  | { readonly ok: true; readonly outcome: JobOutcome }
  /** null: aborted. */
  | { readonly ok: false; readonly error: Error | null };

/** Runs a claimed job and commits its outcome, a retry or its final failure. */
export function createJobRunner({ read, log, clock, random, onError, counts }: Deps) {
  /** Renews the lease while the job runs, and aborts the job if the lease is lost. */
  const run = async (kind: JobKind, job: ClaimedJob, controller: AbortController): Promise<void> => {
    const renewal = setInterval(() => {
      renewJob({ log, clock, kind }, job).then(
        (isOurs) => isOurs || controller.abort(new Error("The job was claimed by another process or deleted.")),
        onError,
      );
    }, kind.leaseMs / 3).unref();
    try {
      await settle(kind, job, await attempt(kind, job, controller.signal));
    } finally {
      clearInterval(renewal);
    }
  };

  const attempt = async (kind: JobKind, job: ClaimedJob, signal: AbortSignal): Promise<Attempt> => {
    try {
      // Only a crash or a lost lease leads here: a failure in the last attempt ends the job.
      if (job.attempts > kind.maxAttempts)
        throw new Error("The process stopped in the middle of this job on every attempt.");
      return { ok: true, outcome: await kind.run(job, signal) };
    } catch (error) {
      if (signal.aborted) return { ok: false, error: null };
      return { ok: false, error: toError(error) };
    }
  };

  const settle = async (kind: JobKind, job: ClaimedJob, result: Attempt): Promise<void> => {
    if (!result.ok) return result.error === null ? await release(job) : await fail(kind, job, result.error);
    const ended = await endJob({ log, clock, read }, job, { state: "done", outcome: result.outcome });
    if (ended === "refused") return fail(kind, job, new Error("The job's outcome could not be stored."));
    if (ended !== "ended") return;
    counts.done += 1;
    await kind.after?.(job);
  };

  /** Aborted by a shutdown, which is not the job's fault, or after a lost claim, which the fence detects. */
  const release = async (job: ClaimedJob): Promise<void> => void (await releaseJob({ log, clock }, job));

  const fail = async (kind: JobKind, job: ClaimedJob, error: Error): Promise<void> => {
    onError(error);
    if (job.attempts < kind.maxAttempts) {
      counts.retried += 1;
      const notBefore = clock.now() + toDelay(job.attempts, random());
      await endJob({ log, clock, read }, job, { state: "waiting", notBefore, error, outcome: EMPTY_OUTCOME });
      return;
    }
    const outcome =
      (await kind.giveUp?.(job, error).catch((cause: unknown): undefined => void onError(cause))) ?? EMPTY_OUTCOME;
    let ended = await endJob({ log, clock, read }, job, { state: "failed", error, outcome });
    if (ended === "refused")
      ended = await endJob({ log, clock, read }, job, { state: "failed", error, outcome: EMPTY_OUTCOME });
    if (ended === "ended") counts.failed += 1;
  };

  return run;
}

const FIRST_DELAY_MS = 2_000;
const MAX_DELAY_MS = 10 * 60_000;

/** Doubles with each attempt, with jitter, so that jobs that failed together are not retried together. */
const toDelay = (attempts: number, chance: number): number =>
  Math.round(Math.min(MAX_DELAY_MS, FIRST_DELAY_MS * 2 ** (attempts - 1)) * (0.5 + chance / 2));

const toError = (error: unknown): Error => (error instanceof Error ? error : new Error(String(error)));
