import type { Body } from "../../protocol/api.ts";
import { ApiError } from "../../protocol/errors.ts";
import type { People } from "../accounts/accounts.ts";
import type { PlanAudit } from "../auth/audit.ts";
import type { Principal } from "../auth/principal.ts";
import type { ProjectMembers } from "../project/members.ts";
import type { Reads } from "../store/contract.ts";
import type { Erasing } from "./erase.ts";

type Options = {
  readonly read: Pick<Reads, "account">;
  /** undefined: the server has no accounts. */
  readonly people: Pick<People, "change" | "planStillAdmin" | "planDeletion"> | undefined;
  readonly members: Pick<ProjectMembers, "listOwned" | "transfer">;
  readonly erasing: Pick<Erasing, "erase">;
  readonly planAudit: PlanAudit;
};

/**
 * For admins: deletes an account with everything that it owns. It is suspended first, which ends its sessions and stops its
 * answers. Then its projects with members go to the members that the admin named, so that nothing of others is lost, and one commit
 * deletes the account and hides its data. Each step can be repeated, so a request that was interrupted can be sent again.
 */
export type PersonDeletion = ReturnType<typeof createPersonDeletion>;

export function createPersonDeletion({ read, people, members, erasing, planAudit }: Options) {
  return async (
    principal: Principal,
    userId: string,
    { id, owners }: Body<"deletePerson">,
  ): Promise<{ id: string }> => {
    if (userId === principal.userId) {
      throw new ApiError("conflict", "You cannot delete your own account. Ask another admin.");
    }
    const account = await read.account(userId);
    if (!account || !people) throw new ApiError("not-found", "Not found.");
    const owned = await members.listOwned(userId);
    const planned = owned.map((project) => {
      const to = owners.find(({ projectId }) => projectId === project.id)?.to;
      const heir = project.members.find((member) => member.userId === to && !member.suspended);
      if (heir) return { projectId: project.id, to: heir.userId };
      const text = "This account owns projects with members. Name one of the active members of each as its new owner.";
      throw new ApiError("conflict", text, { projects: owned });
    });
    await people.change(principal, userId, { state: "suspended" });
    for (const { projectId, to } of planned) await members.transfer({ userId }, projectId, to, principal);
    const planWrites = () => [
      ...people.planStillAdmin(principal),
      ...people.planDeletion(account),
      ...planAudit({ action: "person-deleted", actor: principal, target: userId, detail: { role: account.role } }),
    ];
    await erasing.erase({ userId }, { id, costs: false }, { actor: principal, planWrites });
    if (!(await read.account(userId))) return { id: userId };
    throw new ApiError("conflict", "The account was changed at the same time. Try again.");
  };
}
