import type { ThreadSummary } from "../../protocol/events.ts";
import type { ProjectList } from "./project/project-list.ts";
import type { Commands } from "./commands.ts";
import type { Router } from "./route.ts";
import type { Deletions } from "./deletions.ts";
import type { Toasts } from "../lib/toasts.ts";
import { notices as strings } from "../strings/notices.ts";

/** Actions on a thread from anywhere. Those that hide it show a toast with an undo. */
export type ThreadActions = ReturnType<typeof createThreadActions>;

type Options = Pick<Router, "route" | "goTo"> & {
  readonly commands: Pick<Commands, "changeThread">;
  readonly toasts: Toasts;
  readonly deletions: Deletions;
  readonly projects: Pick<ProjectList, "state">;
};

export function createThreadActions({ route, goTo, commands, toasts, deletions, projects }: Options) {
  const nameOf = (projectId: string) =>
    projects.state.get().projects.find(({ id }) => id === projectId)?.name ?? strings.theProject;

  return {
    rename: (threadId: string, title: string) => commands.changeThread(threadId, { title }),
    pin: ({ id, pinned }: ThreadSummary) => commands.changeThread(id, { pinned: !pinned }),
    archive: async ({ id, title, archived }: ThreadSummary) => {
      if (!(await commands.changeThread(id, { archived: !archived }))) return;
      toasts.show({
        id: `archive ${id}`,
        text: archived ? strings.unarchived(toName(title)) : strings.archived(toName(title)),
        onUndo: () => void commands.changeThread(id, { archived }),
      });
    },
    /** null: remove it from its project. */
    move: async (thread: ThreadSummary, projectId: string | null) => {
      const { id, title, projectId: before, focusId, mode } = thread;
      if (projectId === before) return;
      if (!(await commands.changeThread(id, { projectId, focusId: null }))) return;
      const name = toName(title);
      toasts.show({
        id: `move ${id}`,
        text:
          projectId === null ? strings.movedOut(name, nameOf(before ?? "")) : strings.moved(name, nameOf(projectId)),
        onUndo: () => void commands.changeThread(id, { projectId: before, focusId, mode }),
      });
    },
    /** Already confirmed. `forget`: also delete memory that came from it. */
    remove: (thread: Pick<ThreadSummary, "id" | "title">, forget: boolean) => {
      const isOpen = route.get().threadId === thread.id;
      deletions.remove(thread, { forget, ...(isOpen ? { onUndo: () => goTo(thread.id) } : {}) });
      if (isOpen) goTo(null);
    },
  };
}

const toName = (title: string): string => title || strings.newThread;
