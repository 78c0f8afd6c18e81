import { ApiError, fillPath, type Client } from "../../protocol/client.ts";
import type { LogEvent } from "../../protocol/events.ts";
import { applyEvent, emptyThreadView, type MessageView, type ThreadView } from "../../protocol/fold.ts";
import { streams } from "../../protocol/routes.ts";
import type { Follow, Follower, LinkState, StreamEvent } from "../api/follow.ts";
import { createBatch, type Schedule } from "./batch.ts";
import { createCell, type Cell } from "./cell.ts";

/**
 * One thread as the page sees it: a snapshot, then its stream, folded. `open` and `close` may come and go; what was read stays
 * and the stream goes on from there. Nothing here changes the thread.
 */
export type ThreadState =
  | { readonly phase: "loading" }
  | { readonly phase: "gone" }
  | { readonly phase: "failed"; readonly text: string }
  | { readonly phase: "ready"; readonly view: ThreadView; readonly earlier: "idle" | "loading" | "failed" };

export type ThreadFeed = {
  readonly state: Cell<ThreadState>;
  readonly link: Cell<LinkState>;
  /** `created: false`: this page is still creating it; there is nothing to ask for until `begin`. */
  open(thread: { readonly created: boolean }): void;
  close(): void;
  pause(): void;
  wake(): void;
  /** The thread exists now, and everything of it comes by the stream. */
  begin(): void;
  loadEarlier(limit?: number): Promise<void>;
};

export type FeedOptions = {
  readonly threadId: string;
  readonly client: Pick<Client, "getThread" | "listMessages">;
  readonly follow: Follow;
  readonly onSignedOut: () => void;
  /** What stands behind its prompts is another. */
  readonly onContextChanged?: () => void;
  readonly schedule?: Schedule;
};

const tailSize = 50;

export function createThreadFeed(options: FeedOptions): ThreadFeed {
  const { threadId, client, follow, onSignedOut, onContextChanged, schedule } = options;
  const state = createCell<ThreadState>({ phase: "loading" });
  const link = createCell<LinkState>("connecting");
  const batch = createBatch<StreamEvent>((events) => applyAll(events), schedule);
  let follower: Follower | null = null;
  let wanted = false;
  let isExpected = false;
  let load = 0;

  const applyAll = (events: readonly StreamEvent[]) => {
    const now = state.get();
    if (now.phase !== "ready") return;
    const view = events.reduce((before, { seq, event }) => applyEvent(before, seq, event), now.view);
    if (view.deleted) return end();
    state.set({ ...now, view });
    if (events.some(({ event }) => isOfContext(event))) onContextChanged?.();
    if (view.stale) void reload();
  };

  const end = () => {
    stopFollowing();
    state.set({ phase: "gone" });
  };

  const stopFollowing = () => {
    follower?.close();
    follower = null;
    batch.clear();
  };

  const startFollowing = () => {
    stopFollowing();
    follower = follow({
      toUrl: () => {
        batch.flush();
        return `${fillPath(streams.thread, { threadId })}?after=${currentView(state.get())?.seq ?? 0}`;
      },
      onEvent: (event) => batch.add(event),
      onLink: (next) => {
        link.set(next);
        if (next === "gone") end();
        if (next === "signed-out") onSignedOut();
      },
    });
  };

  const reload = async () => {
    const mine = ++load;
    stopFollowing();
    try {
      const snapshot = await client.getThread({ params: { threadId }, query: { limit: tailSize } });
      if (mine !== load) return;
      const before = currentView(state.get());
      const messages = joinPages(before?.messages ?? [], snapshot.messages);
      state.set({ phase: "ready", view: { ...snapshot, messages, stale: false, deleted: false }, earlier: "idle" });
      if (wanted) startFollowing();
    } catch (error) {
      if (mine === load) fail(error);
    }
  };

  const fail = (error: unknown) => {
    if (error instanceof ApiError && error.status === 404) return end();
    if (error instanceof ApiError && error.status === 401) return onSignedOut();
    if (state.get().phase === "ready") return link.set("waiting");
    state.set({ phase: "failed", text: error instanceof ApiError ? error.message : "The server cannot be reached." });
  };

  return {
    state,
    link,
    open: ({ created }) => {
      wanted = true;
      const now = state.get();
      if (!created) {
        isExpected = true;
        return state.set({ phase: "ready", view: emptyThreadView, earlier: "idle" });
      }
      if (now.phase === "ready" && !now.view.stale) startFollowing();
      else if (now.phase !== "gone") void reload();
    },
    close: () => {
      wanted = false;
      load += 1;
      batch.flush();
      stopFollowing();
    },
    pause: () => follower?.pause(),
    wake: () => {
      if (!wanted) return;
      if (follower) follower.wake();
      else if (state.get().phase !== "gone" && !isExpected) void reload();
    },
    begin: () => {
      if (!isExpected) return;
      isExpected = false;
      if (wanted) startFollowing();
    },
    loadEarlier: async (limit = tailSize) => {
      const now = state.get();
      const before = currentView(now)?.messages[0]?.depth ?? 1;
      if (now.phase !== "ready" || now.earlier === "loading" || before <= 1) return;
      state.set({ ...now, earlier: "loading" });
      const page = await client.listMessages({ params: { threadId }, query: { before, limit } }).catch(() => null);
      const then = state.get();
      if (then.phase !== "ready") return;
      if (!page) return state.set({ ...then, earlier: "failed" });
      const isNext = then.view.messages[0]?.depth === before;
      const messages = isNext ? [...page.messages, ...then.view.messages] : then.view.messages;
      state.set({ phase: "ready", view: { ...then.view, messages }, earlier: "idle" });
    },
  };
}

/** Another branch has other summaries behind it. */
const isOfContext = ({ type }: LogEvent): boolean => type === "context-changed" || type === "branch-activated";

const currentView = (state: ThreadState): ThreadView | null => (state.phase === "ready" ? state.view : null);

/** Keeps the earlier pages where the new tail joins them without a gap. */
function joinPages(before: readonly MessageView[], tail: readonly MessageView[]): readonly MessageView[] {
  const first = tail[0];
  if (!first) return tail;
  const kept = before.filter((message) => message.depth < first.depth);
  return kept.at(-1)?.depth === first.depth - 1 ? [...kept, ...tail] : tail;
}
