import type { Clock } from "../lib/clock.ts";
import type { Random } from "../lib/random.ts";
import type { Log } from "../log/log.ts";
import type { Reads } from "../store/contract.ts";
import type { RowOf } from "../store/schema.ts";
import { claimJob, endJob, releaseJob, renewJob, type Claimed } from "./claim.ts";
import { NOTHING, type JobKind, type Outcome } from "./kind.ts";
export { planJob, type PlannedJob } from "./plan.ts";
export { NOTHING, type JobKind, type Outcome } from "./kind.ts";
export type { Claimed } from "./claim.ts";

/**
 * WORK IN THE BACKGROUND. In: rows that somebody committed with their cause; wakes, which carry nothing. Out: each job's
 * outcome, committed together with its end, by its newest claimant only. A dead process's job is taken up when its lease
 * is over. Clocks of several nodes may differ: at worst work is done twice, its outcome never counts twice.
 */
export type Jobs = {
  /** Look now. */
  readonly wake: () => void;
  readonly start: () => Promise<void>;
  /** Breaks off what runs here, gives it back, and resolves when nothing runs. */
  readonly close: () => Promise<void>;
  readonly stats: () => JobStats;
};

/** `waiting` as of the last look; the others count from the start of this process. */
export type JobStats = {
  readonly waiting: number;
  readonly running: number;
  readonly done: number;
  readonly retried: number;
  readonly failed: number;
};

type Options = {
  readonly read: Pick<Reads, "openJobs" | "job">;
  readonly log: Pick<Log, "commit">;
  readonly clock: Clock;
  readonly random: Random;
  /** Of this process; another after each start. */
  readonly holder: string;
  readonly kinds: readonly JobKind[];
  readonly onError: (error: unknown) => void;
  /** Somebody waits for an answer of this process. Jobs share its thread, so they leave it most of the time then. */
  readonly isBusy?: () => boolean;
  readonly sweepMs?: number;
  readonly atOnce?: number;
};

/** While the process is busy, the pause after a job is so many times as long as the job took, up to a limit. */
const BUSY_PAUSE_FACTOR = 3;
const LONGEST_BUSY_PAUSE_MS = 200;

const LOOKED_AT = 200;

export function createJobs(options: Options): Jobs {
  const { read, log, clock, random, holder, onError, sweepMs = 1000, atOnce = 2, isBusy = () => false } = options;
  const kinds = new Map(options.kinds.map((kind) => [kind.kind, kind]));
  const names = [...kinds.keys()];
  const running = new Map<string, { readonly controller: AbortController; readonly done: Promise<void> }>();
  const counts = { waiting: 0, done: 0, retried: 0, failed: 0 };
  let closing = false;
  let looking: Promise<void> | undefined;
  let again = false;
  let timer: NodeJS.Timeout | undefined;
  let pause: NodeJS.Timeout | undefined;

  const wake = (): void => {
    again = true;
    if (closing || looking || pause) return;
    looking = keepLooking().finally(() => {
      looking = undefined;
    });
  };

  const keepLooking = async (): Promise<void> => {
    while (again && !closing) {
      again = false;
      await look().catch(onError);
    }
  };

  const look = async (): Promise<void> => {
    const open = await read.openJobs(names, LOOKED_AT);
    const now = clock.now();
    counts.waiting = open.filter(({ state }) => state === "waiting").length;
    for (const row of open) {
      if (closing || pause || running.size >= (isBusy() ? 1 : atOnce)) return;
      if (running.has(row.id) || !isDue(row, now)) continue;
      await take(row);
    }
  };

  const take = async (row: RowOf<"jobs">): Promise<void> => {
    const kind = kinds.get(row.kind);
    const job = kind && (await claimJob({ log, clock, holder, kind }, row));
    if (!kind || !job) return;
    const controller = new AbortController();
    if (closing) controller.abort();
    const startedAt = clock.monotonic();
    const done = carry(kind, job, controller)
      .catch(onError)
      .finally(() => {
        running.delete(job.id);
        if (isBusy()) pauseAfter(clock.monotonic() - startedAt);
        wake();
      });
    running.set(job.id, { controller, done });
  };

  const pauseAfter = (tookMs: number): void => {
    clearTimeout(pause);
    const pauseMs = Math.min(LONGEST_BUSY_PAUSE_MS, tookMs * BUSY_PAUSE_FACTOR);
    pause = setTimeout(() => {
      pause = undefined;
      wake();
    }, pauseMs).unref();
  };

  /** Its lease is renewed while it runs: who loses it stops. */
  const carry = async (kind: JobKind, job: Claimed, controller: AbortController): Promise<void> => {
    const renewal = setInterval(() => {
      renewJob({ log, clock, kind }, job).then(
        (held) => held || controller.abort(new Error("the job was taken by another, or is gone")),
        onError,
      );
    }, kind.leaseMs / 3).unref();
    try {
      await settle(kind, job, await attempt(kind, job, controller.signal));
    } finally {
      clearInterval(renewal);
    }
  };

  const attempt = async (kind: JobKind, job: Claimed, signal: AbortSignal): Promise<Attempt> => {
    try {
      // Claimed too often: each time its process died, or it was left half-way.
      if (job.attempts > kind.maxAttempts) throw new Error("its process stopped in the middle of it, again and again");
      return { ok: true, outcome: await kind.run(job, signal) };
    } catch (error) {
      if (closing || signal.aborted) return { ok: false, error: null };
      return { ok: false, error: toError(error) };
    }
  };

  const settle = async (kind: JobKind, job: Claimed, result: Attempt): Promise<void> => {
    if (!result.ok) return result.error === null ? await giveBack(job) : await fail(kind, job, result.error);
    const ended = await endJob({ log, clock, read }, job, { state: "done", outcome: result.outcome });
    if (ended === "refused") return fail(kind, job, new Error("what it wanted to store was no longer possible"));
    if (ended !== "ended") return;
    counts.done += 1;
    await kind.after?.(job);
  };

  /** Broken off: by a shutdown, which is no fault of the job's, or because it is no longer ours, which the fence knows. */
  const giveBack = async (job: Claimed): Promise<void> => void (await releaseJob({ log, clock }, job));

  const fail = async (kind: JobKind, job: Claimed, error: Error): Promise<void> => {
    onError(error);
    if (job.attempts < kind.maxAttempts) {
      counts.retried += 1;
      const notBefore = clock.now() + toDelay(job.attempts, random());
      await endJob({ log, clock, read }, job, { state: "waiting", notBefore, error, outcome: NOTHING });
      return;
    }
    const outcome = (await kind.giveUp?.(job, error).catch(report)) ?? NOTHING;
    let ended = await endJob({ log, clock, read }, job, { state: "failed", error, outcome });
    if (ended === "refused")
      ended = await endJob({ log, clock, read }, job, { state: "failed", error, outcome: NOTHING });
    if (ended === "ended") counts.failed += 1;
  };

  const report = (error: unknown): undefined => void onError(error);

  return {
    wake,
    start: async () => {
      timer = setInterval(wake, sweepMs).unref();
      wake();
      await looking;
    },
    close: async () => {
      closing = true;
      clearInterval(timer);
      clearTimeout(pause);
      for (const { controller } of running.values()) controller.abort(new Error("shutdown"));
      await looking;
      await Promise.all([...running.values()].map(({ done }) => done));
    },
    stats: () => ({ ...counts, running: running.size }),
  };
}

type Attempt =
  | { readonly ok: true; readonly outcome: Outcome }
  /** null: broken off. */
  | { readonly ok: false; readonly error: Error | null };

const isDue = ({ state, not_before: notBefore, lease_until: leaseUntil }: RowOf<"jobs">, now: number): boolean =>
  notBefore <= now && (state === "waiting" || leaseUntil <= now);

const FIRST_DELAY_MS = 2_000;
const LONGEST_DELAY_MS = 10 * 60_000;

/** Doubles with each attempt; half of it is chance, so that what failed together does not come back together. */
const toDelay = (attempts: number, chance: number): number =>
  Math.round(Math.min(LONGEST_DELAY_MS, FIRST_DELAY_MS * 2 ** (attempts - 1)) * (0.5 + chance / 2));

const toError = (error: unknown): Error => (error instanceof Error ? error : new Error(String(error)));
