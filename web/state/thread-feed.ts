import { toFailed, type UnloadedState } from "../lib/use-load.ts";
import { ResponseError, fillPath, type Client } from "../../protocol/client.ts";
import type { ThreadEvent } from "../../protocol/events.ts";
import { applyEvent, emptyThreadView, type MessageView, type ThreadView } from "../../protocol/fold.ts";
import type { Present } from "../../protocol/project/presence.ts";
import { streams } from "../../protocol/routes.ts";
import type { Follow, Follower, LinkState, StreamEvent } from "../api/follow.ts";
import { createBatch, type Schedule } from "./batch.ts";
import { createSignal, type Signal } from "../lib/signal.ts";
import { addMessages, cutAfter, findMissing, noHistory, splitTail, type History, type Span } from "./history.ts";

/** `view` holds the end of the path, `history` the earlier messages near the viewport. */
export type ThreadState =
  | UnloadedState
  | { readonly phase: "gone" }
  | { readonly phase: "ready"; readonly view: ThreadView; readonly history: History };

/**
 * One thread: a snapshot, then its event stream, folded. It can be opened and closed repeatedly and resumes where it
 * stopped. Read-only.
 */
export type ThreadFeed = {
  readonly state: Signal<ThreadState>;
  readonly link: Signal<LinkState>;
  /** Everyone who has the thread open, if it is shared, this user included. */
  readonly present: Signal<Present>;
  /** `created: false`: this page is still creating the thread, so there is nothing to load until `begin`. */
  open(thread: { readonly created: boolean }): void;
  close(): void;
  pause(): void;
  wake(): void;
  /** The thread was created; everything comes through its stream. */
  begin(): void;
  /** The visible depths: missing messages are loaded, distant ones are dropped. */
  setVisible(span: Span): void;
  /** Retries what failed to load. */
  retry(): void;
  /** Depth of a message on the active path; null if it is not on it. */
  find(messageId: string): Promise<number | null>;
};

export type FeedOptions = {
  readonly threadId: string;
  readonly client: Pick<Client, "getThread" | "listMessages">;
  readonly follow: Follow;
  readonly onSignedOut: () => void;
  /** The prompt context has changed. */
  readonly onContextChanged?: () => void;
  readonly schedule?: Schedule;
};

const nobody: Present = { people: [] };
const tailSize = 50;
const retryMs = 3000;

export function createThreadFeed(options: FeedOptions): ThreadFeed {
  const { threadId, client, follow, onSignedOut, onContextChanged, schedule } = options;
  const state = createSignal<ThreadState>({ phase: "loading" });
  const link = createSignal<LinkState>("connecting");
  const present = createSignal<Present>(nobody);
  const batch = createBatch<StreamEvent<ThreadEvent>>((events) => applyAll(events), schedule);
  let follower: Follower | null = null;
  let isOpen = false;
  let isBeingCreated = false;
  let load = 0;
  let again: ReturnType<typeof setTimeout> | undefined;
  let visibleSpan: Span = { from: 0, to: 0 };
  let isFilling = false;
  /** The active path's number: pages requested for another path are dropped. */
  let path = 0;

  const applyAll = (events: readonly StreamEvent<ThreadEvent>[]) => {
    const now = state.get();
    if (now.phase !== "ready") return;
    const view = events.reduce((before, { seq, event }) => applyEvent(before, seq, event), now.view);
    if (view.deleted) return end();
    const forks = events.flatMap(({ event }) => (event.type === "branch-activated" ? [event.forkDepth] : []));
    if (forks.length > 0) path += 1;
    const shared = forks.reduce((before, forkDepth) => cutAfter(before, forkDepth), now.history);
    const [past, messages] = splitTail(view.messages);
    const history = past.length > 0 ? addMessages(shared, past, visibleSpan) : shared;
    state.set({ ...now, view: past.length > 0 ? { ...view, messages } : view, history });
    if (messages[0]?.depth !== now.view.messages[0]?.depth) void fill();
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
    present.set(nobody);
    batch.clear();
  };

  const startFollowing = () => {
    stopFollowing();
    follower = follow<ThreadEvent>({
      toUrl: () => {
        batch.flush();
        const view = currentView(state.get());
        const presence = view?.thread?.shared === true ? "&presence=1" : "";
        return `${fillPath(streams.thread, { threadId })}?after=${view?.seq ?? 0}${presence}`;
      },
      onEvent: (event) => batch.add(event),
      onNamed: (name, data) => {
        if (name === "presence") present.set(data as Present);
      },
      onLink: (next) => {
        link.set(next);
        if (next === "gone") end();
        if (next === "signed-out") onSignedOut();
      },
    });
  };

  const reload = async () => {
    const mine = ++load;
    clearTimeout(again);
    stopFollowing();
    try {
      const snapshot = await client.getThread({ params: { threadId }, query: { limit: tailSize } });
      if (mine !== load) return;
      const before = currentView(state.get());
      const messages = joinPages(before?.messages ?? [], snapshot.messages);
      const view = { ...snapshot, messages, stale: false, deleted: false };
      const then = state.get();
      const tailStart = messages[0]?.depth ?? 1;
      const history = then.phase === "ready" ? cutAfter(then.history, tailStart - 1) : noHistory;
      state.set({ phase: "ready", view, history });
      void fill();
      if (isOpen) startFollowing();
    } catch (error) {
      if (mine === load) fail(error);
    }
  };

  const fail = (error: unknown) => {
    if (error instanceof ResponseError && error.status === 404) return end();
    if (error instanceof ResponseError && error.status === 401) return onSignedOut();
    if (state.get().phase === "ready") {
      link.set("waiting");
      again = setTimeout(() => void reload(), retryMs);
      return;
    }
    state.set(toFailed(error));
  };

  const fill = async () => {
    if (isFilling) return;
    isFilling = true;
    for (let page = nextPage(); page !== null; page = nextPage()) {
      const mine = path;
      const query = { before: page.to + 1, limit: page.to - page.from + 1 };
      const answer = await client.listMessages({ params: { threadId }, query }).catch(() => null);
      const now = state.get();
      if (now.phase !== "ready") break;
      if (mine !== path) continue;
      const isWhole = answer?.messages.at(-1)?.depth === page.to;
      const history = isWhole
        ? addMessages(now.history, answer.messages, visibleSpan)
        : { ...now.history, failed: true };
      state.set({ ...now, history });
    }
    isFilling = false;
  };

  const nextPage = (): Span | null => {
    const now = state.get();
    if (now.phase !== "ready" || now.history.failed) return null;
    const tailStart = now.view.messages[0]?.depth ?? 1;
    return findMissing(now.history, visibleSpan, tailStart);
  };

  const retry = () => {
    const now = state.get();
    if (now.phase !== "ready") return;
    if (now.history.failed) state.set({ ...now, history: { ...now.history, failed: false } });
    void fill();
  };

  return {
    state,
    link,
    present,
    open: ({ created }) => {
      isOpen = true;
      const now = state.get();
      if (!created) {
        isBeingCreated = true;
        return state.set({ phase: "ready", view: emptyThreadView, history: noHistory });
      }
      if (now.phase === "ready" && !now.view.stale) startFollowing();
      else if (now.phase !== "gone") void reload();
    },
    close: () => {
      isOpen = false;
      load += 1;
      clearTimeout(again);
      batch.flush();
      stopFollowing();
    },
    pause: () => follower?.pause(),
    wake: () => {
      if (!isOpen) return;
      retry();
      if (follower) follower.wake();
      else if (state.get().phase !== "gone" && !isBeingCreated) void reload();
    },
    begin: () => {
      if (!isBeingCreated) return;
      isBeingCreated = false;
      if (isOpen) startFollowing();
    },
    setVisible: (span) => {
      visibleSpan = span;
      void fill();
    },
    retry,
    find: async (messageId) => {
      const now = state.get();
      const known = now.phase === "ready" ? [...now.view.messages, ...now.history.messages.values()] : [];
      const here = known.find(({ id }) => id === messageId);
      if (here) return here.depth;
      const query = { at: messageId, limit: 1 };
      const answer = await client.listMessages({ params: { threadId }, query }).catch(() => null);
      return answer?.messages[0]?.depth ?? null;
    },
  };
}

/** Another branch has its own summaries. */
const isOfContext = ({ type }: ThreadEvent): boolean => type === "context-changed" || type === "branch-activated";

const currentView = (state: ThreadState): ThreadView | null => (state.phase === "ready" ? state.view : null);

/** Keeps earlier pages if the new tail joins them without a gap. */
function joinPages(before: readonly MessageView[], tail: readonly MessageView[]): readonly MessageView[] {
  const first = tail[0];
  if (!first) return tail;
  const kept = before.filter((message) => message.depth < first.depth);
  return kept.at(-1)?.depth === first.depth - 1 ? [...kept, ...tail] : tail;
}
