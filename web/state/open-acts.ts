import { createDeletions, openTabs, type Deletions } from "./deletions.ts";
import { createUndoOffers, type UndoOffers } from "../lib/toasts.ts";
import type { Commands } from "./commands.ts";
import type { ProjectList } from "./project/project-list.ts";
import type { Router } from "./route.ts";
import { createThreadActs, type ThreadActs } from "./thread-acts.ts";

/** What can be done to threads, and taken back. Wired once; what still waits when the page is left is done then. */
export type OpenActs = {
  readonly offers: UndoOffers;
  readonly deletions: Deletions;
  readonly acts: ThreadActs;
};

type Options = Pick<Router, "route" | "goTo"> & {
  readonly commands: Pick<Commands, "changeThread" | "deleteThread">;
  readonly projects: Pick<ProjectList, "state">;
};

export function openActs(options: Options): OpenActs {
  const offers = createUndoOffers();
  const deletions = createDeletions({ offers, send: options.commands.deleteThread, tabs: openTabs() });
  addEventListener("pagehide", () => offers.settleAll());
  return { offers, deletions, acts: createThreadActs({ ...options, offers, deletions }) };
}
