import type { LogEntry } from "../log/log.ts";
import type { Write } from "../store/contract.ts";
import type { ClaimedJob } from "./claim.ts";

/** Committed atomically with a job's end. */
export type JobOutcome = {
  readonly writes: readonly Write[];
  readonly events: readonly LogEntry[];
  /** Committed too, unless the job was planned again while it ran: deleting its row, or planning a retry. */
  readonly unlessPlannedAgain?: readonly Write[];
};

export const EMPTY_OUTCOME: JobOutcome = { writes: [], events: [] };

export type JobKind = {
  readonly kind: string;
  /** How long a claim lasts after its last renewal. */
  readonly leaseMs: number;
  readonly maxAttempts: number;
  /** Must be safe to run twice. Throwing counts as a failed attempt, which is retried later. */
  readonly run: (job: ClaimedJob, signal: AbortSignal) => Promise<JobOutcome>;
  /** Outcome to commit when the job has finally failed. */
  readonly giveUp?: (job: ClaimedJob, error: Error) => Promise<JobOutcome>;
  /** Called once the outcome is durable, unless the process dies in between. */
  readonly after?: (job: ClaimedJob) => Promise<void>;
};

/** On a running job, `not_before` 0 means that it was not planned again. */
const DUE_AT_ONCE = 1;

export type PlannedJob = {
  readonly id: string;
  readonly kind: string;
  /** There is at most one open job per kind and key. */
  readonly key: string;
  readonly threadId: string | null;
  readonly ownerId: string;
  readonly body: object;
  readonly now: number;
  readonly notBefore?: number;
};

/**
 * Writes to commit together with the cause of the job. A waiting job of the same kind and key gets the new body and keeps its
 * time; a running one is run once more, because it may have read the data before the change. Never fails a batch.
 */
export function planJob({ id, kind, key, threadId, ownerId, body, now, notBefore = now }: PlannedJob): Write[] {
  const json = JSON.stringify(body);
  return [
    { do: "update", table: "jobs", set: { body: json }, where: { kind, key, state: "waiting" } },
    {
      do: "update",
      table: "jobs",
      set: { body: json, not_before: notBefore <= now ? DUE_AT_ONCE : notBefore },
      where: { kind, key, state: "running" },
    },
    {
      do: "insert",
      table: "jobs",
      ifAbsent: true,
      row: {
        id,
        kind,
        key,
        thread: threadId,
        owner: ownerId,
        state: "waiting",
        holder: null,
        epoch: 0,
        lease_until: 0,
        attempts: 0,
        not_before: notBefore,
        body: json,
        error: null,
        created_at: now,
        updated_at: now,
      },
    },
  ];
}
