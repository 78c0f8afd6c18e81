import { createContext, useContext } from "react";
import { createClient, type Client } from "../../protocol/client.ts";
import { follow } from "../api/follow.ts";
import type { Citation } from "../sources/citations.ts";
import { createCell, type Cell } from "./cell.ts";
import { createCommands, type Commands } from "./commands.ts";
import { createOutbox, type Outbox } from "./outbox.ts";
import { createRouter, type Router } from "./route.ts";
import { createSession, type Session } from "./session.ts";
import { createKeep, type Keep } from "./storage.ts";
import { createThreadFeed, type ThreadFeed } from "./thread-feed.ts";
import { createThreadList, type ThreadList } from "./thread-list.ts";

/** A kept text that is open beside the thread, and what of it is meant. */
export type KeptPlace = {
  readonly threadId: string;
  readonly ref: number;
  readonly citation: Citation | null;
};

/** Everything the components read and do, wired once. */
export type Page = Router & {
  readonly client: Client;
  readonly keep: Keep;
  readonly session: Session;
  readonly list: ThreadList;
  readonly outbox: Outbox;
  readonly commands: Commands;
  /** The last thing that did not work, until it is dismissed. */
  readonly trouble: Cell<string | null>;
  readonly kept: Cell<KeptPlace | null>;
  getFeed(threadId: string): ThreadFeed;
};

const keptFeeds = 8;

export function createPage(): Page {
  const client = createClient();
  const keep = createKeep();
  const session = createSession(client);
  const trouble = createCell<string | null>(null);
  const kept = createCell<KeptPlace | null>(null);
  const onSignedOut = session.signOut;
  const feeds = new Map<string, ThreadFeed>();

  const getFeed = (threadId: string): ThreadFeed => {
    const feed = feeds.get(threadId) ?? createThreadFeed({ threadId, client, follow, onSignedOut });
    feeds.delete(threadId);
    feeds.set(threadId, feed);
    for (const oldest of [...feeds.keys()].slice(0, -keptFeeds)) feeds.delete(oldest);
    return feed;
  };

  const list = createThreadList({ client, follow, onSignedOut });
  const outbox = createOutbox({ client, keep, onSignedOut, onCreated: (threadId) => getFeed(threadId).begin() });
  const commands = createCommands({ client, say: trouble.set, onSignedOut });
  const page = { ...createRouter(), client, keep, session, list, outbox, commands, trouble, kept, getFeed };
  watchPresence(page, () => [...feeds.values()]);
  return page;
}

const hiddenMs = 10_000;

/**
 * A browser grants a host six connections over HTTP/1, shared by all its tabs: a tab that nobody looks at gives its own back,
 * and catches up when it is shown again.
 */
function watchPresence({ session, list, outbox }: Page, listFeeds: () => readonly ThreadFeed[]): void {
  let hiding: ReturnType<typeof setTimeout> | undefined;
  const wake = () => {
    if (session.state.get().phase === "asking") void session.load();
    for (const reader of [list, ...listFeeds()]) reader.wake();
    outbox.retryAll();
  };
  list.link.subscribe(() => {
    if (list.link.get() === "live") wake();
  });
  addEventListener("online", wake);
  addEventListener("pageshow", wake);
  document.addEventListener("visibilitychange", () => {
    clearTimeout(hiding);
    if (!document.hidden) return wake();
    hiding = setTimeout(() => {
      for (const reader of [list, ...listFeeds()]) reader.pause();
    }, hiddenMs);
  });
}

export const PageContext = createContext<Page | null>(null);

export function usePage(): Page {
  const page = useContext(PageContext);
  if (!page) throw new Error("usePage outside of its page");
  return page;
}
