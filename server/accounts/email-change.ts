import type { Body } from "../../protocol/api.ts";
import { ApiError } from "../../protocol/errors.ts";
import type { PlanAudit } from "../auth/audit.ts";
import type { Principal } from "../auth/principal.ts";
import type { Clock } from "../lib/clock.ts";
import { randomVersion } from "../lib/random.ts";
import type { Log } from "../log/log.ts";
import type { Reads, Write } from "../store/contract.ts";
import type { RowOf } from "../store/schema.ts";
import type { Browser } from "./accounts.ts";
import { createLink, findLink, planUse, toEmailId, toResetId } from "./links.ts";

type Row = RowOf<"accounts">;

/** Plans the mail with the link to the new address, and the note to the old one. Throws if too many were requested. */
export type PlanEmailMails = (change: {
  readonly from: string;
  readonly to: string;
  /** null: the new address has an account already, and the mail to it says so. */
  readonly token: string | null;
  /** The client's. */
  readonly address: string;
}) => readonly Write[];

type Options = {
  readonly read: Pick<Reads, "account" | "accountByEmail" | "linkByHash">;
  readonly log: Pick<Log, "commit">;
  readonly clock: Clock;
  readonly planAudit: PlanAudit;
  readonly planMails: PlanEmailMails;
  /** A proxy signs users in by their email address. */
  readonly hasFixedEmail: boolean;
};

const NO_LINK = "This link does not exist, has expired or was used. Change the address in the settings again.";

/** Changes of email addresses on a server that sends mail: the new address is used once a link that was sent to it is opened. */
export function createEmailChange({ read, log, clock, planAudit, planMails, hasFixedEmail }: Options) {
  return {
    /** The response does not depend on whether the new address has an account. */
    plan: async (principal: Principal, row: Row, to: string): Promise<readonly Write[]> => {
      const shared = { id: toEmailId(row.id), account: row.id, email: to, role: row.role } as const;
      const link = createLink("email", { ...shared, created_by: row.id }, clock);
      const isTaken = (await read.accountByEmail(to)) !== undefined;
      return [
        // A link from before stops working in either case.
        { do: "delete", table: "links", where: { id: toEmailId(row.id) } },
        ...(isTaken ? [] : [{ do: "insert", table: "links", row: link.row } as const]),
        ...planMails({ from: row.email, to, token: isTaken ? null : link.token, address: principal.address ?? "" }),
        ...planAudit({
          action: "email-change-requested",
          actor: principal,
          target: row.id,
          detail: { email: { from: row.email, to } },
        }),
      ];
    },

    /** Needs no session: the link may be opened on another device. */
    confirmEmail: async ({ token }: Body<"confirmEmail">, { address }: Browser): Promise<{ email: string }> => {
      const link = hasFixedEmail ? undefined : await findLink(read, clock, { kind: "email", token });
      const row = link?.account ? await read.account(link.account) : undefined;
      const email = link?.email ?? null;
      if (!link || email === null || row?.state !== "active") throw new ApiError("not-found", NO_LINK);
      const result = await log.commit({
        events: [],
        writes: [
          ...planUse(link),
          {
            do: "update",
            table: "accounts",
            set: { email, changed_at: randomVersion() },
            where: { id: row.id, email: row.email, state: "active" },
            expectOne: true,
          },
          // A link that was sent to the old address.
          { do: "delete", table: "links", where: { id: toResetId(row.id) } },
          ...planAudit({
            action: "account-changed",
            actor: { userId: row.id, address },
            target: row.id,
            detail: { email: { from: row.email, to: email } },
          }),
        ],
      });
      if (result.ok) return { email };
      if (result.why === "conflict")
        throw new ApiError("conflict", "This email address is used by another account now.");
      throw new ApiError("not-found", NO_LINK);
    },
  };
}
