import { ApiError } from "../../protocol/errors.ts";
import { threadStream, userStream } from "../../protocol/ids.ts";
import type { Clock } from "../lib/clock.ts";
import type { Log, LogBatch } from "../log/log.ts";
import { planForget } from "../memory/memory.ts";
import type { Reads, Write } from "../store/contract.ts";
import { threadTables, type RowOf } from "../store/schema.ts";
import { threadListStream } from "./shared.ts";

const MOST_TRIES = 10;

const DETACHED = { thread: "", run: null, reason: null, receipt: null, job: null } as const;

type Options = { readonly read: Reads; readonly log: Log; readonly clock: Clock };
type ThreadRemoval = {
  readonly thread: Pick<RowOf<"threads">, "id" | "owner" | "shared" | "project">;
  /** Also delete memory that came from this thread, in the same commit. */
  readonly forget?: boolean;
  /** The owner before "delete everything" reassigned the thread. The thread's events in that user's stream are deleted too. */
  readonly formerOwner?: string | undefined;
};

/** Deletes a thread with all its rows in one commit. Its cost stays in the ledger. */
export async function removeThread({ read, log, clock }: Options, removal: ThreadRemoval): Promise<void> {
  const { thread, forget = false, formerOwner } = removal;
  const { id: threadId, owner } = thread;
  const stream = threadStream(threadId);
  const emptied = threadTables.map((table): Write => ({ do: "delete", table, where: { thread: threadId } }));
  const event = { type: "thread-deleted" as const, threadId };
  const batch: LogBatch = {
    revoke: stream,
    events: [
      { stream, event },
      { stream: userStream(owner), event },
      ...(thread.shared === 1 ? [{ stream: threadListStream(thread), event } as const] : []),
    ],
    writes: [
      ...emptied,
      // The ledger keeps date, model, tokens and cost of the calls, and no content.
      { do: "update", table: "calls", set: DETACHED, where: { thread: threadId } },
      { do: "delete", table: "events", where: { stream } },
      ...[owner, formerOwner ?? owner].map((user): Write => ({
        do: "delete",
        table: "events",
        where: { stream: userStream(user), message: threadId },
      })),
      ...(thread.shared === 1
        ? [{ do: "delete", table: "events", where: { stream: threadListStream(thread), message: threadId } } as const]
        : []),
      { do: "delete", table: "threads", where: { id: threadId } },
    ],
    drive: [threadId],
  };
  // A row inserted between two of the deletes makes the commit fail. Then everything is planned and committed again.
  for (let tries = 0; tries < MOST_TRIES; tries += 1) {
    const forgetting = { userId: formerOwner ?? owner, key: `forget:${threadId}:${tries}`, threadId, now: clock.now() };
    const plan = forget ? await planForget(read, forgetting) : { writes: [], events: [] };
    const whole = {
      ...batch,
      writes: [...(await planFileRemoval(read, threadId)), ...batch.writes, ...plan.writes],
      events: [...batch.events, ...plan.events],
    };
    if ((await log.commit(whole)).ok) return;
  }
  throw new ApiError("busy", "The thread is being written to. Try again in a moment.");
}

/**
 * Rows to commit when a thread is deleted: its files, and the contents that no other file has. If another file gets one of
 * these contents concurrently, the commit fails and the caller plans it again.
 */
async function planFileRemoval(read: Pick<Reads, "ownContents">, threadId: string): Promise<readonly Write[]> {
  const contents = await read.ownContents(threadId);
  return [
    { do: "delete", table: "attachments", where: { thread: threadId } },
    ...contents.map(({ owner, hash }): Write => ({ do: "delete", table: "attachment_blobs", where: { owner, hash } })),
  ];
}
