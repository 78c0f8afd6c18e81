import { createSchedule, type Schedule } from "../jobs/jobs.ts";
import { ApiError } from "../../protocol/errors.ts";
import type { Config } from "../config/config.ts";
import { DAY_MS, type Clock } from "../lib/clock.ts";
import type { Ids } from "../lib/ids.ts";
import type { Log } from "../log/log.ts";
import type { Reads } from "../store/contract.ts";
import type { Threads } from "../thread/threads.ts";
import type { UserActions } from "../thread/user-actions.ts";

type Options = {
  readonly config: Pick<Config, "retention">;
  readonly read: Reads;
  readonly log: Pick<Log, "commit">;
  readonly threads: Pick<Threads, "remove">;
  readonly userActions: Pick<UserActions, "change">;
  readonly clock: Clock;
  readonly ids: Ids;
  readonly report: (level: "info", text: string) => void;
};

const PAGE = 50;

/**
 * Archives and deletes what is older than the operator allows, once a day. Threads are deleted as if their owner had done it: open
 * pages show it, and costs and memory stay. null without rules.
 */
export function createRetention({
  config,
  read,
  log,
  threads,
  userActions,
  clock,
  ids,
  report,
}: Options): Schedule | null {
  const { archiveMs, deleteMs, receiptsMs } = config.retention;
  if (archiveMs === null && deleteMs === null && receiptsMs === null) return null;

  type Stale = { readonly before: number; readonly isArchived?: false };
  const each = async (
    stale: Stale,
    signal: AbortSignal,
    change: (principal: { readonly userId: string }, threadId: string) => Promise<unknown>,
  ): Promise<number> => {
    let count = 0;
    let rows = await read.staleThreads({ ...stale, after: "", limit: PAGE });
    for (; rows.length > 0; rows = await read.staleThreads({ ...stale, after: rows.at(-1)?.id ?? "", limit: PAGE }))
      for (const { id, owner } of rows) {
        signal.throwIfAborted();
        // A thread that was changed or deleted since it was listed, or whose answer is being written, is checked again the next day.
        const isDone = await change({ userId: owner }, id).then(
          () => true,
          (error: unknown) => {
            if (!(error instanceof ApiError)) throw error;
            return false;
          },
        );
        if (isDone) count += 1;
      }
    return count;
  };

  const removeReceipts = async (before: number, signal: AbortSignal): Promise<number> => {
    let count = 0;
    for (let found = await read.receiptsBefore(before, PAGE); found.length > 0;) {
      signal.throwIfAborted();
      const writes = found.map((id) => ({ do: "delete", table: "receipts", where: { id } }) as const);
      await log.commit({ events: [], writes });
      count += found.length;
      found = await read.receiptsBefore(before, PAGE);
    }
    return count;
  };

  return createSchedule({
    ...{ kind: "retention", everyMs: DAY_MS, findLast: () => undefined, read, log, clock, ids },
    work: async (signal) => {
      const now = clock.now();
      const deleted = deleteMs === null ? 0 : await each({ before: now - deleteMs }, signal, threads.remove);
      const archived =
        archiveMs === null
          ? 0
          : await each({ before: now - archiveMs, isArchived: false }, signal, (principal, threadId) =>
              userActions.change(principal, threadId, { id: ids.next(), archived: true }),
            );
      const receipts = receiptsMs === null ? 0 : await removeReceipts(now - receiptsMs, signal);
      report("info", `Retention: ${deleted} threads deleted, ${archived} archived, ${receipts} receipts deleted.`);
    },
  });
}
