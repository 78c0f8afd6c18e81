import type { Accounts } from "../accounts/accounts.ts";
import { createAuthentication, createSessions, type ApiKeys } from "../auth/authenticate.ts";
import type { Config } from "../config/config.ts";
import type { Shares } from "../user-data/shares.ts";
import type { Clock } from "../lib/clock.ts";
import type { Log } from "../log/log.ts";
import type { OutsideSignIn } from "../sign-in/sign-in.ts";
import type { Store } from "../store/contract.ts";
import { createAccountOpenHandlers, createOpenHandlers } from "./handlers/accounts.ts";

type Modules = {
  readonly accounts: Accounts | null;
  readonly outside: OutsideSignIn | null;
  readonly shares: Shares;
  readonly store: Store;
  readonly log: Log;
  readonly clock: Clock;
  readonly apiKeys: ApiKeys;
};

/** Authentication, and the handlers of routes before it. */
export function createSignIn({ token }: Config, { accounts, outside, shares, store, log, clock, apiKeys }: Modules) {
  if (accounts && outside) {
    const { authentication, sessions } = accounts;
    const open = createAccountOpenHandlers(accounts, outside, shares.open);
    return { authentication, sessions, open, signIn: "password" as const };
  }
  const sessions = token === null ? null : createSessions({ token, clock, read: store.read, log });
  const authentication = createAuthentication({ token, clock, sessions, keys: apiKeys });
  const open = createOpenHandlers(authentication, shares.open);
  return { authentication, sessions, open, signIn: authentication.kind };
}
