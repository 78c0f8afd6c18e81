import type { LogEvent } from "../../protocol/events.ts";
import { ApiError } from "../../protocol/errors.ts";
import { threadStream, userStream } from "../../protocol/ids.ts";
import type { Principal } from "../auth/principal.ts";
import type { Log } from "../log/log.ts";
import type { Store } from "../store/contract.ts";
import type { RowOf } from "../store/schema.ts";
import type { Threads } from "./threads.ts";

export type ReadMarks = ReturnType<typeof createReadMarks>;

type Options = {
  readonly store: Pick<Store, "read">;
  readonly log: Log;
  readonly threads: Pick<Threads, "get">;
};

const MOST_TRIES = 10;

/** Read marks: up to when the user has read a thread. A mark only moves forward, at most to the thread's last update. */
export function createReadMarks({ store: { read }, log, threads }: Options) {
  /** In a shared thread each user has a mark, which the others do not see. */
  const markShared = async (userId: string, thread: RowOf<"threads">, at: number): Promise<{ seenAt: number }> => {
    const before = (await read.readMarks(userId, [thread.id]))[0]?.seen_at ?? 0;
    const seenAt = Math.min(at, thread.updated_at);
    if (seenAt <= before) return { seenAt: before };
    const event: LogEvent = { type: "thread-changed", threadId: thread.id, patch: { seenAt } };
    await log.commit({
      // Threads of others are not in the user's list.
      events: thread.owner === userId ? [{ stream: userStream(userId), event }] : [],
      writes: [{ do: "put", table: "read_marks", row: { owner: userId, thread: thread.id, seen_at: seenAt } }],
    });
    return { seenAt };
  };

  return {
    mark: async (
      principal: Principal,
      threadId: string,
      { at }: { readonly at: number },
    ): Promise<{ seenAt: number }> => {
      for (let tries = 0; tries < MOST_TRIES; tries += 1) {
        const thread = await threads.get(principal, threadId);
        if (thread.shared === 1) return markShared(principal.userId, thread, at);
        const { owner, seen_at: before, updated_at: newest } = thread;
        const seenAt = Math.min(at, newest);
        if (seenAt <= before) return { seenAt: before };
        const event: LogEvent = { type: "thread-changed", threadId, patch: { seenAt } };
        const where = { id: threadId, seen_at: before };
        const { ok } = await log.commit({
          events: [
            { stream: threadStream(threadId), event },
            { stream: userStream(owner), event },
          ],
          writes: [{ do: "update", table: "threads", set: { seen_at: seenAt }, where, expectOne: true }],
        });
        if (ok) return { seenAt };
      }
      throw new ApiError(
        "busy",
        "This thread is being marked as read by many requests at once. Try again in a moment.",
      );
    },
  };
}
