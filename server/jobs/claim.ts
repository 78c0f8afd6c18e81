import type { Clock } from "../lib/clock.ts";
import type { Log } from "../log/log.ts";
import type { Reads, Write } from "../store/contract.ts";
import type { RowOf } from "../store/schema.ts";
import type { JobKind, JobOutcome } from "./kind.ts";

/** A claimed job. Every write names its epoch, so writes after another claim are refused. */
export type ClaimedJob = {
  readonly id: string;
  readonly kind: string;
  readonly key: string;
  readonly threadId: string | null;
  readonly ownerId: string;
  readonly body: unknown;
  /** Including this one. */
  readonly attempts: number;
  readonly epoch: number;
};

type Deps = { readonly log: Pick<Log, "commit">; readonly clock: Clock };

/** Value of `not_before` while a job runs. Any other value means that it was planned again in the meantime. */
const NOT_PLANNED_AGAIN = 0;

/** By compare-and-set: one of several callers with the same row wins. */
export async function claimJob(
  { log, clock, holder, kind }: Deps & { readonly holder: string; readonly kind: JobKind },
  row: RowOf<"jobs">,
): Promise<ClaimedJob | undefined> {
  const [epoch, attempts, now] = [row.epoch + 1, row.attempts + 1, clock.now()];
  const set = {
    state: "running" as const,
    holder,
    epoch,
    attempts,
    lease_until: now + kind.leaseMs,
    not_before: NOT_PLANNED_AGAIN,
    updated_at: now,
  };
  const where = { id: row.id, epoch: row.epoch, state: row.state, body: row.body };
  const result = await log.commit({
    events: [],
    writes: [{ do: "update", table: "jobs", set, where, expectOne: true }],
  });
  if (!result.ok) return undefined;
  const { id, key, thread: threadId, owner: ownerId } = row;
  return { id, kind: row.kind, key, threadId, ownerId, body: JSON.parse(row.body) as unknown, attempts, epoch };
}

/** Returns false if the claim was lost. */
export async function renewJob(
  { log, clock, kind }: Deps & { readonly kind: JobKind },
  job: ClaimedJob,
): Promise<boolean> {
  const set = { lease_until: clock.now() + kind.leaseMs };
  return (await log.commit({ events: [], writes: [toUpdate(job, set)] })).ok;
}

/** Undoes the claim, including its attempt. */
export async function releaseJob({ log, clock }: Deps, job: ClaimedJob): Promise<void> {
  const now = clock.now();
  const set = { ...toFree(now), state: "waiting" as const, not_before: now, attempts: job.attempts - 1 };
  await log.commit({ events: [], writes: [toUpdate(job, set)] });
}

type End = { readonly outcome: JobOutcome } & (
  | { readonly state: "done" }
  | { readonly state: "failed"; readonly error: Error }
  | { readonly state: "waiting"; readonly error: Error; readonly notBefore: number }
);

/**
 * Ends a claim with its outcome. `lost`: another process claimed it or its thread was deleted, so nothing was written.
 * `refused`: the outcome could not be committed. A job that was planned again in the meantime goes back to waiting.
 */
export async function endJob(
  { log, clock, read }: Deps & { readonly read: Pick<Reads, "job"> },
  job: ClaimedJob,
  end: End,
): Promise<"ended" | "lost" | "refused"> {
  const now = clock.now();
  const { writes, events, unlessPlannedAgain = [] } = end.outcome;
  const error = end.state === "done" ? null : end.error.message.slice(0, MAX_ERROR_CHARACTERS);
  const set = { ...toFree(now), state: end.state, error, not_before: end.state === "waiting" ? end.notBefore : now };
  const tidyWrites = [toUpdate(job, set, NOT_PLANNED_AGAIN), ...writes, ...unlessPlannedAgain];
  const tidy = await log.commit({ events, writes: tidyWrites });
  if (tidy.ok) return "ended";
  const row = await read.job(job.id);
  if (!row || row.epoch !== job.epoch || row.state !== "running") return "lost";
  if (row.not_before === NOT_PLANNED_AGAIN) return "refused";
  const anew = { ...toFree(now), state: "waiting" as const, attempts: 0, error };
  return (await log.commit({ events, writes: [toUpdate(job, anew), ...writes] })).ok ? "ended" : "refused";
}

const MAX_ERROR_CHARACTERS = 1000;

const toFree = (now: number) => ({ holder: null, lease_until: 0, updated_at: now });

type JobUpdate = Extract<Write, { do: "update"; table: "jobs" }>;

const toUpdate = ({ id, epoch }: ClaimedJob, set: JobUpdate["set"], notBefore?: number): Write => ({
  do: "update",
  table: "jobs",
  set,
  where: { id, epoch, state: "running", ...(notBefore === undefined ? {} : { not_before: notBefore }) },
  expectOne: true,
});
