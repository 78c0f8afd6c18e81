import type { Body } from "../../protocol/api.ts";
import type { Invitation } from "../../protocol/account/people.ts";
import { ApiError } from "../../protocol/errors.ts";
import type { PlanAudit } from "../auth/audit.ts";
import type { Principal } from "../auth/principal.ts";
import type { Clock } from "../lib/clock.ts";
import type { Log } from "../log/log.ts";
import type { Reads, Write } from "../store/contract.ts";
import type { RowOf } from "../store/schema.ts";
import { notAdmin, planStillAdmin } from "./administration.ts";
import { createLink, toInviteId, toLinkPath } from "./links.ts";

const MOST_INVITATIONS = 200;
/** Plans the mail with the link of an invitation. */
export type PlanInvitationMail = (invitation: {
  readonly email: string;
  readonly token: string;
  /** Name of the admin. */
  readonly from: string;
}) => readonly Write[];

type Options = {
  readonly read: Pick<Reads, "account" | "invitations">;
  readonly log: Pick<Log, "commit">;
  readonly clock: Clock;
  readonly planAudit: PlanAudit;
  /** null: this server sends no mail. */
  readonly planMail: PlanInvitationMail | null;
  /** Whether every invitation is for one address, because a proxy signs users in by their address. */
  readonly needsEmail: boolean;
};

/** Invitations by admins. Each is a link for one new account. */
export function createInvitations({ read, log, clock, planAudit, planMail, needsEmail }: Options) {
  const assertInvitation = ({ email, mail }: Body<"createInvitation">): void => {
    if (email === undefined && (mail || needsEmail)) {
      throw new ApiError(
        "invalid",
        mail ? "Enter the address to send it to." : "Enter the address of the user. A proxy signs users in by it.",
      );
    }
    if (mail && !planMail)
      throw new ApiError("invalid", "This server sends no mail. Its operator can set STONECHAT_SMTP_URL.");
  };

  return {
    createInvitation: async (principal: Principal, body: Body<"createInvitation">) => {
      const now = clock.now();
      assertInvitation(body);
      const stored = await read.invitations();
      const expired = stored.filter(({ expires_at }) => expires_at <= now);
      if (stored.length - expired.length >= MOST_INVITATIONS) {
        throw new ApiError("too-large", `There are already ${MOST_INVITATIONS} invitations. Revoke one first.`);
      }
      const shared = { id: toInviteId(body.id), account: null, email: body.email ?? null, role: body.role } as const;
      const { token, row } = createLink("invite", { ...shared, created_by: principal.userId }, clock);
      const detail = { role: row.role, invitation: body.id };
      const from = (await read.account(principal.userId))?.name ?? "";
      const mail = body.mail && planMail ? planMail({ email: body.email ?? "", token, from }) : [];
      const result = await log.commit({
        events: [],
        writes: [
          ...planStillAdmin(principal),
          ...expired.map(({ id }): Write => ({ do: "delete", table: "links", where: { id } })),
          { do: "insert", table: "links", row },
          ...mail,
          ...planAudit({ action: "invitation-created", actor: principal, detail }),
        ],
      });
      if (result.ok) return { invitation: toInvitation(row), token, path: toLinkPath("invite", token) };
      if (result.why === "missing") throw notAdmin();
      const text = "An invitation with this id exists, and its link cannot be shown again. Revoke it, or use a new id.";
      throw new ApiError("conflict", text);
    },

    listInvitations: async (): Promise<{ invitations: Invitation[] }> => ({
      invitations: (await read.invitations()).filter(({ expires_at }) => expires_at > clock.now()).map(toInvitation),
    }),

    revokeInvitation: async (principal: Principal, id: string): Promise<{ id: string }> => {
      const found = (await read.invitations()).some((row) => row.id === toInviteId(id));
      if (!found) throw new ApiError("not-found", "Not found.");
      const { ok } = await log.commit({
        events: [],
        writes: [
          ...planStillAdmin(principal),
          { do: "delete", table: "links", where: { id: toInviteId(id) } },
          ...planAudit({ action: "invitation-revoked", actor: principal, detail: { invitation: id } }),
        ],
      });
      if (!ok) throw notAdmin();
      return { id };
    },
  };
}

const toInvitation = (row: RowOf<"links">): Invitation => ({
  ...{ id: row.id.slice(toInviteId("").length), email: row.email, role: row.role },
  ...{ createdBy: row.created_by ?? "", createdAt: row.created_at, expiresAt: row.expires_at },
});
