import type { Response as Answer } from "../../protocol/api.ts";
import { ApiError } from "../../protocol/errors.ts";
import type { PlanAudit } from "../auth/audit.ts";
import type { Principal } from "../auth/principal.ts";
import type { Clock } from "../lib/clock.ts";
import { randomVersion } from "../lib/random.ts";
import type { Log } from "../log/log.ts";
import type { Reads, Write } from "../store/contract.ts";
import type { RowOf } from "../store/schema.ts";
import { assertStillAdmin, notAdmin, planStillAdmin, getAccount } from "./administration.ts";
import { createLink, toLinkPath, toResetId } from "./links.ts";

const SUSPENDED = "This account is suspended. An admin must end the suspension before a new password helps.";

type Row = RowOf<"accounts">;

type Options = {
  readonly read: Pick<Reads, "account" | "accountByEmail" | "authenticator" | "sessionsOf">;
  readonly log: Pick<Log, "commit">;
  readonly clock: Clock;
  readonly planAudit: PlanAudit;
};

/** For users who cannot sign in, or whose devices others may have: ends sessions, removes second factors, creates reset links. */
export function createAccountRecovery({ read, log, clock, planAudit }: Options) {
  /** null as the principal: the operator, from the command line. */
  const createResetLink = async (
    principal: Principal | null,
    { id, role }: Row,
  ): Promise<Answer<"createResetLink">> => {
    const shared = { id: toResetId(id), account: id, email: null, role } as const;
    const link = createLink("reset", { ...shared, created_by: principal?.userId ?? null }, clock);
    const { ok } = await log.commit({
      events: [],
      writes: [
        ...planStillAdmin(principal),
        // Not if the account was suspended, which deletes its links.
        { do: "update", table: "accounts", set: { state: "active" }, where: { id, state: "active" }, expectOne: true },
        { do: "put", table: "links", row: link.row },
        ...planAudit({ action: "reset-link-created", actor: principal, target: id }),
      ],
    });
    if (!ok && principal) await assertStillAdmin(read, principal);
    if (!ok) throw new ApiError("conflict", SUSPENDED);
    return { token: link.token, path: toLinkPath("reset", link.token), expiresAt: link.row.expires_at };
  };

  /** Begins with a write to the account, so that a sign-in at the same time is either ended or fails. */
  const planSignOut = async (id: string) => {
    const now = clock.now();
    const ended = (await read.sessionsOf(id)).filter(({ expires_at }) => expires_at > now).length;
    const writes: Write[] = [
      { do: "update", table: "accounts", set: { changed_at: randomVersion() }, where: { id } },
      { do: "delete", table: "sessions", where: { owner: id } },
      { do: "delete", table: "push_subscriptions", where: { owner: id } },
    ];
    return { ended, writes };
  };

  /** null as the principal: the operator, from the command line. */
  const removeFactors = async (principal: Principal | null, { id }: Row): Promise<{ ended: number }> => {
    const { ended, writes } = await planSignOut(id);
    const { ok } = await log.commit({
      events: [],
      writes: [
        ...planStillAdmin(principal),
        ...writes,
        { do: "delete", table: "authenticators", where: { account: id } },
        { do: "delete", table: "recovery_codes", where: { account: id } },
        { do: "delete", table: "passkeys", where: { account: id } },
        ...planAudit({ action: "factors-removed", actor: principal, target: id, detail: { ended } }),
      ],
    });
    if (!ok) throw notAdmin();
    return { ended };
  };

  return {
    signOut: async (principal: Principal, userId: string): Promise<{ ended: number }> => {
      const { id } = await getAccount(read, userId);
      const { ended, writes } = await planSignOut(id);
      const { ok } = await log.commit({
        events: [],
        writes: [
          ...planStillAdmin(principal),
          ...writes,
          ...planAudit({ action: "signed-out-by-admin", actor: principal, target: id, detail: { ended } }),
        ],
      });
      if (!ok) throw notAdmin();
      return { ended };
    },

    /** For users who have lost their authenticator and recovery codes, or a device with a passkey. */
    removeFactors: async (principal: Principal, userId: string): Promise<{ ended: number }> => {
      if (userId === principal.userId) {
        throw new ApiError(
          "conflict",
          "Remove your own passkeys and authenticator app in the settings of your account.",
        );
      }
      return removeFactors(principal, await getAccount(read, userId));
    },

    createResetLink: async (principal: Principal, userId: string) =>
      createResetLink(principal, await getAccount(read, userId)),

    /** For the command line. `needsCode`: the account has an authenticator app, whose codes are needed after the new password. */
    createResetLinkFor: async (email: string, options: { readonly removesFactors: boolean }) => {
      const row = await read.accountByEmail(email.trim().toLowerCase());
      if (!row) throw new Error(`No account has the email address ${email}. Check the address.`);
      if (row.state === "suspended") throw new Error(SUSPENDED);
      if (options.removesFactors) await removeFactors(null, row);
      const { path } = await createResetLink(null, row);
      return { path, needsCode: (await read.authenticator(row.id)) !== undefined };
    },
  };
}
