import type { Body, Response as Answer } from "../../protocol/api.ts";
import { ApiError } from "../../protocol/errors.ts";
import type { Accounts, Browser, SignedIn } from "../accounts/accounts.ts";
import { getBrowserSession, type Principal } from "../auth/principal.ts";
import type { Clock } from "../lib/clock.ts";
import { createSealedCookie, createSealedValue } from "../lib/sealed-value.ts";
import type { Seal } from "../lib/seal.ts";
import type { Log } from "../log/log.ts";
import type { Reads } from "../store/contract.ts";
import {
  EXPIRED,
  CHALLENGE_LIFE_MS,
  getOfSession,
  planCounter,
  verifyAssertion,
  type PasskeyChallenges,
  type PendingChallenge,
} from "./passkey-challenges.ts";

const UNKNOWN = "This passkey cannot sign in here. Use another one, or sign in with your password.";

type Options = {
  readonly read: Pick<Reads, "account" | "passkey" | "passkeysOf">;
  readonly log: Pick<Log, "commit">;
  readonly clock: Clock;
  readonly seal: Seal;
  readonly challenges: PasskeyChallenges;
};

type SignInOptions = Options & {
  readonly accounts: Pick<Accounts, "planSignIn" | "planAudit" | "failures" | "assertSetUp">;
};

/** Signing in with a passkey. The challenge is bound to the browser, by a sealed cookie. */
export function createPasskeySignIn({ read, log, clock, seal, challenges, accounts }: SignInOptions) {
  const cookie = createSealedCookie<PendingChallenge>({
    ...{ seal, clock, lifeMs: CHALLENGE_LIFE_MS, kind: "stonechat-passkey", sameSite: "Strict" },
  });

  return {
    startSignIn: async (browser: Pick<Browser, "https" | "origin">) => {
      await accounts.assertSetUp();
      const site = challenges.toSite(browser.origin);
      const options = await challenges.createRequest(site);
      const pending = challenges.toPending(options.challenge, site, null);
      return { value: { options: { ...options } }, cookie: cookie.create(pending, browser.https) };
    },

    signIn: async ({ credential }: Body<"signInWithPasskey">, browser: Browser) => {
      accounts.failures.assertAllowed(browser.address);
      const pending = cookie.read(browser.cookies);
      if (!pending) throw new ApiError("invalid", EXPIRED);
      const row = await read.passkey(credential.id);
      const counter = row && (await verifyAssertion(row, credential, pending));
      const account = row && (await read.account(row.account));
      if (!row || counter === undefined || account?.state !== "active") {
        return accounts.failures.rejectAttempt(browser.address, credential.id, UNKNOWN);
      }
      const { writes, signedIn } = await accounts.planSignIn(account, browser, "passkey");
      const actor = { userId: account.id, address: browser.address };
      const detail = { with: "passkey", passkey: row.name };
      const result = await log.commit({
        events: [],
        writes: [
          ...(await challenges.planUse(pending)),
          planCounter(row, counter, clock),
          ...writes,
          ...accounts.planAudit({ action: "signed-in", actor, target: account.id, detail }),
        ],
      });
      if (!result.ok && result.why === "conflict") throw new ApiError("invalid", EXPIRED);
      if (!result.ok) throw new ApiError("unauthenticated", UNKNOWN);
      const { value, cookie: session }: SignedIn = signedIn;
      return { value, cookie: [session, cookie.clear(browser.https)] };
    },
  };
}

type ConfirmationOptions = Options & { readonly proof: Accounts["proof"] };

/** A user who is signed in proves with a passkey who they are. The challenge is bound to the session. */
export function createPasskeyConfirmation({ read, log, clock, seal, challenges, proof }: ConfirmationOptions) {
  const confirmations = createSealedValue<PendingChallenge>({
    seal,
    clock,
    lifeMs: CHALLENGE_LIFE_MS,
    kind: "passkey confirmation",
  });

  return {
    startConfirmation: async (
      principal: Principal,
      origin: string | undefined,
    ): Promise<Answer<"startConfirmation">> => {
      const known = await read.passkeysOf(principal.userId);
      if (known.length === 0) throw new ApiError("invalid", "Your account has no passkey. Confirm with your password.");
      const site = challenges.toSite(origin);
      const options = await challenges.createRequest(site, known);
      return {
        options: { ...options },
        state: confirmations.seal(challenges.toPending(options.challenge, site, getBrowserSession(principal))),
      };
    },

    confirm: async (principal: Principal, body: NonNullable<Body<"confirmUser">["passkey"]>): Promise<void> => {
      const pending = getOfSession(principal, confirmations.unseal(body.state));
      const row = await read.passkey(body.credential.id);
      const isOwn = row?.account === principal.userId;
      const counter = isOwn ? await verifyAssertion(row, body.credential, pending) : undefined;
      if (!isOwn || counter === undefined) throw wrong();
      const writes = [...(await challenges.planUse(pending)), planCounter(row, counter, clock), proof.plan(principal)];
      const { ok } = await log.commit({ events: [], writes });
      if (!ok) throw wrong();
    },
  };
}

const wrong = () => new ApiError("forbidden", "This passkey could not be verified. Try again, or use your password.");
