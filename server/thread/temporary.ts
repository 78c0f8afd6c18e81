import { planJob, EMPTY_OUTCOME, type JobKind } from "../jobs/jobs.ts";
import { DAY_MS, type Clock } from "../lib/clock.ts";
import type { Ids } from "../lib/ids.ts";
import { runWaiting, type Reads, type Write } from "../store/contract.ts";
import type { RowOf } from "../store/schema.ts";
import type { Threads } from "./threads.ts";

/** How long after its last turn a temporary thread is deleted, unless the user leaves it first. */
export const TEMPORARY_MS = DAY_MS;

const KIND = "temporary-thread";

type Thread = Pick<RowOf<"threads">, "id" | "owner" | "updated_at">;

/** Rows to commit with a temporary thread: the job that deletes it. */
export const planExpiry = ({ id, owner, updated_at }: Thread, jobId: string, now: number): readonly Write[] =>
  planJob({
    id: jobId,
    kind: KIND,
    key: id,
    threadId: id,
    ownerId: owner,
    body: {},
    now,
    notBefore: updated_at + TEMPORARY_MS,
  });

type Options = {
  readonly read: Pick<Reads, "thread" | "liveRun">;
  readonly threads: Pick<Threads, "remove">;
  readonly clock: Clock;
  readonly ids: Ids;
};

/** Deletes a temporary thread a day after its last turn. If it was used since the job was planned, plans the job again. */
export const createTemporaryKind = ({ read, threads, clock, ids }: Options): JobKind => ({
  kind: KIND,
  leaseMs: 30_000,
  maxAttempts: 10,
  run: async ({ threadId }) => {
    const thread = threadId === null ? undefined : await read.thread(threadId);
    if (!thread || thread.temporary === 0) return EMPTY_OUTCOME;
    const now = clock.now();
    // A run that waits for another program may wait forever.
    const isWaiting = (await read.liveRun(thread.id))?.waiting === runWaiting.forUser;
    const isAnswering = thread.status === "streaming" && !isWaiting;
    if (isAnswering || thread.updated_at + TEMPORARY_MS > now) {
      const from = isAnswering ? { ...thread, updated_at: now } : thread;
      return { events: [], writes: planExpiry(from, ids.next(), now) };
    }
    await threads.remove({ userId: thread.owner }, thread.id);
    return EMPTY_OUTCOME;
  },
});
