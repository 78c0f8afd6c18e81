import type { Body, Query, SearchHit, ThreadSnapshot } from "../../protocol/api.ts";
import { Refusal } from "../../protocol/errors.ts";
import type { LogEvent, ThreadSummary } from "../../protocol/events.ts";
import { threadStream, userStream } from "../../protocol/ids.ts";
import { authorize } from "../auth/authorize.ts";
import type { Principal } from "../auth/principal.ts";
import type { Clock } from "../lib/clock.ts";
import type { Ids } from "../lib/ids.ts";
import type { Log, LogBatch, LogEntry } from "../log/log.ts";
import { checkPlace } from "../project/project.ts";
import { planForget } from "../memory/memory.ts";
import type { Models } from "../model/model.ts";
import { toTerms } from "../rank/terms.ts";
import type { Store, Write } from "../store/contract.ts";
import { threadTables, type RowOf } from "../store/schema.ts";
import { hashOf } from "./input.ts";
import { loadWindow } from "./path.ts";
import { indexTitle } from "./search-docs.ts";
import { toSummary } from "./rows.ts";
import { takeSnapshot } from "./snapshot.ts";
import { toSnippet } from "./snippet.ts";

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
      await checkPlace(read, principal, { project: body.projectId ?? null, focus: body.focusId ?? null });
      const { head } = await read.lease(threadStream(body.id));
      if (head > 0 && !(await read.thread(body.id))) {
        throw new Refusal("conflict", "a thread with this id was deleted: choose another id");
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
        model: body.model ?? models.defaultId,
        status: "idle",
        pinned: 0,
        archived: 0,
        message_count: 0,
        branch,
        policy: "",
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
      const result = await log.commit({
        events: both(principal.userId, body.id, { type: "thread-created", thread: toSummary(row) }),
        writes: [
          { do: "insert", table: "threads", row },
          { do: "insert", table: "branches", row: root },
          { do: "insert", table: "inputs", row: input },
          ...indexTitle(row, row.title),
        ],
      });
      if (result.ok) return toSummary(row);
      const [known, first] = await Promise.all([read.thread(body.id), read.input(body.id, CREATION)]);
      if (known?.owner === principal.userId && first?.hash === input.hash) return toSummary(known);
      throw new Refusal("conflict", "a thread with this id exists already, with other settings: choose another id");
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
      const snapshot = await read.together((reads) => takeSnapshot(reads, threadId, limit));
      if (!snapshot) throw new Refusal("not-found", "there is no such thread");
      return snapshot;
    },

    earlier: async (principal: Principal, threadId: string, { before, limit }: Query<"listMessages">) => {
      const { branch } = await get(principal, threadId);
      const window = { thread: threadId, branch, upTo: before - 1, count: limit };
      const { messages } = await loadWindow(read, window);
      return { messages };
    },

    /** `forget`: what is remembered from it goes in the same commit. */
    remove: async (
      principal: Principal,
      threadId: string,
      { forget = false }: { readonly forget?: boolean } = {},
    ): Promise<{ id: string }> => {
      const { owner } = await get(principal, threadId);
      const stream = threadStream(threadId);
      const emptied = threadTables.map((table): Write => ({ do: "delete", table, where: { thread: threadId } }));
      const batch: LogBatch = {
        revoke: stream,
        events: both(owner, threadId, { type: "thread-deleted", threadId }),
        writes: [
          ...emptied,
          // What was spent stays spent: date, model, tokens and cost, and nothing of what was said.
          { do: "update", table: "calls", set: GONE, where: { thread: threadId } },
          { do: "delete", table: "events", where: { stream } },
          { do: "delete", table: "events", where: { stream: userStream(owner), message: threadId } },
          { do: "delete", table: "members", where: { object: stream } },
          { do: "delete", table: "threads", where: { id: threadId } },
        ],
        drive: [threadId],
      };
      // A row that came in between two of the deletes keeps the thread: then all of it is done again.
      for (let tries = 0; tries < MOST_TRIES; tries += 1) {
        const forgetting = { userId: owner, key: `forget:${threadId}:${tries}`, threadId, now: clock.now() };
        const plan = forget ? await planForget(read, forgetting) : { writes: [], events: [] };
        const whole = {
          ...batch,
          writes: [...batch.writes, ...plan.writes],
          events: [...batch.events, ...plan.events],
        };
        if ((await log.commit(whole)).ok) return { id: threadId };
      }
      throw new Refusal("busy", "The thread is being written to. Try again in a moment.");
    },

    search: async (principal: Principal, { q, limit }: Query<"search">): Promise<{ hits: SearchHit[] }> => {
      const terms = toTerms(q);
      if (terms.length === 0) return { hits: [] };
      const found = await read.search({ owner: principal.userId, terms, limit });
      const rows = await read.threadsById([...new Set(found.map((hit) => hit.thread))]);
      const threads = new Map(rows.map((row) => [row.id, toSummary(row)]));
      const hits = found.flatMap(({ thread: id, message, text, at }): SearchHit[] => {
        const thread = threads.get(id);
        return thread ? [{ thread, messageId: message || null, at, ...toSnippet(text, terms) }] : [];
      });
      return { hits };
    },
  };
}

const MOST_TRIES = 10;

const GONE = { thread: "", run: null, reason: null, receipt: null, job: null } as const;

/** Outside the alphabet of client-minted ids, so no message can take it. */
const CREATION = "create:";

export function checkModel(models: Pick<Models, "find">, model: string | undefined): void {
  if (model === undefined || models.find(model)) return;
  throw new Refusal("invalid", `there is no model "${model}" here: GET /api/models lists those there are`);
}

function parseCursor(cursor: string): { pinned: number; updatedAt: number; id: string } {
  const match = /^([01])\.(\d{1,15})\.([\w-]{1,128})$/.exec(cursor);
  if (!match) throw new Refusal("invalid", "this cursor is not one of ours: start again without it");
  const [, pinned, updatedAt, id = ""] = match;
  return { pinned: Number(pinned), updatedAt: Number(updatedAt), id };
}
