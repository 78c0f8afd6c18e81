import type { PushMessage } from "../../protocol/settings/push.ts";
import { findThreadAccess } from "../auth/access.ts";
import { planJob, type ClaimedJob, type JobKind, type JobOutcome } from "../jobs/jobs.ts";
import type { Clock } from "../lib/clock.ts";
import type { Ids } from "../lib/ids.ts";
import type { Reads, Write } from "../store/contract.ts";
import type { RowOf } from "../store/schema.ts";
import type { Delivery } from "./send.ts";

type JobBody = {
  /** Ids of the subscriptions to send to; omitted: all. */
  readonly only?: readonly string[];
  readonly tries: number;
};

const KIND = "push";
/** Time for an open page to mark the answer as read. */
const DELAY_MS = 2_000;
const RETRY_MS = 30_000;
const MAX_TRIES = 4;
const TITLE_CHARACTERS = 120;

type Row = RowOf<"push_subscriptions">;

type Options = {
  readonly read: Pick<
    Reads,
    "thread" | "project" | "member" | "readMarks" | "pushSubscriptions" | "sessions" | "hasPushSubscription"
  >;
  readonly clock: Clock;
  readonly ids: Ids;
  readonly send: (row: Row, message: PushMessage, signal?: AbortSignal) => Promise<Delivery>;
};

type EndedRun = {
  readonly threadId: string;
  readonly ownerId: string;
  readonly temporary?: true | undefined;
  /** Set if a program asked. Its user does not wait for the answer here. */
  readonly caller?: object | undefined;
};

/** The job that notifies the browsers of a user. */
export function createPushJob({ read, clock, ids, send }: Options) {
  const plan = (threadId: string, ownerId: string, body: JobBody, delayMs: number): Write[] => {
    const now = clock.now();
    // Users of a shared thread are notified independently, and a retry must not delay the next notification.
    const key = `${threadId} ${ownerId}`;
    const retryKey = `${key} retry`;
    const shared = { id: ids.next(), kind: KIND, threadId, ownerId, body, now, notBefore: now + delayMs };
    if (body.tries > 1) return planJob({ ...shared, key: retryKey });
    return [
      // Drops the pending retry: the new notification replaces it.
      { do: "delete", table: "jobs", where: { kind: KIND, key: retryKey, state: "waiting" } },
      ...planJob({ ...shared, key }),
    ];
  };

  /** The row of a finished job is deleted: it would only say when the thread was answered. */
  const run = async (job: ClaimedJob, signal: AbortSignal): Promise<JobOutcome> => {
    const done: Write = { do: "delete", table: "jobs", where: { id: job.id } };
    const thread = job.threadId === null ? undefined : await read.thread(job.threadId);
    const reader = thread && (await findReader(read, thread, job.ownerId));
    const kind = thread && reader && toKind({ ...thread, seen_at: reader.seenAt });
    if (!thread || !reader || kind === undefined) return { events: [], writes: [], unlessPlannedAgain: [done] };
    const { only, tries } = job.body as JobBody;
    const { live, ended } = await listLive({ read, clock }, reader.userId);
    const wanted = live.filter(({ id }) => only?.includes(id) ?? true);
    const title = thread.title.slice(0, TITLE_CHARACTERS).toWellFormed();
    const sent = await Promise.all(
      wanted.map(async (row) => {
        const message: PushMessage = { v: 1, kind, threadId: thread.id, ...(row.titles === 1 ? { title } : {}) };
        return { row, delivery: await send(row, message, signal) };
      }),
    );
    const again = sent.flatMap(({ row, delivery }) =>
      delivery.state === "refused" && delivery.retries ? [row.id] : [],
    );
    const retries = again.length > 0 && tries < MAX_TRIES;
    return {
      events: [],
      writes: [
        ...ended.map(({ id }) => planRemove(id)),
        ...sent.map(({ row, delivery }) => planResult(row.id, delivery, clock.now())),
      ],
      unlessPlannedAgain: [
        done,
        ...(retries
          ? plan(thread.id, reader.userId, { only: again, tries: tries + 1 }, RETRY_MS * 4 ** (tries - 1))
          : []),
      ],
    };
  };

  return {
    kind: { kind: KIND, leaseMs: 60_000, maxAttempts: 3, run } satisfies JobKind,

    /** Rows to commit with a run that has ended or waits for its user. */
    planAfter: async ({ threadId, ownerId, temporary, caller }: EndedRun): Promise<readonly Write[]> =>
      temporary || caller || !(await read.hasPushSubscription(ownerId))
        ? []
        : plan(threadId, ownerId, { tries: 1 }, DELAY_MS),
  };
}

/** Subscriptions whose browser is signed in, and the others. */
export async function listLive(
  { read, clock }: Pick<Options, "read" | "clock">,
  owner: string,
): Promise<{ readonly live: readonly Row[]; readonly ended: readonly Row[] }> {
  const rows = await read.pushSubscriptions(owner);
  const sessions = await read.sessions(rows.flatMap(({ session }) => session || []));
  const known = new Set(sessions.flatMap(({ id_hash, expires_at }) => (expires_at > clock.now() ? [id_hash] : [])));
  const isLive = ({ session }: Row) => session === "" || known.has(session);
  return { live: rows.filter(isLive), ended: rows.filter((row) => !isLive(row)) };
}

type Reader = { readonly userId: string; readonly seenAt: number };

/** The user to notify: the owner of a private thread; in a shared thread the user who asked, unless that user has lost access. */
async function findReader(
  read: Pick<Reads, "project" | "member" | "readMarks">,
  thread: RowOf<"threads">,
  asker: string,
): Promise<Reader | undefined> {
  if (thread.shared === 0) return { userId: thread.owner, seenAt: thread.seen_at };
  const access = await findThreadAccess(read, asker, thread);
  if (!access?.role) return undefined;
  return { userId: asker, seenAt: (await read.readMarks(asker, [thread.id]))[0]?.seen_at ?? 0 };
}

/** undefined: there is nothing to tell the user, such as an answer that was read. */
function toKind(thread: RowOf<"threads">): "answered" | "failed" | "waiting" | undefined {
  const { status, temporary, seen_at: seenAt, updated_at: updatedAt } = thread;
  if (temporary === 1 || status === "streaming") return undefined;
  if (status === "waiting") return "waiting";
  if (seenAt >= updatedAt) return undefined;
  return status === "error" ? "failed" : "answered";
}

export const planRemove = (id: string): Write => ({ do: "delete", table: "push_subscriptions", where: { id } });

export function planResult(id: string, delivery: Delivery, now: number): Write {
  if (delivery.state === "gone") return planRemove(id);
  const set = delivery.state === "accepted" ? { sent_at: now, problem: null } : { problem: delivery.problem };
  return { do: "update", table: "push_subscriptions", set, where: { id } };
}
