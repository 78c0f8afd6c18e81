import { createClient } from "../../protocol/client.ts";
import { follow, type StreamEvent } from "../api/follow.ts";
import { upload } from "../api/upload.ts";
import { createSignal } from "../lib/signal.ts";
import { createBrowserStorage } from "../lib/storage.ts";
import { createAttaching, type Attaching } from "../state/attaching.ts";
import { createCommands } from "../state/commands.ts";
import { createContextFeed, type ContextFeed } from "../state/context-feed.ts";
import { createDrafts } from "../state/drafts.ts";
import { createUndoableActions } from "../state/undoable-actions.ts";
import { createOutbox } from "../state/outbox.ts";
import {
  defaultThreadOptions,
  type ContinueFrom,
  type ThreadOptions,
  type Page,
  type SidebarView,
} from "../state/page.ts";
import type { SidePanelRoute, SheetRoute } from "../state/panels.ts";
import { createProjectList } from "../state/project/project-list.ts";
import { watchReadMarks } from "../state/read-marks.ts";
import { createRouter } from "../state/route.ts";
import { adoptUser } from "../state/account/stored-user.ts";
import { createSession } from "../state/session.ts";
import { createThreadFeed, type ThreadFeed } from "../state/thread-feed.ts";
import { createThreadList } from "../state/thread-list.ts";
import type { WorkspaceRoute } from "../state/workspace-route.ts";

const mostFeeds = 8;

export function createPage(): Page {
  const client = createClient();
  const storage = createBrowserStorage();
  const session = createSession(client, (me) => adoptUser(storage, me));
  const errorMessage = createSignal<string | null>(null);
  const sidePanel = createSignal<SidePanelRoute | null>(null);
  const sheet = createSignal<SheetRoute | null>(null);
  const workspace = createSignal<WorkspaceRoute | null>(null);
  const sidebar = createSignal<SidebarView>("threads");
  const quoted = createSignal<string | null>(null);
  const threadOptions = createSignal<ThreadOptions>(defaultThreadOptions);
  const note = createSignal<string | null>(null);
  const shares = createSignal(0);
  const keys = createSignal(0);
  const projectMenu = createSignal(0);
  const finding = createSignal<string | null>(null);
  const continueFrom = createSignal<ContinueFrom | null>(null);
  const onSignedOut = session.signOut;
  const opened = new Map<string, { readonly feed: ThreadFeed; readonly context: ContextFeed }>();

  const open = (threadId: string) => {
    const pair = opened.get(threadId) ?? create(threadId);
    opened.delete(threadId);
    opened.set(threadId, pair);
    for (const oldest of [...opened.keys()].slice(0, -mostFeeds)) opened.delete(oldest);
    return pair;
  };
  const create = (threadId: string) => {
    const context = createContextFeed({ threadId, client });
    const feed = createThreadFeed({ threadId, client, follow, onSignedOut, onContextChanged: context.change });
    return { feed, context };
  };
  const getFeed = (threadId: string) => open(threadId).feed;
  const getContext = (threadId: string) => open(threadId).context;

  const attached = new Map<string | null, Attaching>();
  const listSending = () => outbox.items.get().flatMap((item) => item.attachments ?? []);
  const getAttaching = (threadId: string | null): Attaching => {
    const attaching = attached.get(threadId) ?? createAttaching({ threadId, client, upload, listSending });
    attached.set(threadId, attaching);
    return attaching;
  };

  const projects = createProjectList(client);
  const outbox = createOutbox({ client, storage, onSignedOut, onCreated: (threadId) => getFeed(threadId).begin() });
  const drafts = createDrafts({ client, storage, outbox: outbox.items });
  const onEvent = ({ seq, event }: StreamEvent) => {
    drafts.apply(seq, event);
    if (event.type === "draft-changed" && event.empty) void attached.get(event.threadId)?.load();
    if (event.type === "shares-changed") shares.set(shares.get() + 1);
    if (event.type === "keys-changed") keys.set(keys.get() + 1);
  };
  // `keepalive`: a thread may have to be deleted while the page is closing.
  const { deleteThread } = createClient({ fetch: (url, init) => fetch(url, { ...init, keepalive: true }) });
  const commands = createCommands({ client: { ...client, deleteThread }, say: errorMessage.set, onSignedOut });
  const router = createRouter();
  const actions = createUndoableActions({ ...router, commands, projects });
  const { hidden } = actions.deletions;
  const list = createThreadList({ client, follow, onSignedOut, onProjectChanged: projects.apply, onEvent, hidden });
  const signals = {
    errorMessage,
    note,
    sidePanel,
    sheet,
    workspace,
    sidebar,
    quoted,
    continueFrom,
    threadOptions,
    shares,
    keys,
    projectMenu,
    finding,
  };
  const state = { client, storage, session, list, projects, outbox, drafts, commands, ...signals };
  const page = { ...router, ...actions, ...state, getAttaching, getFeed, getContext };
  watchReadMarks(page);
  watchPresence(page, () => [...opened.values()].map(({ feed }) => feed));
  return page;
}

const hiddenMs = 10_000;

/**
 * Browsers allow six HTTP/1 connections per host, shared by all tabs: a hidden tab closes its streams and catches up when it
 * is shown again.
 */
function watchPresence(
  { session, list, projects, outbox, drafts }: Page,
  listFeeds: () => readonly ThreadFeed[],
): void {
  let hiding: ReturnType<typeof setTimeout> | undefined;
  const wake = () => {
    if (session.state.get().phase === "loading") void session.load();
    for (const reader of [list, ...listFeeds()]) reader.wake();
    if (projects.state.get().phase === "failed") void projects.load();
    outbox.retryAll();
    drafts.wake();
  };
  list.link.subscribe(() => {
    if (list.link.get() === "live") wake();
  });
  // A changed provider key changes the models.
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
