import { createDeletions, openTabs, type Deletions } from "./deletions.ts";
import { createToasts, type Toasts } from "../lib/toasts.ts";
import type { Commands } from "./commands.ts";
import type { ProjectList } from "./project/project-list.ts";
import type { Router } from "./route.ts";
import { createThreadActions, type ThreadActions } from "./thread-actions.ts";

/** Thread actions with undo. Pending ones are carried out when the page closes. */
export type UndoableActions = {
  readonly toasts: Toasts;
  readonly deletions: Deletions;
  readonly threadActions: ThreadActions;
};

type Options = Pick<Router, "route" | "goTo"> & {
  readonly commands: Pick<Commands, "changeThread" | "deleteThread">;
  readonly projects: Pick<ProjectList, "state">;
};

export function createUndoableActions(options: Options): UndoableActions {
  const toasts = createToasts();
  const deletions = createDeletions({ toasts, send: options.commands.deleteThread, tabs: openTabs() });
  addEventListener("pagehide", () => toasts.dismissAll());
  return { toasts, deletions, threadActions: createThreadActions({ ...options, toasts, deletions }) };
}
