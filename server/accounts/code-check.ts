import { ApiError } from "../../protocol/errors.ts";
import { hash, type FailureLimit } from "../auth/authenticate.ts";
import type { Clock } from "../lib/clock.ts";
import type { Seal } from "../lib/seal.ts";
import { toNetwork } from "../net/client-address.ts";
import type { Reads, Write } from "../store/contract.ts";
import type { RowOf } from "../store/schema.ts";
import { hashRecoveryCode } from "./recovery-codes.ts";
import { readNetworks, toWait } from "./sign-in.ts";
import { createAccountThrottle } from "./throttle.ts";
import { findStep } from "./totp.ts";

type Authenticator = RowOf<"authenticators">;

type Options = {
  readonly read: Pick<Reads, "authenticator" | "recoveryCodesOf">;
  readonly clock: Clock;
  readonly seal: Seal;
  readonly failures: FailureLimit;
};

/** A code that was right. The batch with the writes fails with `missing` if it was used in the meantime. */
export type UsedCode = { readonly with: "authenticator" | "recovery-code"; readonly writes: readonly Write[] };

/** Six digits can be guessed, so all strange networks together may fail this rarely for one account. */
const OF_STRANGERS = { maxWaitMs: 15 * 60_000, forgetMs: 3_600_000 } as const;
const STRANGERS = "strangers";
export const WRONG_CODE = "Wrong code, or it was used already. Enter the one that your app shows now.";

/**
 * Checks codes of authenticator apps and recovery codes, after the password. Networks that have signed in to the account before wait only
 * after their own failures; all others share one limit for codes of apps. So an attacker with the password can neither guess a code
 * nor lock out its owner, who has a known network, a recovery code or a passkey.
 */
export function createCodeCheck({ read, clock, seal, failures }: Options) {
  const ofNetworks = createAccountThrottle(clock);
  const ofStrangers = createAccountThrottle(clock, OF_STRANGERS);

  return async (account: RowOf<"accounts">, given: string, address: string): Promise<UsedCode> => {
    failures.assertAllowed(address);
    const authenticator = await read.authenticator(account.id);
    const recoveryCodes = await read.recoveryCodesOf(account.id);
    // Nothing waits from here on: parallel guesses are counted before the next one is compared.
    const network = toNetwork(address);
    const code = given.replaceAll(/\s/g, "");
    const isOfApp = /^\d+$/.test(code);
    const isShared = isOfApp && !readNetworks(account).includes(network);
    const [throttle, place] = isShared ? [ofStrangers, STRANGERS] : [ofNetworks, network];
    const waitMs = throttle.waitOf(account.id, place);
    if (waitMs > 0) throw toWait(waitMs);
    const used = isOfApp
      ? authenticator && planApp(authenticator, code)
      : planRecovery(account.id, hashRecoveryCode(seal, account.id, code), recoveryCodes);
    if (used) return used;
    throttle.recordFailure(account.id, place);
    return failures.rejectAttempt(address, hash(`${account.id}\n${code}`).toString("base64url"), WRONG_CODE);
  };

  function planApp(row: Authenticator, code: string): UsedCode | undefined {
    const secret = openSecret(seal, row.secret);
    const step = findStep(secret, code, { timeMs: clock.now(), lastStep: row.last_step });
    if (step === undefined) return undefined;
    const where = { account: row.account, last_step: row.last_step, secret: row.secret };
    const write = { do: "update", table: "authenticators", set: { last_step: step }, where, expectOne: true } as const;
    return { with: "authenticator", writes: [write] };
  }
}

function planRecovery(account: string, hash: string, unused: readonly RowOf<"recovery_codes">[]): UsedCode | undefined {
  if (!unused.some((row) => row.hash === hash)) return undefined;
  const where = { account, hash, used: 0 };
  return {
    with: "recovery-code",
    writes: [{ do: "update", table: "recovery_codes", set: { used: 1 }, where, expectOne: true }],
  };
}

function openSecret(seal: Pick<Seal, "decrypt">, sealed: string): Buffer {
  try {
    return Buffer.from(seal.decrypt(sealed), "base64url");
  } catch {
    throw new ApiError(
      "unavailable",
      "The key of this server has changed, so your code cannot be checked. Ask an admin to remove your second factor.",
    );
  }
}
