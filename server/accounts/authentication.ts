import { ApiError } from "../../protocol/errors.ts";
import {
  hash,
  readCookies,
  readKey,
  toCookie,
  withoutLive,
  WRONG_KEY,
  type ApiKeys,
  type Authentication,
  type FailureLimit,
  type Sessions,
} from "../auth/authenticate.ts";
import { PROXY_SESSION, type Principal } from "../auth/principal.ts";
import type { Reads } from "../store/contract.ts";
import type { FindProxyUser } from "./proxy-users.ts";

type Options = {
  readonly read: Pick<Reads, "account">;
  readonly sessions: Sessions;
  readonly keys: Pick<ApiKeys, "find" | "findLive">;
  readonly failures: FailureLimit;
  readonly hasAdmin: () => Promise<boolean>;
  /** null: no proxy signs users in. */
  readonly findProxyUser: FindProxyUser | null;
  readonly findActive: (owners: readonly string[]) => Promise<ReadonlySet<string>>;
};

export const NOT_SET_UP = "This server is not set up yet. Open the setup link that it printed at its start.";

/**
 * Sessions and API keys of accounts, and users whom a trusted proxy has signed in; keys go first, then the proxy. The account is read with each request: a suspended one has no valid credentials, and a key has
 * its owner's role. Other bearer tokens are ignored; STONECHAT_TOKEN is not accepted.
 */
export function createAccountAuthentication(options: Options): Authentication {
  const { read, sessions, keys, failures, hasAdmin, findProxyUser, findActive } = options;

  const toPrincipal = async (principal: Principal | undefined, address: string): Promise<Principal | undefined> => {
    const account = principal && (await read.account(principal.userId));
    return account?.state === "active" ? { ...principal, userId: account.id, role: account.role, address } : undefined;
  };

  return {
    kind: "accounts",
    authenticate: async (credentials) => {
      const { cookie, address } = credentials;
      const key = readKey(credentials);
      if (key !== undefined) {
        failures.assertAllowed(address);
        const principal = await toPrincipal(await keys.find(key), address);
        return principal ?? failures.rejectAttempt(address, hash(key).toString("base64url"), WRONG_KEY);
      }
      if (findProxyUser && credentials.proxyUser !== undefined) {
        if (!(await hasAdmin())) throw new ApiError("unauthenticated", NOT_SET_UP);
        const { id, role } = await findProxyUser(credentials.proxyUser, address);
        return { userId: id, role, address, session: `${PROXY_SESSION}${id}` };
      }
      const [session] = await sessions.find(readCookies(cookie));
      const found = session && { userId: session.owner, session: session.id_hash };
      const principal = await toPrincipal(found, address);
      if (principal) return principal;
      throw new ApiError("unauthenticated", (await hasAdmin()) ? "Sign in to your account." : NOT_SET_UP);
    },
    signOut: async (cookie, address) => {
      const ended = await sessions.end(readCookies(cookie), address);
      return {
        cookies: [toCookie("", 0, false), toCookie("", 0, true)],
        ended: ended.map(({ id_hash }) => id_hash),
      };
    },
    findEnded: async (hashes) => {
      const byProxy = hashes.filter((one) => one.startsWith(PROXY_SESSION));
      const others = hashes.filter((one) => !one.startsWith(PROXY_SESSION));
      const active = await findActive(byProxy.map((one) => one.slice(PROXY_SESSION.length)));
      const ended = byProxy.filter((one) => !active.has(one.slice(PROXY_SESSION.length)));
      return [...ended, ...(await withoutLive(await sessions.findEnded(others), keys))];
    },
  };
}
