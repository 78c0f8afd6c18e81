import type { Client } from "../../protocol/client.ts";
import type { UserEvent, ThreadSummary } from "../../protocol/events.ts";
import { applyListEvent, sortThreads, type ListView } from "../../protocol/list-fold.ts";
import { streams } from "../../protocol/routes.ts";
import type { Follow, Follower, LinkState, StreamEvent } from "../api/follow.ts";
import { createBatch, type Schedule } from "./batch.ts";
import { createSignal, type Signal } from "../lib/signal.ts";
import { isSignedOut } from "./session.ts";

/** The user's threads, including archived ones once requested, updated by the user's event stream. */
export type ListState = {
  readonly phase: "loading" | "ready" | "failed";
  readonly view: ListView;
  /** null: all pages are loaded; undefined: none was requested. */
  readonly cursors: { readonly active: string | null | undefined; readonly archived: string | null | undefined };
};

export type ListKind = "active" | "archived";

export type ThreadList = {
  readonly state: Signal<ListState>;
  readonly link: Signal<LinkState>;
  /** Incremented whenever the user's memory changes. */
  readonly memory: Signal<number>;
  /** Incremented whenever providers or profiles change. */
  readonly settings: Signal<number>;
  open(): void;
  pause(): void;
  wake(): void;
  /** Loads the next page, one at a time; resolves to whether it worked. */
  loadMore(kind: ListKind): Promise<boolean>;
};

type Options = {
  readonly client: Pick<Client, "listThreads" | "getThread">;
  readonly follow: Follow;
  readonly onSignedOut: () => void;
  readonly onProjectChanged?: (event: UserEvent) => void;
  /** Threads that are being deleted: known but hidden. */
  readonly hidden?: Signal<ReadonlySet<string>>;
  /** All events of the user's stream. */
  readonly onEvent?: (event: StreamEvent<UserEvent>) => void;
  readonly schedule?: Schedule;
};

const retryMs = 3000;
const pageSize = 200;
const settingEvents: ReadonlySet<UserEvent["type"]> = new Set(["providers-changed", "profiles-changed"] as const);

export function createThreadList(options: Options): ThreadList {
  const { client, follow, onSignedOut, onProjectChanged, onEvent, hidden, schedule } = options;
  let current: ListState = {
    phase: "loading",
    view: { seq: 0, threads: [] },
    cursors: { active: undefined, archived: undefined },
  };
  const state = createSignal(current);
  const link = createSignal<LinkState>("connecting");
  const memory = createSignal(0);
  const settings = createSignal(0);
  const batch = createBatch<StreamEvent<UserEvent>>((events) => applyAll(events), schedule);
  let follower: Follower | null = null;
  let loading = false;
  let retry: ReturnType<typeof setTimeout> | undefined;

  const set = (next: ListState) => {
    current = next;
    state.set(withoutHidden(next, hidden?.get()));
  };
  hidden?.subscribe(() => set(current));
  const pages = createPages({ client, get: () => current, set });

  const applyAll = (events: readonly StreamEvent<UserEvent>[]) => {
    const before = current;
    const view = events.reduce((view, { seq, event }) => applyListEvent(view, seq, event), before.view);
    set({ ...before, view });
    if (events.some(({ event }) => event.type === "memory-changed")) memory.set(memory.get() + 1);
    if (events.some(({ event }) => settingEvents.has(event.type))) settings.set(settings.get() + 1);
    for (const { event } of events) if (event.type === "project-changed") onProjectChanged?.(event);
    if (onEvent) for (const event of events) onEvent(event);
    const known = new Set(view.threads.map((thread) => thread.id));
    const changed = events.flatMap(({ event }) => (event.type === "thread-changed" ? [event.threadId] : []));
    for (const threadId of new Set(changed)) if (!known.has(threadId)) void pages.fetchOne(threadId);
  };

  const load = async () => {
    if (loading) return;
    loading = true;
    clearTimeout(retry);
    try {
      const page = await client.listThreads({ params: {}, query: { archived: "false" } });
      set({
        phase: "ready",
        view: { seq: page.seq, threads: page.threads },
        cursors: { active: page.nextCursor, archived: undefined },
      });
      startFollowing();
    } catch (error) {
      if (isSignedOut(error)) return onSignedOut();
      if (current.phase === "loading") set({ ...current, phase: "failed" });
      link.set("waiting");
      retry = setTimeout(() => void load(), retryMs);
    } finally {
      loading = false;
    }
  };

  const startFollowing = () => {
    follower?.close();
    follower = follow<UserEvent>({
      toUrl: () => {
        batch.flush();
        return `${streams.user}?after=${current.view.seq}`;
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
    loadMore: pages.loadMore,
  };
}

type PagesOptions = Pick<Options, "client"> & {
  readonly get: () => ListState;
  readonly set: (state: ListState) => void;
};

/** Adds threads that are not loaded: the next page, or a single one. */
function createPages({ client, get, set }: PagesOptions) {
  /** A thread outside the loaded pages was updated, so it belongs at the top now. */
  const fetchOne = async (threadId: string) => {
    const snapshot = await client.getThread({ params: { threadId }, query: { limit: 1 } }).catch(() => null);
    if (snapshot && !snapshot.thread.temporary) merge([snapshot.thread]);
  };

  const merge = (threads: readonly ThreadSummary[]) => {
    const before = get();
    const ids = new Set(before.view.threads.map((thread) => thread.id));
    const added = threads.filter((thread) => !ids.has(thread.id));
    set({ ...before, view: { ...before.view, threads: sortThreads([...before.view.threads, ...added]) } });
  };

  const asking: Record<ListKind, Promise<boolean> | null> = { active: null, archived: null };
  const ask = async (kind: ListKind): Promise<boolean> => {
    const cursor = get().cursors[kind];
    if (cursor === null) return true;
    const archived = kind === "archived" ? "true" : "false";
    const page = await client
      .listThreads({ params: {}, query: { archived, limit: pageSize, ...(cursor ? { cursor } : {}) } })
      .catch(() => null);
    if (!page) return false;
    merge(page.threads);
    set({ ...get(), cursors: { ...get().cursors, [kind]: page.nextCursor } });
    return true;
  };

  const loadMore = (kind: ListKind) => (asking[kind] ??= ask(kind).finally(() => (asking[kind] = null)));
  return { fetchOne, loadMore };
}

function withoutHidden(state: ListState, hidden: ReadonlySet<string> | undefined): ListState {
  if (!hidden || hidden.size === 0) return state;
  return { ...state, view: { ...state.view, threads: state.view.threads.filter(({ id }) => !hidden.has(id)) } };
}
