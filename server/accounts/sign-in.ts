import { ApiError } from "../../protocol/errors.ts";
import type { FailureLimit } from "../auth/authenticate.ts";
import { hash } from "../auth/authenticate.ts";
import { toNetwork } from "../net/client-address.ts";
import type { Reads } from "../store/contract.ts";
import type { RowOf } from "../store/schema.ts";
import type { Passwords } from "./passwords.ts";
import type { AccountThrottle } from "./throttle.ts";

type Account = RowOf<"accounts">;

type Options = {
  readonly read: Pick<Reads, "accountByEmail">;
  readonly passwords: Passwords;
  readonly failures: FailureLimit;
  readonly throttle: AccountThrottle;
};

export const WRONG_PASSWORD = "Wrong email or password.";
const MAX_NETWORKS = 8;

/**
 * Checks an email address and a password. Unknown addresses, wrong passwords and suspended accounts get the same response after the
 * same work. While a network must wait, only passwords from networks that have signed in to the account before are compared; a wrong one
 * gets the response that all others get.
 */
export function createPasswordCheck({ read, passwords, failures, throttle }: Options) {
  return async (email: string, password: string, address: string): Promise<Account> => {
    failures.assertAllowed(address);
    const network = toNetwork(address);
    const account = await read.accountByEmail(email);
    const isKnown = account !== undefined && readNetworks(account).includes(network);
    const waitMs = throttle.waitOf(email, network);
    if (waitMs > 0 && !isKnown) throw toWait(waitMs);
    const isRight = await passwords.verify(password, account?.password || undefined, { network, isKnown });
    if (isRight && account?.state === "active") return account;
    if (waitMs > 0) throw toWait(waitMs);
    throttle.recordFailure(email, network);
    return failures.rejectAttempt(address, hash(`${email}\n${password}`).toString("base64url"), WRONG_PASSWORD);
  };
}

export function toWait(waitMs: number): ApiError {
  const seconds = Math.ceil(waitMs / 1000);
  const text = `Too many failed attempts. Wait ${seconds === 1 ? "1 second" : `${seconds} seconds`} and try again.`;
  return new ApiError("busy", text, undefined, seconds);
}

export const readNetworks = ({ networks }: Account): readonly string[] => JSON.parse(networks) as readonly string[];

/** The networks of the latest successful sign-ins, with this one. */
export const addNetwork = (account: Account, address: string): string => {
  const network = toNetwork(address);
  return JSON.stringify([network, ...readNetworks(account).filter((one) => one !== network)].slice(0, MAX_NETWORKS));
};
