import { createContext, useContext } from "react";
import { createClient, type Client } from "../../protocol/client.ts";
import { follow } from "../api/follow.ts";
import { createContextFeed, type ContextFeed } from "../context/context-feed.ts";
import type { Beside, Sheet } from "../context/places.ts";
import { createCell, type Cell } from "./cell.ts";
import { createCommands, type Commands } from "./commands.ts";
import { createOutbox, type Outbox } from "./outbox.ts";
import { createProjectList, type ProjectList } from "../project/state/project-list.ts";
import { createRouter, type Router } from "./route.ts";
import { createSession, type Session } from "./session.ts";
import { createKeep, type Keep } from "./storage.ts";
import { createThreadFeed, type ThreadFeed } from "./thread-feed.ts";
import { createThreadList, type ThreadList } from "./thread-list.ts";
import type { WorkspacePlace } from "../workspace/place.ts";

/** Everything the components read and do, wired once. */
export type Page = Router & {
  readonly client: Client;
  readonly keep: Keep;
  readonly session: Session;
  readonly list: ThreadList;
  readonly projects: ProjectList;
  readonly outbox: Outbox;
  readonly commands: Commands;
  /** The last thing that did not work, until it is dismissed. */
  readonly trouble: Cell<string | null>;
  readonly beside: Cell<Beside | null>;
  readonly sheet: Cell<Sheet | null>;
  /** The files of the thread's project, beside it. */
  readonly workspace: Cell<WorkspacePlace | null>;
  /** Words on their way into the composer. */
  readonly quoted: Cell<string | null>;
  getFeed(threadId: string): ThreadFeed;
  getContext(threadId: string): ContextFeed;
};

const keptFeeds = 8;

export function createPage(): Page {
  const client = createClient();
  const keep = createKeep();
  const session = createSession(client);
  const trouble = createCell<string | null>(null);
  const beside = createCell<Beside | null>(null);
  const sheet = createCell<Sheet | null>(null);
  const workspace = createCell<WorkspacePlace | null>(null);
  const quoted = createCell<string | null>(null);
  const onSignedOut = session.signOut;
  const opened = new Map<string, { readonly feed: ThreadFeed; readonly context: ContextFeed }>();

  const open = (threadId: string) => {
    const pair = opened.get(threadId) ?? create(threadId);
    opened.delete(threadId);
    opened.set(threadId, pair);
    for (const oldest of [...opened.keys()].slice(0, -keptFeeds)) opened.delete(oldest);
    return pair;
  };
  const create = (threadId: string) => {
    const context = createContextFeed({ threadId, client });
    const feed = createThreadFeed({ threadId, client, follow, onSignedOut, onContextChanged: context.change });
    return { feed, context };
  };
  const getFeed = (threadId: string) => open(threadId).feed;
  const getContext = (threadId: string) => open(threadId).context;

  const projects = createProjectList(client);
  const list = createThreadList({ client, follow, onSignedOut, onProjectChanged: projects.apply });
  const outbox = createOutbox({ client, keep, onSignedOut, onCreated: (threadId) => getFeed(threadId).begin() });
  const commands = createCommands({ client, say: trouble.set, onSignedOut });
  const state = { client, keep, session, list, projects, outbox, commands, trouble, beside, sheet, workspace, quoted };
  const page = { ...createRouter(), ...state, getFeed, getContext };
  watchPresence(page, () => [...opened.values()].map(({ feed }) => feed));
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
  // Another key, other models.
  list.settings.subscribe(() => void session.load());
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
