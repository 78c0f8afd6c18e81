import type { Identity } from "../../protocol/account/outside.ts";
import { ApiError } from "../../protocol/errors.ts";
import type { Accounts, Browser, SignedIn } from "../accounts/accounts.ts";
import { planUse } from "../accounts/links.ts";
import type { Principal } from "../auth/principal.ts";
import type { Config } from "../config/config.ts";
import type { Clock } from "../lib/clock.ts";
import type { Ids } from "../lib/ids.ts";
import { randomVersion } from "../lib/random.ts";
import type { Log } from "../log/log.ts";
import type { Store, Write } from "../store/contract.ts";
import type { RowOf } from "../store/schema.ts";
import type { Claims } from "./oidc-client.ts";

type Row = RowOf<"identities">;

type Options = {
  readonly store: Pick<Store, "read">;
  readonly log: Pick<Log, "commit">;
  readonly clock: Clock;
  readonly ids: Ids;
  readonly accounts: Pick<Accounts, "planSession" | "planSignIn" | "findJoinLink" | "planAudit">;
  readonly config: NonNullable<Config["signIn"]["oidc"]>;
};

const MOST_IDENTITIES = 10;
const AGAIN = "Your account was changed at the same time. Start the sign-in again.";

/**
 * Which users of the provider may sign in to which account. An identity is an issuer and a subject. It is linked by a user who is
 * signed in, or when it creates an account; never because an email address is the same.
 */
export function createIdentities({ store, log, clock, ids, accounts, config }: Options) {
  const { read } = store;

  const planIdentity = ({ issuer, subject, label }: Claims, account: string): Write => {
    const now = clock.now();
    const row: Row = { issuer, subject, id: ids.next(), account, label, created_at: now, used_at: now };
    return { do: "insert", table: "identities", row };
  };

  const signInWith = async (identity: Row, claims: Claims, browser: Browser): Promise<SignedIn> => {
    const account = await read.account(identity.account);
    if (account?.state !== "active") throw suspended();
    const { writes, signedIn } = await accounts.planSignIn(account, browser, "oidc");
    const actor = { userId: account.id, address: browser.address };
    const { issuer, subject } = identity;
    const { ok } = await log.commit({
      events: [],
      writes: [
        {
          do: "update",
          table: "identities",
          set: { used_at: clock.now(), label: claims.label },
          // Not if it was removed in the meantime.
          where: { issuer, subject, account: account.id },
          expectOne: true,
        },
        ...writes,
        ...accounts.planAudit({ action: "signed-in", actor, target: account.id, detail: { with: config.name } }),
      ],
    });
    if (ok) return signedIn;
    throw new ApiError("conflict", AGAIN);
  };

  const create = async (claims: Claims, browser: Browser, invitation: string | null): Promise<SignedIn> => {
    const link = invitation === null ? null : await accounts.findJoinLink(invitation);
    const email = getJoinAddress(config, claims, link);
    const account = toAccount(claims, { id: ids.next(), email, role: link?.role ?? "member", now: clock.now() });
    const { id, created_at } = account;
    const { writes, signedIn } = await accounts.planSession(id, browser, "oidc");
    const actor = { userId: id, address: browser.address };
    const detail = { role: account.role, with: config.name, ...(link ? { invitedBy: link.created_by } : {}) };
    const action = link?.kind === "invite" ? "invitation-accepted" : "signed-up";
    const result = await log.commit({
      events: [],
      writes: [
        ...(link ? planUse(link) : []),
        { do: "insert", table: "users", row: { id, created_at } },
        { do: "insert", table: "accounts", row: account },
        planIdentity(claims, id),
        ...writes,
        ...accounts.planAudit({ action, actor, target: id, detail }),
      ],
    });
    if (result.ok) return signedIn;
    if (result.why === "conflict") throw taken(email, config.name);
    throw new ApiError(
      "not-found",
      "This invitation does not exist, has expired or was used. Ask an admin for a new one.",
    );
  };

  return {
    /** Signs in to the linked account, or creates one: with an invitation, or if the operator allows it. */
    signIn: async (claims: Claims, browser: Browser, invitation: string | null): Promise<SignedIn> => {
      const identity = await read.identity(claims.issuer, claims.subject);
      if (identity && invitation !== null) throw linked(config.name);
      return identity ? signInWith(identity, claims, browser) : create(claims, browser, invitation);
    },

    /** For a user who is signed in. */
    link: async (principal: Principal, claims: Claims): Promise<void> => {
      const found = await read.identity(claims.issuer, claims.subject);
      if (found?.account === principal.userId) return;
      if (found) throw linked(config.name);
      const own = await read.identitiesOf(principal.userId);
      if (own.length >= MOST_IDENTITIES) {
        throw new ApiError("too-large", `Your account has ${MOST_IDENTITIES} linked sign-ins. Remove one first.`);
      }
      const where = { id: principal.userId, state: "active" } as const;
      const set = { changed_at: randomVersion() };
      const detail = { with: config.name };
      const result = await log.commit({
        events: [],
        writes: [
          { do: "update", table: "accounts", set, where, expectOne: true },
          planIdentity(claims, principal.userId),
          ...accounts.planAudit({ action: "identity-linked", actor: principal, target: principal.userId, detail }),
        ],
      });
      if (result.ok) return;
      throw result.why === "conflict" ? linked(config.name) : suspended();
    },
  };
}

export type Identities = ReturnType<typeof createIdentities>;

/** The address of a new account. Throws if these claims may not create one with this link, or without any. */
function getJoinAddress(config: Options["config"], claims: Claims, link: RowOf<"links"> | null): string {
  if (link === null && config.signUp === false) throw unknown(config.name);
  if (link?.email && claims.email !== null && link.email !== claims.email) {
    throw new ApiError("forbidden", `This invitation is for ${link.email}, and you signed in as ${claims.email}.`);
  }
  // The admin chose the address of an invitation, and its link is proof enough, as it is with a password.
  const email = claims.email ?? link?.email ?? null;
  if (email === null) {
    throw new ApiError(
      "forbidden",
      `${config.name} has not verified your email address. Verify it there and start again.`,
    );
  }
  if (link === null && !maySignUp(config, email)) throw unknown(config.name);
  return email;
}

const maySignUp = ({ signUp }: Options["config"], email: string): boolean =>
  typeof signUp === "boolean" ? signUp : signUp.includes(email.split("@")[1] ?? "");

/** An account without a password. */
function toAccount({ name }: Claims, { id, email, role, now }: NewAccount): RowOf<"accounts"> {
  return {
    ...{ id, name: name ?? email.split("@")[0] ?? email, email, role },
    ...{
      state: "active",
      password: "",
      networks: "[]",
      created_at: now,
      changed_at: randomVersion(),
      signed_in_at: now,
    },
  };
}

type NewAccount = Pick<RowOf<"accounts">, "id" | "email" | "role"> & { readonly now: number };

type OwnOptions = Pick<Options, "store" | "log"> & {
  readonly accounts: Pick<Accounts, "planAudit" | "proof">;
};

/** The user's own identities. They can be removed after the operator has removed the provider, too. */
export function createOwnIdentities({ store, log, accounts: { planAudit, proof } }: OwnOptions) {
  const { read } = store;
  return {
    list: async ({ userId }: Principal): Promise<Identity[]> => (await read.identitiesOf(userId)).map(toView),
    remove: async (principal: Principal, id: string): Promise<{ id: string }> => {
      await proof.assertRecent(principal);
      const account = await read.account(principal.userId);
      const own = await read.identitiesOf(principal.userId);
      const row = own.find((one) => one.id === id);
      if (!row || !account) throw new ApiError("not-found", "Not found.");
      if (account.password === "" && own.length === 1 && (await read.passkeysOf(account.id)).length === 0) {
        const text = "This is your only way to sign in. Set a password or add a passkey first.";
        throw new ApiError("conflict", text);
      }
      const { issuer, subject } = row;
      const where = { id: account.id, password: account.password, changed_at: account.changed_at };
      const { ok } = await log.commit({
        events: [],
        writes: [
          // So that of two requests for the last two identities one fails.
          { do: "update", table: "accounts", set: { changed_at: randomVersion() }, where, expectOne: true },
          { do: "delete", table: "identities", where: { issuer, subject } },
          ...planAudit({ action: "identity-removed", actor: principal, target: account.id, detail: { issuer } }),
        ],
      });
      if (ok) return { id };
      throw new ApiError("conflict", "Your account was changed at the same time. Try again.");
    },
  };
}

export type OwnIdentities = ReturnType<typeof createOwnIdentities>;

const toView = (row: Row): Identity => ({
  ...{ id: row.id, issuer: row.issuer, label: row.label, createdAt: row.created_at, usedAt: row.used_at },
});

const suspended = () => new ApiError("forbidden", "This account is suspended. Ask an admin.");

const unknown = (name: string) =>
  new ApiError(
    "forbidden",
    `No account is linked to this sign-in. Sign in with your password and link ${name} in the settings, or ask an admin for an invitation.`,
  );

const linked = (name: string) =>
  new ApiError(
    "conflict",
    `This sign-in with ${name} belongs to another account. Sign in with it, or remove it there first.`,
  );

const taken = (email: string, name: string) =>
  new ApiError(
    "conflict",
    `An account with the address ${email} exists. Sign in with its password and link ${name} in the settings.`,
  );
