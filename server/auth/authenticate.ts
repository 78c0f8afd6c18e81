import { createHash, timingSafeEqual } from "node:crypto";
import { ApiError } from "../../protocol/errors.ts";
import { KEY_PREFIX } from "../../protocol/scopes.ts";
import type { Clock } from "../lib/clock.ts";
import type { ApiKeys } from "./api-keys.ts";
import { createFailureLimit } from "./failure-limit.ts";
import type { Principal } from "./principal.ts";
import { SESSION_SECONDS, type BrowserInfo, type Sessions } from "./sessions.ts";

export { assertScope, createApiKeys, type ApiKeys } from "./api-keys.ts";
export { createFailureLimit, type FailureLimit } from "./failure-limit.ts";
export { createSessions, SESSION_SECONDS, type BrowserInfo, type Sessions } from "./sessions.ts";

/**
 * Turns credentials into a principal, or throws. This is the only way to get a principal, for every channel. The
 * principal is the same with and without a token, so an instance keeps its threads when it is opened to the network. An API key
 * is accepted in both cases, and a wrong or revoked one is refused in both.
 */
export type Credentials = {
  readonly authorization: string | undefined;
  /** The header `x-api-key`; only for API keys. */
  readonly apiKey?: string | undefined;
  readonly cookie: string | undefined;
  /** The user whom a trusted proxy has signed in: an email address in the configured header. */
  readonly proxyUser?: string | undefined;
  /** The client's address, as far as it is known. */
  readonly address: string;
};

export type Authentication = {
  /** The credentials that requests need. `none`: no credentials, and only requests from this machine are accepted. */
  readonly kind: "none" | "token" | "accounts";
  readonly authenticate: (credentials: Credentials) => Promise<Principal>;
  /** Ends the sessions of this `Cookie` header, on every node. `cookies` are the `Set-Cookie` values that clear it. */
  readonly signOut: (
    cookie: string | undefined,
    address?: string,
  ) => Promise<{ readonly cookies: readonly string[]; readonly ended: readonly string[] }>;
  /** Returns the hashes whose session or key has ended, on any node. */
  readonly findEnded: (hashes: readonly string[]) => Promise<readonly string[]>;
};

/** Authentication without accounts. */
export type TokenAuthentication = Authentication & {
  readonly kind: "none" | "token";
  /** Exchanges the token for a `Set-Cookie` value. `https`: whether the browser connected over TLS. */
  readonly signIn: (
    token: string,
    browser: BrowserInfo & { readonly https: boolean },
  ) => Promise<{ principal: Principal; cookie: string }>;
};

type Options = {
  readonly token: string | null;
  readonly clock: Clock;
  readonly sessions: Sessions | null;
  readonly keys: Pick<ApiKeys, "find" | "findLive">;
};

const local: Principal = { userId: "local", role: "admin" };
const plainName = "stonechat-session";
const secureName = "__Host-stonechat-session";

export function createAuthentication({ token, clock, sessions, keys }: Options): TokenAuthentication {
  const failures = createFailureLimit(clock);

  const checkKey = async (given: string, address: string): Promise<Principal> => {
    failures.assertAllowed(address);
    const principal = await keys.find(given);
    if (principal) return { ...principal, role: "admin" };
    return failures.rejectAttempt(address, hash(given).toString("base64url"), WRONG_KEY);
  };
  if (token === null || sessions === null) return createOpenAuthentication(checkKey, keys);
  const tokenHash = hash(token);
  const isToken = (given: string): boolean => timingSafeEqual(hash(given), tokenHash);

  const checkToken = (given: string, address: string): Principal => {
    failures.assertAllowed(address);
    if (isToken(given)) return local;
    return failures.rejectAttempt(address, hash(given).toString("base64url"));
  };

  return {
    kind: "token",
    authenticate: async (credentials) => {
      const { cookie, address } = credentials;
      const bearer = readBearer(credentials);
      const key = readKey(credentials);
      // A token that looks like a key is still the token.
      if (key !== undefined && !(key === bearer && isToken(key))) return checkKey(key, address);
      if (bearer !== undefined) return checkToken(bearer, address);
      const [session] = await sessions.find(readCookies(cookie));
      if (session) return { ...local, userId: session.owner, session: session.id_hash };
      throw new ApiError("unauthenticated", "Sign in with this instance's token.");
    },
    signIn: async (given, { https, ...browser }) => {
      const principal = checkToken(given, browser.address);
      const id = await sessions.open(principal.userId, browser);
      return { principal, cookie: toCookie(id, SESSION_SECONDS, https) };
    },
    signOut: async (cookie) => {
      const ended = await sessions.end(readCookies(cookie));
      return {
        cookies: [toCookie("", 0, false), toCookie("", 0, true)],
        ended: ended.map(({ id_hash }) => id_hash),
      };
    },
    findEnded: async (hashes) => withoutLive(await sessions.findEnded(hashes), keys),
  };
}

/** Without a token: requests from this machine need no credentials, and any other bearer token is ignored. */
const createOpenAuthentication = (
  checkKey: (key: string, address: string) => Promise<Principal>,
  keys: Options["keys"],
): TokenAuthentication => ({
  kind: "none",
  authenticate: async (credentials) => {
    const key = readKey(credentials);
    return key === undefined ? local : checkKey(key, credentials.address);
  },
  signIn: async () => {
    throw new ApiError("invalid", "This instance has no token, so it needs no sign-in.");
  },
  signOut: async () => ({ cookies: [], ended: [] }),
  findEnded: (hashes) => withoutLive(hashes, keys),
});

export async function withoutLive(hashes: readonly string[], keys: Options["keys"]): Promise<readonly string[]> {
  const live = await keys.findLive(hashes);
  return hashes.filter((one) => !live.includes(one));
}

export const WRONG_KEY = "This API key does not exist, has expired or was revoked. Create another one in the settings.";

export const readBearer = ({ authorization }: Pick<Credentials, "authorization">): string | undefined =>
  /^Bearer +(\S+) *$/i.exec(authorization ?? "")?.[1];

/** The API key of a request, valid or not. */
export const readKey = (credentials: Pick<Credentials, "authorization" | "apiKey">): string | undefined =>
  [readBearer(credentials), credentials.apiKey?.trim()].find((text) => text?.startsWith(KEY_PREFIX));

/** Hashing makes both inputs the same length, which a constant-time comparison requires. */
export const hash = (text: string): Buffer => createHash("sha256").update(text).digest();

export const toCookie = (value: string, maxAgeSeconds: number, https: boolean): string =>
  `${https ? secureName : plainName}=${value}; Path=/; Max-Age=${maxAgeSeconds}; HttpOnly; SameSite=Strict${https ? "; Secure" : ""}`;

export function readCookies(header = ""): string[] {
  return header.split(";").flatMap((pair) => {
    const at = pair.indexOf("=");
    const name = pair.slice(0, at).trim();
    return name === secureName || name === plainName ? [pair.slice(at + 1).trim()] : [];
  });
}
