import type { Act } from "../../../protocol/project/project.ts";
import type { FileLine, FileOp } from "../../../protocol/workspace/workspace.ts";
import { createId } from "../../lib/ids.ts";
import { toErrorText } from "../../lib/use-load.ts";
import { getOpenProject } from "../../state/project/project-context.ts";
import { createSignal, type Signal } from "../../lib/signal.ts";
import { createToasts, type Toasts } from "../../lib/toasts.ts";
import type { Page } from "../../state/page.ts";
import { createBuffers, type Buffers } from "./buffers.ts";
import { createDrafts } from "./drafts.ts";
import { createFileFeed, type FileFeed } from "./file-feed.ts";
import { createTabs, type Tabs } from "./tabs.ts";
import { workspace as strings } from "../../strings/workspace/workspace.ts";

export type FilePosition = { readonly path: string; readonly line: number };

/**
 * A project's files on this page: the list, open files and actions. Each action is one act under a new id, atomic; a failure
 * is reported, not thrown.
 */
export type WorkspaceStore = {
  readonly projectId: string;
  readonly feed: FileFeed;
  readonly buffers: Buffers;
  readonly tabs: Tabs;
  /** The last change to files, with its undo. */
  readonly toasts: Toasts;
  /** A position in a file to show. */
  readonly goal: Signal<FilePosition | null>;
  /** Empty folders, which exist only on this page. */
  readonly folders: Signal<readonly string[]>;
  create(path: string): Promise<boolean>;
  rename(files: readonly FileLine[], from: string, to: string): Promise<boolean>;
  remove(files: readonly FileLine[], what: string): Promise<boolean>;
  restore(seq: number, text: string): Promise<boolean>;
  /** Shows that an act was done, with an undo button. */
  showUndo(text: string, actId: string): void;
  /** Opens a file, optionally at a line. */
  show(path: string, line?: number): void;
  close(path: string): void;
};

export function createWorkspaceStore(projectId: string, page: Page): WorkspaceStore {
  const { client, storage, errorMessage, session } = page;
  const params = { projectId };
  const project = getOpenProject(page, projectId).feed;
  const feed = createFileFeed({ projectId, client, project, onSignedOut: session.signOut });
  const buffers = createBuffers({ projectId, client, drafts: createDrafts(storage, projectId) });
  const tabs = createTabs(storage, projectId);
  const toasts = createToasts({ durationMs: 9000, max: 1 });
  const folders = createSignal<readonly string[]>([]);
  const goal = createSignal<FilePosition | null>(null);
  feed.state.subscribe(() => {
    const state = feed.state.get();
    if (state.phase === "ready") buffers.follow(state.files, state.seq);
  });

  const attempt = async (text: string, run: (id: string) => Promise<{ readonly act: Act }>): Promise<boolean> => {
    try {
      const { act } = await run(createId());
      if (text === "") toasts.dismissAll();
      else showUndo(text, act.id);
      await feed.reload();
      return true;
    } catch (error) {
      errorMessage.set(toErrorText(error));
      return false;
    }
  };
  const undo = (actId: string) => attempt("", (id) => client.undoAct({ params: { projectId, actId }, body: { id } }));
  const showUndo = (text: string, actId: string) => toasts.show({ id: actId, text, onUndo: () => void undo(actId) });
  const write = (text: string, ops: readonly FileOp[]) =>
    attempt(text, (id) => client.writeFiles({ params, body: { id, ops: [...ops] } }));
  const forget = (path: string) => {
    buffers.drop(path);
    tabs.close(path);
  };

  return {
    projectId,
    feed,
    buffers,
    tabs,
    toasts,
    goal,
    folders,
    create: async (path) => {
      const isMade = await write("", [{ do: "write", path, was: null, text: "" }]);
      if (isMade) tabs.open(path);
      return isMade;
    },
    rename: async (files, from, to) => {
      for (const { path } of files) await buffers.save(path);
      const unsaved = files.find(({ path }) => buffers.isUnsaved(path));
      if (unsaved) {
        errorMessage.set(strings.files.unsaved(unsaved.path));
        return false;
      }
      await feed.reload();
      const current = currentLines(feed, files);
      const toNext = (path: string) => `${to}${path.slice(from.length)}`;
      const ops = current.map(({ path, hash }) => ({ do: "rename" as const, path, was: hash, to: toNext(path) }));
      if (!(await write(strings.files.renamed(from, to), ops))) return false;
      for (const { path } of files) {
        tabs.rename(path, toNext(path));
        buffers.drop(path);
      }
      return true;
    },
    remove: async (files, what) => {
      const ops = files.map(({ path, hash }) => ({ do: "delete" as const, path, was: hash }));
      if (!(await write(strings.files.deleted(what), ops))) return false;
      for (const { path } of files) forget(path);
      return true;
    },
    restore: (seq, text) => attempt(text, (id) => client.restoreFiles({ params, body: { id, seq } })),
    showUndo,
    show: (path, line) => {
      tabs.open(path);
      goal.set(line === undefined ? null : { path, line });
    },
    close: (path) => {
      void buffers.save(path).then(() => tabs.row.get().open.includes(path) || dropSaved(buffers, path));
      tabs.close(path);
    },
  };
}

/** The current entries: saving a file before a rename has changed them. */
const currentLines = (feed: FileFeed, files: readonly FileLine[]): readonly FileLine[] => {
  const state = feed.state.get();
  const now = new Map((state.phase === "ready" ? state.files : []).map((file) => [file.path, file]));
  return files.map((file) => now.get(file.path) ?? file);
};

/** Unsaved edits stay, and are there when the file is opened again. */
function dropSaved(buffers: Buffers, path: string): void {
  if (!buffers.isUnsaved(path)) buffers.drop(path);
}

const stores = new WeakMap<object, Map<string, WorkspaceStore>>();

/** One store per project and page. */
export function getWorkspaceStore(page: Page, projectId: string): WorkspaceStore {
  const mine = stores.get(page) ?? new Map<string, WorkspaceStore>();
  stores.set(page, mine);
  const store = mine.get(projectId) ?? createWorkspaceStore(projectId, page);
  mine.set(projectId, store);
  return store;
}
