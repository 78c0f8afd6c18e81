import { createContext, useContext } from "react";
import { createClient, type Client } from "../../protocol/client.ts";
import { follow, type StreamEvent } from "../api/follow.ts";
import { createAttaching, type Attaching } from "../composer/attachments/attaching.ts";
import { upload } from "../composer/attachments/upload.ts";
import { createDrafts, type Drafts } from "../composer/drafts.ts";
import { createContextFeed, type ContextFeed } from "../context/context-feed.ts";
import type { Beside, Sheet } from "../context/places.ts";
import { openActs, type OpenActs } from "../list/open-acts.ts";
import { watchReadMarks } from "../list/read-marks.ts";
import { createSignal, type Signal } from "./cell.ts";
import { createCommands, type Commands } from "./commands.ts";
import { createOutbox, type Create, type Outbox } from "./outbox.ts";
import { createProjectList, type ProjectList } from "../project/state/project-list.ts";
import { createRouter, type Router } from "./route.ts";
import { createSession, type Session } from "./session.ts";
import { createBrowserStorage, type BrowserStorage } from "./storage.ts";
import { createThreadFeed, type ThreadFeed } from "./thread-feed.ts";
import { createThreadList, type ThreadList } from "./thread-list.ts";
import type { WorkspaceRoute } from "../workspace/place.ts";

/** Everything the components read and do, wired once. */
export type Page = Router &
  OpenActs & {
    readonly client: Client;
    readonly keep: BrowserStorage;
    readonly session: Session;
    readonly list: ThreadList;
    readonly projects: ProjectList;
    readonly outbox: Outbox;
    readonly commands: Commands;
    /** The last thing that did not work, until it is dismissed. */
    readonly trouble: Signal<string | null>;
    readonly beside: Signal<Beside | null>;
    readonly sheet: Signal<Sheet | null>;
    /** The files of the thread's project, beside it. */
    readonly workspace: Signal<WorkspaceRoute | null>;
    /** What the left side shows. */
    readonly sidebar: Signal<SidebarView>;
    readonly drafts: Drafts;
    /** How the next thread begins, where that was chosen; the first message takes it along. */
    readonly opening: Signal<Opening>;
    /** Something that was done, said for a moment. */
    readonly note: Signal<string | null>;
    /** Another number each time what is shared has changed. */
    readonly shares: Signal<number>;
    /** Words on their way into the composer. */
    readonly quoted: Signal<string | null>;
    /** The answer after which the next message goes, where that is not the last one. */
    readonly goingOn: Signal<GoingOn | null>;
    /** The files of its next message; null: of the thread that is not there yet. */
    getAttaching(threadId: string | null): Attaching;
    getFeed(threadId: string): ThreadFeed;
    getContext(threadId: string): ContextFeed;
  };

export type SidebarView = "threads" | "archived" | "new project";

export type GoingOn = {
  readonly threadId: string;
  readonly messageId: string;
  readonly depth: number;
  /** What follows it now: the next message stands beside that, as its variant. */
  readonly nextId: string;
};

/** null: as usual. */
export type Opening = {
  readonly model: string | null;
  readonly profile: string | null;
  readonly effort: NonNullable<Create["effort"]> | null;
  readonly temporary: boolean;
};
export const plainOpening: Opening = { model: null, profile: null, effort: null, temporary: false };

const keptFeeds = 8;

export function createPage(): Page {
  const client = createClient();
  const keep = createBrowserStorage();
  const session = createSession(client);
  const trouble = createSignal<string | null>(null);
  const beside = createSignal<Beside | null>(null);
  const sheet = createSignal<Sheet | null>(null);
  const workspace = createSignal<WorkspaceRoute | null>(null);
  const sidebar = createSignal<SidebarView>("threads");
  const quoted = createSignal<string | null>(null);
  const opening = createSignal<Opening>(plainOpening);
  const note = createSignal<string | null>(null);
  const shares = createSignal(0);
  const goingOn = createSignal<GoingOn | null>(null);
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

  const attached = new Map<string | null, Attaching>();
  const listSending = () => outbox.items.get().flatMap((item) => item.attachments ?? []);
  const getAttaching = (threadId: string | null): Attaching => {
    const attaching = attached.get(threadId) ?? createAttaching({ threadId, client, upload, listSending });
    attached.set(threadId, attaching);
    return attaching;
  };

  const projects = createProjectList(client);
  const outbox = createOutbox({ client, keep, onSignedOut, onCreated: (threadId) => getFeed(threadId).begin() });
  const drafts = createDrafts({ client, keep, outbox: outbox.items });
  const onEvent = ({ seq, event }: StreamEvent) => {
    drafts.apply(seq, event);
    if (event.type === "draft-changed" && event.empty) void attached.get(event.threadId)?.load();
    if (event.type === "shares-changed") shares.set(shares.get() + 1);
  };
  // A thread may have to be deleted while the page is being left.
  const { deleteThread } = createClient({ fetch: (url, init) => fetch(url, { ...init, keepalive: true }) });
  const commands = createCommands({ client: { ...client, deleteThread }, say: trouble.set, onSignedOut });
  const router = createRouter();
  const doing = openActs({ ...router, commands, projects });
  const { hidden } = doing.deletions;
  const list = createThreadList({ client, follow, onSignedOut, onProjectChanged: projects.apply, onEvent, hidden });
  const said = { trouble, note, beside, sheet, workspace, sidebar, quoted, goingOn, opening, shares };
  const state = { client, keep, session, list, projects, outbox, drafts, commands, ...said };
  const page = { ...router, ...doing, ...state, getAttaching, getFeed, getContext };
  watchReadMarks(page);
  watchPresence(page, () => [...opened.values()].map(({ feed }) => feed));
  return page;
}

const hiddenMs = 10_000;

/**
 * A browser grants a host six connections over HTTP/1, shared by all its tabs: a tab that nobody looks at gives its own back,
 * and catches up when it is shown again.
 */
function watchPresence({ session, list, outbox, drafts }: Page, listFeeds: () => readonly ThreadFeed[]): void {
  let hiding: ReturnType<typeof setTimeout> | undefined;
  const wake = () => {
    if (session.state.get().phase === "asking") void session.load();
    for (const reader of [list, ...listFeeds()]) reader.wake();
    outbox.retryAll();
    drafts.wake();
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
