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

/** Everything the components read and do, wired once. */
export type Page = Router &
  UndoableActions & {
    readonly client: Client;
    readonly storage: BrowserStorage;
    readonly session: Session;
    readonly list: ThreadList;
    readonly projects: ProjectList;
    readonly outbox: Outbox;
    readonly commands: Commands;
    /** The last thing that did not work, until it is dismissed. */
    readonly trouble: Signal<string | null>;
    readonly sidePanel: Signal<SidePanelRoute | null>;
    readonly sheet: Signal<SheetRoute | null>;
    /** The files of the thread's project, beside it. */
    readonly workspace: Signal<WorkspaceRoute | null>;
    /** What the left side shows. */
    readonly sidebar: Signal<SidebarView>;
    readonly drafts: Drafts;
    /** How the next thread begins, where that was chosen; the first message takes it along. */
    readonly threadOptions: Signal<ThreadOptions>;
    /** Something that was done, said for a moment. */
    readonly note: Signal<string | null>;
    /** Another number each time what is shared has changed. */
    readonly shares: Signal<number>;
    /** Words on their way into the composer. */
    readonly quoted: Signal<string | null>;
    /** The answer after which the next message goes, where that is not the last one. */
    readonly continueFrom: Signal<ContinueFrom | null>;
    /** The files of its next message; null: of the thread that is not there yet. */
    getAttaching(threadId: string | null): Attaching;
    getFeed(threadId: string): ThreadFeed;
    getContext(threadId: string): ContextFeed;
  };

export type SidebarView = "threads" | "archived" | "new project";

export type ContinueFrom = {
  readonly threadId: string;
  readonly messageId: string;
  readonly depth: number;
  /** What follows it now: the next message stands beside that, as its variant. */
  readonly nextId: string;
};

/** null: as usual. */
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
  if (!page) throw new Error("usePage outside of its page");
  return page;
}
