import { ApiError } from "../../protocol/errors.ts";
import { threadStream, userStream } from "../../protocol/ids.ts";
import type { Clock } from "../lib/clock.ts";
import type { Log, LogBatch } from "../log/log.ts";
import { planForget } from "../memory/memory.ts";
import type { Reads, Write } from "../store/contract.ts";
import { planRemoval } from "./attachments/plan-removal.ts";
import { threadTables } from "../store/schema.ts";

const MOST_TRIES = 10;

const GONE = { thread: "", run: null, reason: null, receipt: null, job: null } as const;

type Options = { readonly read: Reads; readonly log: Log; readonly clock: Clock };
type Removed = {
  readonly threadId: string;
  readonly owner: string;
  /** What is remembered from it goes in the same commit. */
  readonly forget?: boolean;
  /** Whose it was before: nothing of it stays in their stream either. */
  readonly formerOwner?: string | undefined;
};

/** A thread and everything of it, in one commit. What it cost stays counted. */
export async function removeThread({ read, log, clock }: Options, removed: Removed): Promise<void> {
  const { threadId, owner, forget = false, formerOwner } = removed;
  const stream = threadStream(threadId);
  const emptied = threadTables.map((table): Write => ({ do: "delete", table, where: { thread: threadId } }));
  const event = { type: "thread-deleted" as const, threadId };
  const batch: LogBatch = {
    revoke: stream,
    events: [
      { stream, event },
      { stream: userStream(owner), event },
    ],
    writes: [
      ...emptied,
      // What was spent stays spent: date, model, tokens and cost, and nothing of what was said.
      { do: "update", table: "calls", set: GONE, where: { thread: threadId } },
      { do: "delete", table: "events", where: { stream } },
      ...[owner, formerOwner ?? owner].map((person): Write => ({
        do: "delete",
        table: "events",
        where: { stream: userStream(person), message: threadId },
      })),
      { do: "delete", table: "threads", where: { id: threadId } },
    ],
    drive: [threadId],
  };
  // A row that came in between two of the deletes keeps the thread: then all of it is done again.
  for (let tries = 0; tries < MOST_TRIES; tries += 1) {
    const forgetting = { userId: formerOwner ?? owner, key: `forget:${threadId}:${tries}`, threadId, now: clock.now() };
    const plan = forget ? await planForget(read, forgetting) : { writes: [], events: [] };
    const whole = {
      ...batch,
      writes: [...(await planRemoval(read, threadId)), ...batch.writes, ...plan.writes],
      events: [...batch.events, ...plan.events],
    };
    if ((await log.commit(whole)).ok) return;
  }
  throw new ApiError("busy", "The thread is being written to. Try again in a moment.");
}
