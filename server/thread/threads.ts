import type { Body, Query, SearchHit, ThreadSnapshot } from "../../protocol/api.ts";
import { ApiError } from "../../protocol/errors.ts";
import type { LogEvent, ThreadSummary } from "../../protocol/events.ts";
import { threadStream, userStream } from "../../protocol/ids.ts";
import { builtInProfiles } from "../../protocol/settings/profiles.ts";
import { authorize } from "../auth/authorize.ts";
import type { Principal } from "../auth/principal.ts";
import type { Clock } from "../lib/clock.ts";
import type { Ids } from "../lib/ids.ts";
import type { Log, LogEntry } from "../log/log.ts";
import { checkPlace } from "../project/project.ts";
import type { Models } from "../model/model.ts";
import type { Reads, Store } from "../store/contract.ts";
import type { RowOf } from "../store/schema.ts";
import { hashOf } from "./input.ts";
import { search } from "./search.ts";
import { indexTitle } from "./search-docs.ts";
import { toSummary } from "./rows.ts";
import { loadShown, readSnapshot } from "./snapshot.ts";
import { removeThread } from "./remove.ts";
import { planLeaving } from "./temporary.ts";

/**
 * THE CONVERSATION, as a whole: start, list, open, change, delete, find. In: a principal and a parsed request. Out: views.
 * Every id is authorised here; what people say goes through `admit.ts`, answers are written by runs.
 */
export type Threads = ReturnType<typeof createThreads>;

type Options = {
  readonly store: Store;
  readonly log: Log;
  readonly models: Pick<Models, "find" | "defaultId">;
  readonly clock: Clock;
  readonly ids: Ids;
};

export function createThreads({ store, log, models, clock, ids }: Options) {
  const { read } = store;

  const get = async (principal: Principal, threadId: string): Promise<RowOf<"threads">> => {
    const row = await read.thread(threadId);
    const object = row && { ownerId: row.owner, row };
    authorize(principal, object, "read");
    return object.row;
  };

  const findModel = (id: string | null): string | undefined => (id !== null && models.find(id) ? id : undefined);

  /** The same event for who looks at the thread and for who looks at the list. */
  const both = (owner: string, threadId: string, event: LogEvent): LogEntry[] => [
    { stream: threadStream(threadId), event },
    { stream: userStream(owner), event },
  ];

  return {
    get,

    /** There is always a user; without sign-in it is `local`. */
    addUser: async (userId: string): Promise<void> => {
      const row = { id: userId, created_at: clock.now() };
      await log.commit({ events: [], writes: [{ do: "insert", table: "users", row }] });
    },

    create: async (principal: Principal, body: Body<"createThread">): Promise<ThreadSummary> => {
      checkModel(models, body.model);
      const profile = await checkProfile(read, principal.userId, body.profile);
      await checkPlace(read, principal, { project: body.projectId ?? null, focus: body.focusId ?? null });
      const { head } = await read.lease(threadStream(body.id));
      if (head > 0 && !(await read.thread(body.id))) {
        throw new ApiError("conflict", "a thread with this id was deleted: choose another id");
      }
      const now = clock.now();
      const branch = ids.next();
      const row: RowOf<"threads"> = {
        id: body.id,
        owner: principal.userId,
        title: body.title ?? "",
        title_source: body.title ? "person" : "none",
        preview: "",
        profile: body.profile,
        model: body.model ?? findModel(profile.model) ?? models.defaultId,
        status: "idle",
        pinned: 0,
        archived: 0,
        message_count: 0,
        branch,
        policy: "",
        effort: body.effort ?? "",
        project: body.projectId ?? null,
        focus: body.focusId ?? null,
        mode: body.mode ?? "",
        temporary: body.temporary ? 1 : 0,
        seen_at: now,
        created_at: now,
        updated_at: now,
      };
      const input: RowOf<"inputs"> = {
        thread: body.id,
        id: CREATION,
        kind: "create",
        mode: "queue",
        hash: hashOf(body),
        body: "{}",
        state: "done",
        seq: 0,
        created_at: now,
      };
      const root = { thread: body.id, id: branch, parent: null, fork_depth: 0, tip: 0, used_at: now };
      const created = both(principal.userId, body.id, { type: "thread-created", thread: toSummary(row) });
      const result = await log.commit({
        // Whoever looks at the list does not hear of a temporary one.
        events: row.temporary ? created.slice(0, 1) : created,
        writes: [
          { do: "insert", table: "threads", row },
          { do: "insert", table: "branches", row: root },
          { do: "insert", table: "inputs", row: input },
          ...indexTitle(row, row.title),
          ...(row.temporary ? planLeaving(row, ids.next(), now) : []),
        ],
      });
      if (result.ok) return toSummary(row);
      const [known, first] = await Promise.all([read.thread(body.id), read.input(body.id, CREATION)]);
      if (known?.owner === principal.userId && first?.hash === input.hash) return toSummary(known);
      throw new ApiError("conflict", "a thread with this id exists already, with other settings: choose another id");
    },

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
        return { seq: heads.get(userStream(owner)) ?? 0, threads: page.map(toSummary), nextCursor };
      });
    },

    open: async (principal: Principal, threadId: string, limit: number): Promise<ThreadSnapshot> => {
      await get(principal, threadId);
      const snapshot = await read.together((reads) => readSnapshot(reads, threadId, limit));
      if (!snapshot) throw new ApiError("not-found", "there is no such thread");
      return snapshot;
    },

    earlier: async (principal: Principal, threadId: string, { before, at, limit }: Query<"listMessages">) => {
      const { branch } = await get(principal, threadId);
      const named = at === undefined ? undefined : await read.message(threadId, at);
      const upTo = at === undefined ? before && before - 1 : (named?.depth ?? 0);
      const place = { thread: threadId, branch, ...(upTo === undefined ? {} : { upTo }) };
      const messages = await loadShown(read, { ...place, count: limit });
      if (at !== undefined && messages.at(-1)?.id !== at)
        throw new ApiError("not-found", "there is no such message on the active path");
      return { messages };
    },

    /** `forget`: what is remembered from it goes in the same commit. */
    remove: async (
      principal: Principal,
      threadId: string,
      more: { readonly forget?: boolean; readonly formerOwner?: string } = {},
    ): Promise<{ id: string }> => {
      const { owner } = await get(principal, threadId);
      await removeThread({ read, log, clock }, { threadId, owner, ...more });
      return { id: threadId };
    },

    search: (principal: Principal, query: Query<"search">): Promise<{ hits: SearchHit[] }> =>
      search(read, principal, query),
  };
}

/** Outside the alphabet of client-minted ids, so no message can take it. */
const CREATION = "create:";

export function checkModel(models: Pick<Models, "find">, model: string | undefined): void {
  if (model === undefined || models.find(model)) return;
  throw new ApiError("invalid", `there is no model "${model}" here: GET /api/models lists those there are`);
}

/** Refuses a profile that this person does not have; of one of their own it tells the model that its threads begin with. */
export async function checkProfile(
  read: Pick<Reads, "profile">,
  userId: string,
  profile: string,
): Promise<{ readonly model: string | null }> {
  if (builtInProfiles.some((name) => name === profile)) return { model: null };
  const row = await read.profile(userId, profile);
  if (!row) {
    throw new ApiError("invalid", `there is no profile "${profile}" here: GET /api/profiles lists those there are`);
  }
  return JSON.parse(row.body) as { readonly model: string | null };
}

function parseCursor(cursor: string): { pinned: number; updatedAt: number; id: string } {
  const match = /^([01])\.(\d{1,15})\.([\w-]{1,128})$/.exec(cursor);
  if (!match) throw new ApiError("invalid", "this cursor is not one of ours: start again without it");
  const [, pinned, updatedAt, id = ""] = match;
  return { pinned: Number(pinned), updatedAt: Number(updatedAt), id };
}
