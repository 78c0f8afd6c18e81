import type { Client } from "../../protocol/client.ts";
import type { LogEvent, ThreadSummary } from "../../protocol/events.ts";
import { applyListEvent, sortThreads, type ListView } from "../../protocol/list-fold.ts";
import { streams } from "../../protocol/routes.ts";
import type { Follow, Follower, LinkState, StreamEvent } from "../api/follow.ts";
import { createBatch, type Schedule } from "./batch.ts";
import { createCell, type Cell } from "./cell.ts";
import { isSignedOut } from "./session.ts";

/** The user's threads, archived ones among them once they were asked for, kept fresh by the user's own stream. */
export type ListState = {
  readonly phase: "loading" | "ready" | "failed";
  readonly view: ListView;
  /** null: all pages of it are here; undefined: none was asked for. */
  readonly cursors: { readonly active: string | null | undefined; readonly archived: string | null | undefined };
};

export type ThreadList = {
  readonly state: Cell<ListState>;
  readonly link: Cell<LinkState>;
  /** Another number each time what is remembered about the person has changed. */
  readonly memory: Cell<number>;
  /** Another number each time providers or profiles have changed. */
  readonly settings: Cell<number>;
  open(): void;
  pause(): void;
  wake(): void;
  loadMore(kind: "active" | "archived"): Promise<void>;
};

type Options = {
  readonly client: Pick<Client, "listThreads" | "getThread">;
  readonly follow: Follow;
  readonly onSignedOut: () => void;
  readonly onProjectChanged?: (event: LogEvent) => void;
  readonly schedule?: Schedule;
};

const retryMs = 3000;
const settingEvents: ReadonlySet<LogEvent["type"]> = new Set(["providers-changed", "profiles-changed"] as const);

export function createThreadList(options: Options): ThreadList {
  const { client, follow, onSignedOut, onProjectChanged, schedule } = options;
  const state = createCell<ListState>({
    phase: "loading",
    view: { seq: 0, threads: [] },
    cursors: { active: undefined, archived: undefined },
  });
  const link = createCell<LinkState>("connecting");
  const memory = createCell(0);
  const settings = createCell(0);
  const batch = createBatch<StreamEvent>((events) => applyAll(events), schedule);
  let follower: Follower | null = null;
  let loading = false;
  let retry: ReturnType<typeof setTimeout> | undefined;

  const applyAll = (events: readonly StreamEvent[]) => {
    const before = state.get();
    const view = events.reduce((view, { seq, event }) => applyListEvent(view, seq, event), before.view);
    state.set({ ...before, view });
    if (events.some(({ event }) => event.type === "memory-changed")) memory.set(memory.get() + 1);
    if (events.some(({ event }) => settingEvents.has(event.type))) settings.set(settings.get() + 1);
    for (const { event } of events) if (event.type === "project-changed") onProjectChanged?.(event);
    const known = new Set(view.threads.map((thread) => thread.id));
    const changed = events.flatMap(({ event }) => (event.type === "thread-changed" ? [event.threadId] : []));
    for (const threadId of new Set(changed)) if (!known.has(threadId)) void fetchOne(threadId);
  };

  /** A thread beyond the loaded pages moved: it belongs on top now. */
  const fetchOne = async (threadId: string) => {
    const snapshot = await client.getThread({ params: { threadId }, query: { limit: 1 } }).catch(() => null);
    if (snapshot) merge([snapshot.thread]);
  };

  const merge = (threads: readonly ThreadSummary[]) => {
    const before = state.get();
    const ids = new Set(before.view.threads.map((thread) => thread.id));
    const added = threads.filter((thread) => !ids.has(thread.id));
    state.set({ ...before, view: { ...before.view, threads: sortThreads([...before.view.threads, ...added]) } });
  };

  const load = async () => {
    if (loading) return;
    loading = true;
    clearTimeout(retry);
    try {
      const page = await client.listThreads({ params: {}, query: { archived: "false" } });
      state.set({
        phase: "ready",
        view: { seq: page.seq, threads: page.threads },
        cursors: { active: page.nextCursor, archived: undefined },
      });
      startFollowing();
    } catch (error) {
      if (isSignedOut(error)) return onSignedOut();
      if (state.get().phase === "loading") state.set({ ...state.get(), phase: "failed" });
      link.set("waiting");
      retry = setTimeout(() => void load(), retryMs);
    } finally {
      loading = false;
    }
  };

  const startFollowing = () => {
    follower?.close();
    follower = follow({
      toUrl: () => {
        batch.flush();
        return `${streams.user}?after=${state.get().view.seq}`;
      },
      onEvent: (event) => batch.add(event),
      onLink: (next) => {
        link.set(next);
        if (next === "signed-out") onSignedOut();
      },
    });
  };

  return {
    state,
    link,
    memory,
    settings,
    open: () => void load(),
    pause: () => follower?.pause(),
    wake: () => {
      if (follower) follower.wake();
      else void load();
    },
    loadMore: async (kind) => {
      const cursor = state.get().cursors[kind];
      if (cursor === null) return;
      const archived = kind === "archived" ? "true" : "false";
      const page = await client
        .listThreads({ params: {}, query: { archived, ...(cursor ? { cursor } : {}) } })
        .catch(() => null);
      if (!page) return;
      merge(page.threads);
      state.set({ ...state.get(), cursors: { ...state.get().cursors, [kind]: page.nextCursor } });
    },
  };
}
