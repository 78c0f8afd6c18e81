import type { Clock } from "../lib/clock.ts";
import type { Ids } from "../lib/ids.ts";
import type { Log } from "../log/log.ts";
import type { Reads, Write } from "../store/contract.ts";
import { planJob, type JobKind, type JobOutcome } from "./kind.ts";
import type { ClaimedJob } from "./claim.ts";

/** Work that is repeated: one job at a time for all nodes. */
export type Schedule = {
  readonly kind: JobKind;
  /** Plans the next time, if none is planned or it is planned later than the settings say. */
  readonly plan: () => Promise<void>;
  /** How long the work has been due. Knows work of other nodes only from before the start of this one. */
  readonly overdueMs: () => number;
};

type Options = {
  readonly kind: string;
  readonly everyMs: number;
  /** When it was done last, as far as the work itself shows it. */
  readonly findLast: () => number | undefined;
  /** Failed attempts are repeated a few times; after that the work waits for its next time. */
  readonly work: (signal: AbortSignal) => Promise<void>;
  /** Called when the attempts are used up. `nextAt`: when the work is due again. */
  readonly onGiveUp?: (error: Error, nextAt: number) => void;
  readonly read: Pick<Reads, "openJobs">;
  readonly log: Pick<Log, "commit">;
  readonly clock: Clock;
  readonly ids: Ids;
};

export function createSchedule(options: Options): Schedule {
  const { kind, everyMs, findLast, work, onGiveUp, read, log, clock, ids } = options;
  let dueAt = clock.now();
  const planNext = (notBefore: number): readonly Write[] =>
    planJob({
      ...{ id: ids.next(), kind, key: "", threadId: null, ownerId: "", body: {} },
      ...{ now: clock.now(), notBefore },
    });
  const toOutcome = ({ id }: ClaimedJob): JobOutcome => ({
    events: [],
    writes: [{ do: "delete", table: "jobs", where: { id } }, ...planNext(clock.now() + everyMs)],
  });
  return {
    kind: {
      kind,
      leaseMs: 60_000,
      maxAttempts: 6,
      run: async (job, signal) => {
        await work(signal);
        dueAt = clock.now() + everyMs;
        return toOutcome(job);
      },
      giveUp: async (job, error) => {
        onGiveUp?.(error, clock.now() + everyMs);
        return toOutcome(job);
      },
    },
    plan: async () => {
      const lastAt = findLast();
      dueAt = lastAt === undefined ? clock.now() : lastAt + everyMs;
      const [open] = await read.openJobs([kind], 1);
      if (open === undefined) await log.commit({ events: [], writes: planNext(Math.floor(dueAt)) });
      else if (open.state === "waiting" && open.not_before > clock.now() + everyMs) {
        const where = { id: open.id, state: "waiting", epoch: open.epoch } as const;
        const set = { not_before: Math.floor(dueAt) };
        await log.commit({ events: [], writes: [{ do: "update", table: "jobs", set, where }] });
      }
    },
    overdueMs: () => Math.max(0, clock.now() - dueAt),
  };
}
