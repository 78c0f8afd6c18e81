import { settingsStream, userStream } from "../../protocol/ids.ts";
import type { Body } from "../../protocol/api.ts";
import { noAudit, type PlanAudit } from "../auth/audit.ts";
import type { Principal } from "../auth/principal.ts";
import { planJob, type ClaimedJob, type JobKind, type JobOutcome } from "../jobs/jobs.ts";
import type { Clock } from "../lib/clock.ts";
import type { Ids } from "../lib/ids.ts";
import type { Log } from "../log/log.ts";
import type { ProjectMembers } from "../project/members.ts";
import type { Projects } from "../project/project.ts";
import type { Store, Write } from "../store/contract.ts";
import type { Threads } from "../thread/threads.ts";

/**
 * Deletes everything a user has. One commit hides all of it: small tables are emptied, and threads and projects are assigned
 * to an owner id that cannot sign in. A job then deletes those one by one, each in a separate commit, and resumes after a
 * crash. The user never sees a partial deletion.
 */
export type Erasing = ReturnType<typeof createErasing>;

type Options = {
  readonly store: Store;
  readonly log: Log;
  readonly threads: Pick<Threads, "remove">;
  readonly projects: Pick<Projects, "remove">;
  readonly clock: Clock;
  readonly ids: Ids;
  readonly members: Pick<ProjectMembers, "leaveAll">;
  readonly wake: () => void;
  /** Whether settings for everyone stay, because the server has other users. */
  readonly keepsInstance?: boolean;
  readonly planAudit?: PlanAudit;
};

const KIND = "erase";
const PAGE = 50;

/** Set when an admin deletes the account: the actor for the audit log, and writes that delete the account in the same commit. */
type EraseMore = { readonly actor?: Principal; readonly planWrites?: () => readonly Write[] };

type EraseJob = { readonly gone: string; readonly person: string };

export function createErasing({
  store,
  log,
  threads,
  projects,
  members,
  clock,
  ids,
  wake,
  keepsInstance = false,
  planAudit = noAudit,
}: Options) {
  const { read } = store;

  const run = async ({ body }: ClaimedJob, signal: AbortSignal): Promise<JobOutcome> => {
    const { gone, person } = body as EraseJob;
    const placeholder = { userId: gone };
    for (let rows = await read.threadsAfter(gone, "", PAGE); rows.length > 0;) {
      for (const { id } of rows) {
        signal.throwIfAborted();
        await threads.remove(placeholder, id, { forget: true, formerOwner: person });
      }
      rows = await read.threadsAfter(gone, "", PAGE);
    }
    for (let rows = await read.projectsAfter(gone, "", PAGE); rows.length > 0;) {
      for (const { id } of rows) {
        signal.throwIfAborted();
        await projects.remove(placeholder, id);
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
    /** Everything is hidden when this resolves. */
    erase: async (
      principal: Principal,
      { id, costs }: Pick<Body<"deleteEverything">, "id" | "costs">,
      more: EraseMore = {},
    ) => {
      const { userId } = principal;
      const { actor = principal, planWrites = () => [] } = more;
      await members.leaveAll(principal, actor);
      // The colons cannot occur in ids made by clients or sign-ins, so no user can have this id.
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
          ...(keepsInstance ? emptied : [...emptied, ...ofInstance]).map((table): Write => ({
            do: "delete",
            table,
            where: { owner: userId },
          })),
          ...own.map((key): Write => ({ do: "delete", table: "meta", where: { key } })),
          { do: "delete", table: "events", where: { stream: userStream(userId) } },
          ...planAudit({ action: "data-deleted", actor, target: userId, detail: { ...counted, costs } }),
          ...planWrites(),
          ...(costs ? [{ do: "delete", table: "calls", where: { owner: userId } } as const] : []),
          ...planJob({ id: ids.next(), kind: KIND, key: gone, threadId: null, ownerId: gone, body, now: clock.now() }),
        ],
      });
      wake();
      const text = "Everything was permanently deleted. The remaining data is being removed in the background.";
      // The placeholder user stays, so that repeating the request conflicts with it and deletes nothing newer.
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
  "read_marks",
  "shares",
  "api_keys",
  "own_keys",
  "push_subscriptions",
  "api_requests",
  "profiles",
  "preferences",
  "prompts",
  "import_lines",
  "import_pieces",
  "imports",
  "attachments",
  "attachment_pieces",
  "attachment_pictures",
  "attachment_blobs",
] as const;

/** Settings for everyone. Without accounts they are the only user's. */
const ofInstance = ["providers", "model_settings"] as const;

async function count(read: Store["read"], userId: string): Promise<{ threads: number; projects: number }> {
  return { threads: await read.countOwned("threads", userId), projects: await read.countOwned("projects", userId) };
}

/** Tool server addresses and sign-ins are stored in `meta` under keys that contain the user id. */
const isOf = (key: string, userId: string): boolean =>
  key === `mcp-servers:${userId}` || key.startsWith(`mcp-sign-in:${JSON.stringify([userId]).slice(0, -1)},`);
