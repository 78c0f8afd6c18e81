import type { Client } from "../../protocol/client.ts";
import { isUnread } from "../../protocol/list-fold.ts";
import type { Signal } from "../lib/signal.ts";
import type { Route } from "./route.ts";
import type { ThreadFeed } from "./thread-feed.ts";

type Options = {
  readonly route: Signal<Route>;
  readonly client: Pick<Client, "markSeen">;
  readonly getFeed: (threadId: string) => Pick<ThreadFeed, "state">;
};

type Screen = Pick<Document, "hidden" | "addEventListener">;

/**
 * Marks the open thread as read whenever it changes while the page is visible. The mark comes back through the user's
 * stream, so all tabs and devices agree.
 */
export function watchReadMarks({ route, client, getFeed }: Options, screen: Screen = document): void {
  let followed: string | null = null;
  let release: () => void = () => undefined;
  /** Until when this page has marked each thread, so that a mark is not sent twice. */
  const marked = new Map<string, number>();

  const mark = () => {
    if (followed === null || screen.hidden) return;
    const threadId = followed;
    const state = getFeed(threadId).state.get();
    const thread = state.phase === "ready" ? state.view.thread : null;
    if (!thread || thread.temporary || !isUnread(thread)) return;
    const { updatedAt: at } = thread;
    if ((marked.get(threadId) ?? -1) >= at) return;
    marked.set(threadId, at);
    // A failed mark is sent again with the next change, or when the page becomes visible.
    client.markSeen({ params: { threadId }, body: { at } }).catch(() => marked.delete(threadId));
  };
  const follow = () => {
    const { threadId } = route.get();
    if (threadId === followed) return;
    release();
    followed = threadId;
    release = threadId === null ? () => undefined : getFeed(threadId).state.subscribe(mark);
    mark();
  };
  route.subscribe(follow);
  screen.addEventListener("visibilitychange", mark);
  follow();
}
