import { settingsStream, userStream } from "../../protocol/ids.ts";
import type { Body } from "../../protocol/api.ts";
import type { Principal } from "../auth/principal.ts";
import { planJob, type Claimed, type JobKind, type Outcome } from "../jobs/jobs.ts";
import type { Clock } from "../lib/clock.ts";
import type { Ids } from "../lib/ids.ts";
import type { Log } from "../log/log.ts";
import type { Projects } from "../project/project.ts";
import type { Store, Write } from "../store/contract.ts";
import type { Threads } from "../thread/threads.ts";

/**
 * DELETE EVERYTHING. One commit puts all of a person out of their sight: small tables are emptied, threads and projects get an
 * owner whom nobody can be. A job then deletes those one by one, each in a commit of its own, and is taken up again after a
 * crash: at no moment is half of it to be seen.
 */
export type Erasing = ReturnType<typeof createErasing>;

type Options = {
  readonly store: Store;
  readonly log: Log;
  readonly threads: Pick<Threads, "remove">;
  readonly projects: Pick<Projects, "remove">;
  readonly clock: Clock;
  readonly ids: Ids;
  readonly wake: () => void;
};

const KIND = "erase";
const PAGE = 50;

type EraseJob = { readonly gone: string; readonly person: string };

export function createErasing({ store, log, threads, projects, clock, ids, wake }: Options) {
  const { read } = store;

  const run = async ({ body }: Claimed, signal: AbortSignal): Promise<Outcome> => {
    const { gone, person } = body as EraseJob;
    const nobody = { userId: gone };
    for (let rows = await read.threadsAfter(gone, "", PAGE); rows.length > 0;) {
      for (const { id } of rows) {
        signal.throwIfAborted();
        await threads.remove(nobody, id, { forget: true, formerOwner: person });
      }
      rows = await read.threadsAfter(gone, "", PAGE);
    }
    for (let rows = await read.projectsAfter(gone, "", PAGE); rows.length > 0;) {
      for (const { id } of rows) {
        signal.throwIfAborted();
        await projects.remove(nobody, id);
      }
      rows = await read.projectsAfter(gone, "", PAGE);
    }
    return {
      events: [],
      writes: [
        { do: "delete", table: "events", where: { stream: userStream(gone) } },
        { do: "delete", table: "streams", where: { id: userStream(gone) } },
      ],
    };
  };

  const kind: JobKind = { kind: KIND, leaseMs: 30_000, maxAttempts: 100, run };

  return {
    kind,
    /** All of it is out of sight when this resolves. */
    erase: async ({ userId }: Principal, { id, costs }: Body<"deleteEverything">) => {
      // Outside the alphabet of ids that clients and sign-ins make: nobody can be this person.
      const gone = `deleted:${userId}:${id}`;
      const [counted, servers] = await Promise.all([count(read, userId), read.metaKeys(`mcp-`)]);
      const own = servers.filter((key) => isOf(key, userId));
      const body: EraseJob = { gone, person: userId };
      const result = await log.commit({
        events: [
          { stream: userStream(userId), event: { type: "everything-deleted" } },
          { stream: settingsStream, event: { type: "providers-changed" } },
        ],
        writes: [
          { do: "insert", table: "users", row: { id: gone, created_at: clock.now() } },
          { do: "update", table: "threads", set: { owner: gone }, where: { owner: userId } },
          { do: "update", table: "projects", set: { owner: gone }, where: { owner: userId } },
          ...emptied.map((table): Write => ({ do: "delete", table, where: { owner: userId } })),
          ...own.map((key): Write => ({ do: "delete", table: "meta", where: { key } })),
          { do: "delete", table: "events", where: { stream: userStream(userId) } },
          ...(costs ? [{ do: "delete", table: "calls", where: { owner: userId } } as const] : []),
          ...planJob({ id: ids.next(), kind: KIND, key: gone, threadId: null, ownerId: gone, body, now: clock.now() }),
        ],
      });
      wake();
      const text = "Everything of yours is gone, for good. Its last traces are being deleted in the background.";
      // The row of nobody stays: by it the same request, sent again, finds that it was done, and deletes nothing newer.
      return result.ok ? { ...counted, text } : { threads: 0, projects: 0, text };
    },
  };
}

const emptied = [
  "memory",
  "memory_changes",
  "budgets",
  "mcp_pins",
  "drafts",
  "shares",
  "profiles",
  "providers",
  "attachments",
  "attachment_pieces",
  "attachment_blobs",
] as const;

async function count(read: Store["read"], userId: string): Promise<{ threads: number; projects: number }> {
  return { threads: await read.countOwned("threads", userId), projects: await read.countOwned("projects", userId) };
}

/** Addresses of tool servers, and sign-ins to them, stand under names that hold the person's. */
const isOf = (key: string, userId: string): boolean =>
  key === `mcp-servers:${userId}` || key.startsWith(`mcp-sign-in:${JSON.stringify([userId]).slice(0, -1)},`);
