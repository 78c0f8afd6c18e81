import type { Body, Response } from "../../protocol/api.ts";
import type { Account } from "../../protocol/account/accounts.ts";
import { ApiError } from "../../protocol/errors.ts";
import { userStream } from "../../protocol/ids.ts";
import type { PlanAudit } from "../auth/audit.ts";
import type { Sessions } from "../auth/authenticate.ts";
import type { Principal } from "../auth/principal.ts";
import { randomVersion } from "../lib/random.ts";
import type { Log } from "../log/log.ts";
import type { Store, Write } from "../store/contract.ts";
import type { RowOf } from "../store/schema.ts";
import type { createEmailChange } from "./email-change.ts";
import { toEmailId, toResetId } from "./links.ts";
import { type HashPassword, assertGoodPassword } from "./passwords.ts";
import type { Proof } from "./proof.ts";

type Row = RowOf<"accounts">;

type Options = {
  readonly store: Pick<Store, "read">;
  readonly log: Pick<Log, "commit">;
  readonly planAudit: PlanAudit;
  readonly sessions: Pick<Sessions, "planEndOthers">;
  readonly proof: Proof;
  readonly checkPassword: (email: string, password: string, address: string) => Promise<Row>;
  readonly hashNew: HashPassword;
  /** A proxy signs users in by their email address. */
  readonly hasFixedEmail: boolean;
  /** Plans a change that takes effect when its link is opened; null: this server sends no mail, and it takes effect at once. */
  readonly planEmailChange: ReturnType<typeof createEmailChange>["plan"] | null;
};

export const TAKEN = "This email address cannot be used. Enter another one, or sign in if you have an account.";

/** A user's changes to their own account, except their passkeys and second factors. */
export function createOwnAccount(options: Options) {
  const { store, log, planAudit, sessions, proof, checkPassword, hashNew } = options;
  const { read } = store;

  const getOwn = async ({ userId }: Principal): Promise<Row> => {
    const row = await read.account(userId);
    if (row?.state === "active") return row;
    throw new ApiError("unauthenticated", "Your account is not active in this session. Sign in again.");
  };

  /** For changes by users who are signed in. Failures count like failed sign-ins. */
  const assertOwnPassword = async (row: Row, password: string, address: string): Promise<void> => {
    await checkPassword(row.email, password, address).catch((error: unknown) => {
      if (!(error instanceof ApiError) || error.code !== "unauthenticated") throw error;
      throw new ApiError("forbidden", "Wrong password. Enter your current password.");
    });
  };

  /** A recent proof. Programs can send the password instead. */
  const assertProof = async (principal: Principal, row: Row, password: string | undefined): Promise<void> => {
    if (password === undefined) return proof.assertRecent(principal);
    if (row.password === "") throw new ApiError("invalid", "Your account has no password. Confirm with a passkey.");
    return assertOwnPassword(row, password, principal.address ?? "");
  };

  /** The password, or a recent proof if the account has none. */
  const assertMayChange = async (principal: Principal, row: Row, password: string | undefined): Promise<void> => {
    if (row.password === "") return proof.assertRecent(principal);
    if (password === undefined) throw new ApiError("invalid", "Enter your current password to change this.");
    return assertOwnPassword(row, password, principal.address ?? "");
  };

  const commitChange = async (
    principal: Principal,
    row: Row,
    next: Pick<Row, "name" | "email">,
    more: readonly Write[],
  ): Promise<{ account: Account }> => {
    const detail = {
      ...(next.name === row.name ? {} : { name: { from: row.name, to: next.name } }),
      ...(next.email === row.email ? {} : { email: { from: row.email, to: next.email } }),
    };
    const result = await log.commit({
      events: [],
      writes: [
        {
          do: "update",
          table: "accounts",
          set: { ...next, changed_at: randomVersion() },
          where: { id: row.id, name: row.name, email: row.email, password: row.password, state: "active" },
          expectOne: true,
        },
        // A link that was sent to the old address.
        ...(next.email === row.email
          ? []
          : [{ do: "delete", table: "links", where: { id: toResetId(row.id) } } as const]),
        ...more,
        ...(next.name === row.name && next.email === row.email
          ? []
          : planAudit({ action: "account-changed", actor: principal, target: row.id, detail })),
      ],
    });
    if (result.ok) return { account: toAccount({ ...row, ...next }) };
    if (result.why === "conflict") throw new ApiError("conflict", TAKEN);
    throw new ApiError("conflict", "Your account was changed at the same time. Reload it and try again.");
  };

  return {
    getOwn,
    accountOf: async (principal: Principal): Promise<Account> => toAccount(await getOwn(principal)),

    /** Proves with the password who the user of this session is. */
    confirm: async (principal: Principal, password: string): Promise<void> => {
      const row = await getOwn(principal);
      const write = proof.plan(principal);
      if (row.password === "") throw new ApiError("invalid", "Your account has no password. Confirm with a passkey.");
      await assertOwnPassword(row, password, principal.address ?? "");
      const { ok } = await log.commit({ events: [], writes: [write] });
      if (!ok) throw new ApiError("unauthenticated", "Your session has ended. Sign in again.");
    },

    changeAccount: async (principal: Principal, body: Body<"changeAccount">): Promise<Response<"changeAccount">> => {
      const row = await getOwn(principal);
      const next = { name: body.name ?? row.name, email: body.email ?? row.email };
      if (next.email !== row.email && options.hasFixedEmail) {
        throw new ApiError("forbidden", "A proxy signs users in by their email address, so it cannot be changed here.");
      }
      const isNewEmail = next.email !== row.email;
      if (isNewEmail) await assertProof(principal, row, body.password);
      if (next.name === row.name && !isNewEmail) return { account: toAccount(row), pendingEmail: null };
      if (isNewEmail && options.planEmailChange) {
        const writes = await options.planEmailChange(principal, row, next.email);
        const changed = await commitChange(principal, row, { ...next, email: row.email }, writes);
        return { ...changed, pendingEmail: next.email };
      }
      return { ...(await commitChange(principal, row, next, [])), pendingEmail: null };
    },

    changePassword: async (principal: Principal, body: Body<"changePassword">): Promise<{ ended: number }> => {
      const row = await getOwn(principal);
      await assertMayChange(principal, row, body.current);
      assertGoodPassword(body.next, row);
      const password = await hashNew(body.next, principal.address ?? "");
      const { ended, writes } = await sessions.planEndOthers(principal);
      const { revokeKeys = false } = body;
      const { ok } = await log.commit({
        events: revokeKeys ? [{ stream: userStream(row.id), event: { type: "keys-changed" } }] : [],
        writes: [
          {
            do: "update",
            table: "accounts",
            set: { password, changed_at: randomVersion() },
            where: { id: row.id, password: row.password, state: "active" },
            expectOne: true,
          },
          ...writes,
          ...(revokeKeys ? [{ do: "delete", table: "api_keys", where: { owner: row.id } } as const] : []),
          { do: "delete", table: "links", where: { id: toResetId(row.id) } },
          { do: "delete", table: "links", where: { id: toEmailId(row.id) } },
          ...planAudit({
            action: "password-changed",
            actor: principal,
            target: row.id,
            detail: { ended, ...(revokeKeys ? { revokeKeys } : {}) },
          }),
        ],
      });
      if (ok) return { ended };
      throw new ApiError("conflict", "Your account was changed at the same time. Sign in again and try once more.");
    },
  };
}

const toAccount = ({ name, email, role }: Row): Account => ({ name, email, role });
