import { createDeletions, openTabs, type Deletions } from "./deletions.ts";
import { createToasts, type Toasts } from "../lib/toasts.ts";
import type { Commands } from "./commands.ts";
import type { ProjectList } from "./project/project-list.ts";
import type { Router } from "./route.ts";
import { createThreadActs, type ThreadActs } from "./thread-acts.ts";

/** What can be done to threads, and taken back. Wired once; what still waits when the page is left is done then. */
export type OpenActs = {
  readonly toasts: Toasts;
  readonly deletions: Deletions;
  readonly acts: ThreadActs;
};

type Options = Pick<Router, "route" | "goTo"> & {
  readonly commands: Pick<Commands, "changeThread" | "deleteThread">;
  readonly projects: Pick<ProjectList, "state">;
};

export function openActs(options: Options): OpenActs {
  const toasts = createToasts();
  const deletions = createDeletions({ toasts, send: options.commands.deleteThread, tabs: openTabs() });
  addEventListener("pagehide", () => toasts.dismissAll());
  return { toasts, deletions, acts: createThreadActs({ ...options, toasts, deletions }) };
}
