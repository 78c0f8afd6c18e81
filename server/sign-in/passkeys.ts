import type { Passkey } from "../../protocol/account/factors.ts";
import type { Body, Response as Answer } from "../../protocol/api.ts";
import { ApiError } from "../../protocol/errors.ts";
import type { Accounts } from "../accounts/accounts.ts";
import { getBrowserSession, type Principal } from "../auth/principal.ts";
import type { Clock } from "../lib/clock.ts";
import type { Ids } from "../lib/ids.ts";
import { randomVersion } from "../lib/random.ts";
import { createSealedValue } from "../lib/sealed-value.ts";
import type { Seal } from "../lib/seal.ts";
import type { Log } from "../log/log.ts";
import type { Reads, Store } from "../store/contract.ts";
import type { RowOf } from "../store/schema.ts";
import {
  ALGORITHMS,
  CHALLENGE_LIFE_MS,
  createPasskeyChallenges,
  getOfSession,
  loadLibrary,
  readTransports,
  verifyAttestation,
  type PasskeyChallenges,
  type PendingChallenge,
} from "./passkey-challenges.ts";
import { createPasskeyConfirmation, createPasskeySignIn } from "./passkey-sign-in.ts";

type Row = RowOf<"passkeys">;

type Options = {
  readonly store: Pick<Store, "read">;
  readonly log: Pick<Log, "commit">;
  readonly clock: Clock;
  readonly ids: Ids;
  readonly seal: Seal;
  readonly accounts: Pick<
    Accounts,
    "planSignIn" | "planAudit" | "proof" | "own" | "failures" | "sessions" | "assertSetUp"
  >;
  /** The address that the operator has set; null: passkeys belong to the host name that the browser uses. */
  readonly publicOrigin: string | null;
};

const MOST_PASSKEYS = 20;

/**
 * Passkeys (WebAuthn). The authenticator verifies its user, so a passkey replaces password and second factor. Credentials are
 * discoverable: a sign-in names no account, and its answer is the same for unknown, removed and suspended ones. A challenge is bound to one
 * browser, by a sealed cookie or by its session, and can be used once. Nothing is stored until it is answered.
 */
export type Passkeys = ReturnType<typeof createPasskeys>;

export function createPasskeys({ store, log, clock, ids, seal, accounts, publicOrigin }: Options) {
  const { read } = store;
  const { proof, planAudit } = accounts;
  const challenges = createPasskeyChallenges({ read, clock, publicOrigin });
  const shared = { read, log, clock, seal, challenges };
  return {
    publicOrigin,
    ...createPasskeySignIn({ ...shared, accounts }),
    ...createPasskeyConfirmation({ ...shared, proof }),
    ...createRegistration({ ...shared, accounts, ids }),

    list: async ({ userId }: Pick<Principal, "userId">): Promise<Passkey[]> =>
      (await read.passkeysOf(userId)).map(toView),

    rename: async (principal: Principal, id: string, name: string): Promise<{ passkey: Passkey }> => {
      const row = await getPasskey(read, principal, id);
      const { credential, account } = row;
      const detail = { from: row.name, to: name };
      const { ok } = await log.commit({
        events: [],
        writes: [
          { do: "update", table: "passkeys", set: { name }, where: { credential, account }, expectOne: true },
          ...planAudit({ action: "passkey-renamed", actor: principal, target: account, detail }),
        ],
      });
      if (ok) return { passkey: toView({ ...row, name }) };
      throw new ApiError("not-found", "Not found.");
    },

    remove: async (principal: Principal, id: string): Promise<{ id: string; ended: number }> => {
      await proof.assertRecent(principal);
      const { password, changed_at } = await accounts.own.getOwn(principal);
      const { credential, account, name } = await getPasskey(read, principal, id);
      const isLast = (await read.passkeysOf(account)).length === 1;
      if (isLast && password === "" && (await read.identitiesOf(account)).length === 0) {
        throw new ApiError(
          "conflict",
          "This is your only way to sign in. Set a password or add another passkey first.",
        );
      }
      const others = await accounts.sessions.planEndOthers(principal);
      // So that of two requests for the last two ways to sign in one fails.
      const where = { id: account, password, state: "active", changed_at } as const;
      const { ok } = await log.commit({
        events: [],
        writes: [
          { do: "update", table: "accounts", set: { changed_at: randomVersion() }, where, expectOne: true },
          { do: "delete", table: "passkeys", where: { credential, account } },
          ...others.writes,
          ...planAudit({
            ...{ action: "passkey-removed", actor: principal, target: account },
            detail: { name, ended: others.ended },
          }),
        ],
      });
      if (ok) return { id, ended: others.ended };
      throw new ApiError("conflict", "Your account was changed at the same time. Try again.");
    },
  };
}

type RegistrationOptions = Pick<Options, "log" | "clock" | "ids" | "seal" | "accounts"> & {
  readonly read: Pick<Reads, "passkeysOf">;
  readonly challenges: PasskeyChallenges;
};

/** Adds passkeys to the user's own account. Each needs a recent proof. */
function createRegistration({ read, log, clock, ids, seal, accounts, challenges }: RegistrationOptions) {
  const { proof, planAudit } = accounts;
  const registrations = createSealedValue<PendingChallenge>({
    seal,
    clock,
    lifeMs: CHALLENGE_LIFE_MS,
    kind: "passkey registration",
  });

  /** The user handle that authenticators store instead of the id of the account. Differs between servers with the same host name. */
  const toHandle = (account: string): string => seal.derive(`passkeys of ${account}`);

  return {
    start: async (principal: Principal, origin: string | undefined): Promise<Answer<"startPasskey">> => {
      await proof.assertRecent(principal);
      const { id, name, email } = await accounts.own.getOwn(principal);
      const known = await read.passkeysOf(id);
      if (known.length >= MOST_PASSKEYS) {
        throw new ApiError("too-large", `Your account has ${MOST_PASSKEYS} passkeys. Remove one first.`);
      }
      const site = challenges.toSite(origin);
      const { generateRegistrationOptions } = await loadLibrary();
      const options = await generateRegistrationOptions({
        ...{ rpName: "Stonechat", rpID: site.id, userName: email, userDisplayName: name, timeout: CHALLENGE_LIFE_MS },
        userID: new Uint8Array(Buffer.from(toHandle(id), "base64url")),
        excludeCredentials: known.map(({ credential, transports }) => ({
          id: credential,
          ...readTransports(transports),
        })),
        authenticatorSelection: { residentKey: "required", userVerification: "required" },
        supportedAlgorithmIDs: ALGORITHMS,
      });
      const pending = challenges.toPending(options.challenge, site, getBrowserSession(principal));
      return { options: { ...options }, state: registrations.seal(pending) };
    },

    add: async (
      principal: Principal,
      { state, name, credential }: Body<"addPasskey">,
    ): Promise<{ passkey: Passkey }> => {
      await proof.assertRecent(principal);
      const pending = getOfSession(principal, registrations.unseal(state));
      const found = await verifyAttestation(credential, pending);
      const row: Row = {
        ...{ ...found, id: ids.next(), account: principal.userId, handle: toHandle(principal.userId), name },
        ...{ transports: JSON.stringify(credential.response.transports ?? []), created_at: clock.now(), used_at: null },
      };
      const where = { id: principal.userId, state: "active" } as const;
      const { ok } = await log.commit({
        events: [],
        writes: [
          ...(await challenges.planUse(pending)),
          { do: "update", table: "accounts", set: { changed_at: randomVersion() }, where, expectOne: true },
          { do: "insert", table: "passkeys", row },
          ...planAudit({ action: "passkey-added", actor: principal, target: principal.userId, detail: { name } }),
        ],
      });
      if (ok) return { passkey: toView(row) };
      throw new ApiError("conflict", "This passkey was added already. Reload the page to see it.");
    },
  };
}

async function getPasskey(read: Pick<Reads, "passkeysOf">, { userId }: Principal, id: string): Promise<Row> {
  const row = (await read.passkeysOf(userId)).find((one) => one.id === id);
  if (row) return row;
  throw new ApiError("not-found", "Not found.");
}

const toView = (row: Row): Passkey => ({
  ...{ id: row.id, name: row.name, createdAt: row.created_at, usedAt: row.used_at },
});
