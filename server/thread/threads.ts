import type { Body, Query, SearchHit, ThreadSnapshot } from "../../protocol/api.ts";
import type { SharedThread } from "../../protocol/account/shares.ts";
import { ApiError } from "../../protocol/errors.ts";
import type { ThreadSummary } from "../../protocol/events.ts";
import { userStream } from "../../protocol/ids.ts";
import { findThreadAccess } from "../auth/access.ts";
import { authorize, type Action } from "../auth/authorize.ts";
import type { Principal } from "../auth/principal.ts";
import type { Clock } from "../lib/clock.ts";
import type { Ids } from "../lib/ids.ts";
import type { Log } from "../log/log.ts";
import { checkPlace } from "../project/project.ts";
import type { ModelAccess } from "../model/model-access.ts";
import type { Models } from "../model/model.ts";
import type { Store, Write } from "../store/contract.ts";
import type { RowOf } from "../store/schema.ts";
import { createThread } from "./create-thread.ts";
import { copyShared } from "./copy-shared.ts";
import { forkThread } from "./fork-thread.ts";
import { search } from "./search.ts";
import { toSummaries } from "./shared.ts";
import { loadMessageViews, readSnapshot } from "./snapshot.ts";
import { removeThread } from "./remove.ts";

export { checkModel } from "./create-thread.ts";

/**
 * Threads: create, list, open, delete and search. Takes a principal and a parsed request, returns views. Every thread id is
 * authorized here. User actions within a thread go through `user-actions.ts`; answers are written by runs.
 */
export type Threads = ReturnType<typeof createThreads>;

type Options = {
  readonly store: Store;
  readonly log: Log;
  readonly models: Pick<Models, "forUser">;
  readonly access?: ModelAccess | undefined;
  readonly clock: Clock;
  readonly ids: Ids;
};

export function createThreads({ store, log, models, access, clock, ids }: Options) {
  const { read } = store;

  const get = async (
    principal: Pick<Principal, "userId">,
    threadId: string,
    action: Action = "read",
  ): Promise<RowOf<"threads">> => {
    const object = await findThreadAccess(read, principal.userId, await read.thread(threadId));
    authorize(principal, object, action);
    return object.row;
  };

  return {
    get,

    /** undefined: the user has no access, or there is no such thread. */
    find: async (principal: Pick<Principal, "userId">, threadId: string): Promise<RowOf<"threads"> | undefined> => {
      const found = await findThreadAccess(read, principal.userId, await read.thread(threadId));
      const isVisible = found?.role === undefined ? found?.ownerId === principal.userId : found.role !== null;
      return isVisible ? found?.row : undefined;
    },

    /** Does nothing when the user exists. Without sign-in there is one user, `local`. */
    addUser: async (userId: string): Promise<void> => {
      const row = { id: userId, created_at: clock.now() };
      await log.commit({ events: [], writes: [{ do: "insert", table: "users", row }] });
    },

    /** `writes`: rows to commit with the thread. */
    create: (principal: Principal, body: Body<"createThread">, writes: readonly Write[] = []): Promise<ThreadSummary> =>
      createThread({ read, log, models, access, clock, ids }, principal, { body, writes }),

    fork: async (
      principal: Principal,
      { threadId, messageId }: { readonly threadId: string; readonly messageId: string },
      body: Body<"forkThread">,
    ): Promise<ThreadSummary> =>
      forkThread({ read, log, models, clock, ids }, principal, {
        thread: await get(principal, threadId),
        messageId,
        body,
      }),

    /** Continues a shared thread in a copy. */
    copyShared: (principal: Principal, shared: SharedThread, body: Body<"copyShared">): Promise<ThreadSummary> =>
      copyShared({ read, log, models, access, clock, ids }, principal, { shared, body }),

    list: async (principal: Principal, query: Query<"listThreads">) => {
      const after = query.cursor === undefined ? null : parseCursor(query.cursor);
      const owner = principal.userId;
      const archived = query.archived === "true";
      const { projectId: project } = query;
      if (project !== undefined) await checkPlace(read, principal, { project, focus: null });
      return read.together(async (reads) => {
        const rows = await reads.threads({ owner, archived, project, after, limit: query.limit + 1 });
        const heads = await reads.heads([userStream(owner)]);
        const page = rows.slice(0, query.limit);
        const last = rows.length > query.limit ? page.at(-1) : undefined;
        const nextCursor = last ? `${last.pinned}.${last.updated_at}.${last.id}` : null;
        return { seq: heads.get(userStream(owner)) ?? 0, threads: await toSummaries(reads, owner, page), nextCursor };
      });
    },

    open: async (principal: Principal, threadId: string, limit: number): Promise<ThreadSnapshot> => {
      await get(principal, threadId);
      const snapshot = await read.together((reads) => readSnapshot(reads, principal.userId, threadId, limit));
      if (!snapshot) throw new ApiError("not-found", "Not found.");
      return snapshot;
    },

    listMessages: async (principal: Principal, threadId: string, { before, at, limit }: Query<"listMessages">) => {
      const { branch } = await get(principal, threadId);
      const named = at === undefined ? undefined : await read.message(threadId, at);
      const upTo = at === undefined ? before && before - 1 : (named?.depth ?? 0);
      const place = { thread: threadId, branch, ...(upTo === undefined ? {} : { upTo }) };
      const messages = await loadMessageViews(read, { ...place, count: limit });
      if (at !== undefined && messages.at(-1)?.id !== at) throw new ApiError("not-found", "Not found.");
      return { messages };
    },

    /** `forget`: also deletes memory that came from this thread, in the same commit. */
    remove: async (
      principal: Principal,
      threadId: string,
      more: { readonly forget?: boolean; readonly formerOwner?: string } = {},
    ): Promise<{ id: string }> => {
      const thread = await get(principal, threadId, "delete");
      // Memory of another user who started the thread stays.
      const forget = more.forget === true && thread.owner === principal.userId;
      await removeThread({ read, log, clock }, { thread, ...more, forget });
      return { id: threadId };
    },

    search: (principal: Principal, query: Query<"search">): Promise<{ hits: SearchHit[] }> =>
      search(read, principal, query),
  };
}

function parseCursor(cursor: string): { pinned: number; updatedAt: number; id: string } {
  const match = /^([01])\.(\d{1,15})\.([\w-]{1,128})$/.exec(cursor);
  if (!match) throw new ApiError("invalid", "Invalid cursor. Start again without one.");
  const [, pinned, updatedAt, id = ""] = match;
  return { pinned: Number(pinned), updatedAt: Number(updatedAt), id };
}
