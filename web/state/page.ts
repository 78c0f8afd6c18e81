import { createContext, useContext } from "react";
import type { Client } from "../../protocol/client.ts";
import type { Signal } from "../lib/signal.ts";
import type { BrowserStorage } from "../lib/storage.ts";
import type { Attaching } from "./attaching.ts";
import type { Commands } from "./commands.ts";
import type { ContextFeed } from "./context-feed.ts";
import type { Drafts } from "./drafts.ts";
import type { UndoableActions } from "./undoable-actions.ts";
import type { Create, Outbox } from "./outbox.ts";
import type { SidePanelRoute, SheetRoute } from "./panels.ts";
import type { ProjectList } from "./project/project-list.ts";
import type { Router } from "./route.ts";
import type { Session } from "./session.ts";
import type { ThreadFeed } from "./thread-feed.ts";
import type { ThreadList } from "./thread-list.ts";
import type { WorkspaceRoute } from "./workspace-route.ts";

/** The stores and actions of the page. Created once by `shell/create-page.ts`. */
export type Page = Router &
  UndoableActions & {
    readonly client: Client;
    readonly storage: BrowserStorage;
    readonly session: Session;
    readonly list: ThreadList;
    readonly projects: ProjectList;
    readonly outbox: Outbox;
    readonly commands: Commands;
    /** The last error, until it is dismissed. */
    readonly errorMessage: Signal<string | null>;
    readonly sidePanel: Signal<SidePanelRoute | null>;
    readonly sheet: Signal<SheetRoute | null>;
    /** The thread in which words are searched for with the find bar. */
    readonly finding: Signal<string | null>;
    /** The workspace that is open next to the thread. */
    readonly workspace: Signal<WorkspaceRoute | null>;
    /** The sidebar's current view. */
    readonly sidebar: Signal<SidebarView>;
    readonly drafts: Drafts;
    /** Options of the next thread; sent with its first message. */
    readonly threadOptions: Signal<ThreadOptions>;
    /** A short confirmation. */
    readonly note: Signal<string | null>;
    /** Incremented whenever the user's shares change. */
    readonly shares: Signal<number>;
    /** The same for API keys. */
    readonly keys: Signal<number>;
    /** Incremented to open the menu that chooses the thread's project. */
    readonly projectMenu: Signal<number>;
    /** Text to insert into the composer. */
    readonly quoted: Signal<string | null>;
    /** The answer after which the next message is added, if it is not the last one. */
    readonly continueFrom: Signal<ContinueFrom | null>;
    /** Attachments of a thread's next message; null: of a thread that does not exist yet. */
    getAttaching(threadId: string | null): Attaching;
    getFeed(threadId: string): ThreadFeed;
    getContext(threadId: string): ContextFeed;
  };

export type SidebarView = "threads" | "archived" | "new project";

export type ContinueFrom = {
  readonly threadId: string;
  readonly messageId: string;
  readonly depth: number;
  /** The message that follows it now; the next message becomes its variant. */
  readonly nextId: string;
};

/** null: the default. */
export type ThreadOptions = {
  readonly model: string | null;
  readonly profile: string | null;
  readonly effort: NonNullable<Create["effort"]> | null;
  readonly temporary: boolean;
};
export const defaultThreadOptions: ThreadOptions = { model: null, profile: null, effort: null, temporary: false };

export const PageContext = createContext<Page | null>(null);

export function usePage(): Page {
  const page = useContext(PageContext);
  if (!page) throw new Error("usePage must be used inside PageContext.Provider.");
  return page;
}
