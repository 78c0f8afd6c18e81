import type { Clock } from "../lib/clock.ts";
import type { Random } from "../lib/random.ts";
import type { Log } from "../log/log.ts";
import type { Reads } from "../store/contract.ts";
import type { RowOf } from "../store/schema.ts";
import { claimJob } from "./claim.ts";
import type { JobKind } from "./kind.ts";
import { createJobRunner } from "./run-job.ts";

export { EMPTY_OUTCOME, planJob, type JobKind, type JobOutcome, type PlannedJob } from "./kind.ts";
export { followDatabaseClock } from "./database-clock.ts";
export { createSchedule, type Schedule } from "./schedule.ts";
export type { ClaimedJob } from "./claim.ts";

/**
 * Background jobs. Jobs are rows, committed together with their cause; `wake` carries no data. A job's outcome is
 * committed together with its end, and only by its latest claimant. The job of a dead process is claimed when its lease
 * expires. All nodes use the database's clock.
 */
export type Jobs = {
  /** Check for due jobs now. */
  readonly wake: () => void;
  readonly start: () => Promise<void>;
  /** Aborts and releases the jobs running here; resolves when they have stopped. */
  readonly close: () => Promise<void>;
  readonly stats: () => JobStats;
};

/** `waiting` is from the last check; the others count since the start of this process. */
type JobStats = {
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
  /** Id of this process, new on each start. */
  readonly holder: string;
  readonly kinds: readonly JobKind[];
  readonly onError: (error: unknown) => void;
  /**
   * Users are waiting for answers of this process. Jobs share its thread, so they then leave most of the time to it.
   */
  readonly isBusy?: () => boolean;
  readonly sweepMs?: number;
  readonly maxConcurrent?: number;
};

/** While the process is busy, the pause after a job is this many times the job's duration, up to a limit. */
const BUSY_PAUSE_FACTOR = 3;
const MAX_BUSY_PAUSE_MS = 200;

const PAGE_ROWS = 200;

export function createJobs(options: Options): Jobs {
  const {
    read,
    log,
    clock,
    random,
    holder,
    onError,
    sweepMs = 1000,
    maxConcurrent = 2,
    isBusy = () => false,
  } = options;
  const kinds = new Map(options.kinds.map((kind) => [kind.kind, kind]));
  const names = [...kinds.keys()];
  const running = new Map<string, { readonly controller: AbortController; readonly done: Promise<void> }>();
  const counts = { waiting: 0, done: 0, retried: 0, failed: 0 };
  const run = createJobRunner({ read, log, clock, random, onError, counts });
  let closing = false;
  let checking: Promise<void> | undefined;
  let isRequested = false;
  let timer: NodeJS.Timeout | undefined;
  let pause: NodeJS.Timeout | undefined;

  const wake = (): void => {
    isRequested = true;
    if (closing || checking || pause) return;
    checking = checkUntilIdle().finally(() => {
      checking = undefined;
    });
  };

  const checkUntilIdle = async (): Promise<void> => {
    while (isRequested && !closing) {
      isRequested = false;
      await check().catch(onError);
    }
  };

  const check = async (): Promise<void> => {
    const open = await read.openJobs(names, PAGE_ROWS);
    const now = clock.now();
    counts.waiting = open.filter(({ state }) => state === "waiting").length;
    for (const row of open) {
      if (closing || pause || running.size >= (isBusy() ? 1 : maxConcurrent)) return;
      if (running.has(row.id) || !isDue(row, now)) continue;
      await start(row);
    }
  };

  const start = async (row: RowOf<"jobs">): Promise<void> => {
    const kind = kinds.get(row.kind);
    const job = kind && (await claimJob({ log, clock, holder, kind }, row));
    if (!kind || !job) return;
    const controller = new AbortController();
    if (closing) controller.abort();
    const startedAt = clock.monotonic();
    const done = run(kind, job, controller)
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
    const pauseMs = Math.min(MAX_BUSY_PAUSE_MS, tookMs * BUSY_PAUSE_FACTOR);
    pause = setTimeout(() => {
      pause = undefined;
      wake();
    }, pauseMs).unref();
  };

  return {
    wake,
    start: async () => {
      timer = setInterval(wake, sweepMs).unref();
      wake();
      await checking;
    },
    close: async () => {
      closing = true;
      clearInterval(timer);
      clearTimeout(pause);
      for (const { controller } of running.values()) controller.abort(new Error("shutdown"));
      await checking;
      await Promise.all([...running.values()].map(({ done }) => done));
    },
    stats: () => ({ ...counts, running: running.size }),
  };
}

/** A job that was planned without a delay is due, even if the clock of the node that planned it is ahead. */
const isDue = ({ state, ...row }: RowOf<"jobs">, now: number): boolean =>
  (row.not_before <= now || row.not_before <= row.updated_at) && (state === "waiting" || row.lease_until <= now);
