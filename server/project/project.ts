import { Refusal } from "../../protocol/errors.ts";
import { authorize } from "../auth/authorize.ts";
import type { Principal } from "../auth/principal.ts";
import type { Reads } from "../store/contract.ts";

export { commitAct, planAct, toKeyedId, type ActPlan, type ActRequest, type AtOnce, type Made } from "./plan/act.ts";

/** Where a thread belongs: a project of the person's own, and something in it. */
export async function checkPlace(
  read: Pick<Reads, "project" | "entity">,
  principal: Principal,
  { project, focus }: { readonly project: string | null; readonly focus: string | null },
): Promise<void> {
  if (project === null) {
    if (focus === null) return;
    throw new Refusal("invalid", "A focus needs the project that it belongs to.");
  }
  const row = await read.project(project);
  authorize(principal, row && { ownerId: row.owner }, "read");
  if (focus === null) return;
  const entity = await read.entity(project, focus);
  if (!entity || entity.deleted === 1) throw new Refusal("not-found", "There is no such thing in this project.");
}
