import { findThreadAccess } from "../../auth/access.ts";
import type { BudgetRefusal } from "../../cost/cost.ts";
import type { Reads } from "../../store/contract.ts";
import type { RunState } from "../state.ts";

const LOST =
  "The user who asked can no longer write in this thread, so the answer ends here. Other editors of the project can ask again.";

/**
 * Checked before every model call and tool call of a shared thread: the user who asked must still be able to change it. Suspended
 * users are refused with the budget.
 */
export async function findLostAccess(
  {
    store: { read },
  }: { readonly store: { readonly read: Pick<Reads, "thread" | "project" | "member" | "isSuspended"> } },
  { shared, ownerId, view }: Pick<RunState, "shared" | "ownerId" | "view">,
): Promise<BudgetRefusal | null> {
  if (!shared) return null;
  const thread = await read.thread(view.threadId);
  const access = thread?.shared === 1 ? await findThreadAccess(read, ownerId, thread) : undefined;
  const isAllowed = access?.role === "owner" || access?.role === "editor";
  if (isAllowed && !(await read.isSuspended(ownerId))) return null;
  return { scope: "day", limitUsd: 0, spentUsd: 0, text: LOST };
}
