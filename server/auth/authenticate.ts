import { createHash, timingSafeEqual } from "node:crypto";
import { ApiError } from "../../protocol/errors.ts";
import type { Clock } from "../lib/clock.ts";
import { createFailureLimit } from "./failure-limit.ts";
import type { Principal } from "./principal.ts";
import { SESSION_SECONDS, type Sessions } from "./sessions.ts";

export { createSessions, type Sessions } from "./sessions.ts";

/**
 * Turns credentials into a principal, or throws. This is the only way to get a principal, for every channel. The
 * principal is the same with and without a token, so an instance keeps its threads when it is opened to the network.
 */
type Credentials = {
  readonly authorization: string | undefined;
  readonly cookie: string | undefined;
  /** The client's address, as far as it is known. */
  readonly address: string;
};

export type Authentication = {
  readonly kind: "none" | "token";
  readonly authenticate: (credentials: Credentials) => Promise<Principal>;
  /** Exchanges the token for a `Set-Cookie` value. `https`: whether the browser connected over TLS. */
  readonly signIn: (
    token: string,
    browser: { readonly https: boolean; readonly address: string },
  ) => Promise<{ principal: Principal; cookie: string }>;
  /** Ends the sessions of this `Cookie` header, on every node. `cookies` are the `Set-Cookie` values that clear it. */
  readonly signOut: (
    cookie: string | undefined,
  ) => Promise<{ readonly cookies: readonly string[]; readonly ended: readonly string[] }>;
  /** Returns those of these sessions that have ended, on any node. */
  readonly findEnded: (sessions: readonly string[]) => Promise<readonly string[]>;
};

type Options = { readonly token: string | null; readonly clock: Clock; readonly sessions: Sessions | null };

const local: Principal = { userId: "local" };
const plainName = "stonechat-session";
const secureName = "__Host-stonechat-session";

export function createAuthentication({ token, clock, sessions }: Options): Authentication {
  if (token === null || sessions === null) return openToAll;
  const tokenHash = hash(token);
  const failures = createFailureLimit(clock);

  const checkToken = (given: string, address: string): Principal => {
    failures.assertAllowed(address);
    const givenHash = hash(given);
    if (timingSafeEqual(givenHash, tokenHash)) return local;
    return failures.recordFailure(address, givenHash.toString("base64url"));
  };

  return {
    kind: "token",
    authenticate: async ({ authorization, cookie, address }) => {
      const bearer = /^Bearer +(\S+) *$/i.exec(authorization ?? "")?.[1];
      if (bearer !== undefined) return checkToken(bearer, address);
      const [session] = await sessions.find(readCookies(cookie));
      if (session) return { userId: session.owner, session: session.id_hash };
      throw new ApiError("unauthenticated", "Sign in with this instance's token.");
    },
    signIn: async (given, { https, address }) => {
      const principal = checkToken(given, address);
      const id = await sessions.open(principal.userId);
      return { principal, cookie: toCookie(id, SESSION_SECONDS, https) };
    },
    signOut: async (cookie) => {
      const ended = await sessions.end(readCookies(cookie));
      return {
        cookies: [toCookie("", 0, false), toCookie("", 0, true)],
        ended: ended.map(({ id_hash }) => id_hash),
      };
    },
    findEnded: sessions.findEnded,
  };
}

const openToAll: Authentication = {
  kind: "none",
  authenticate: async () => local,
  signIn: async () => {
    throw new ApiError("invalid", "This instance has no token, so it needs no sign-in.");
  },
  signOut: async () => ({ cookies: [], ended: [] }),
  findEnded: async () => [],
};

/** Hashing makes both inputs the same length, which a constant-time comparison requires. */
const hash = (text: string): Buffer => createHash("sha256").update(text).digest();

const toCookie = (value: string, maxAgeSeconds: number, https: boolean): string =>
  `${https ? secureName : plainName}=${value}; Path=/; Max-Age=${maxAgeSeconds}; HttpOnly; SameSite=Strict${https ? "; Secure" : ""}`;

function readCookies(header = ""): string[] {
  return header.split(";").flatMap((pair) => {
    const at = pair.indexOf("=");
    const name = pair.slice(0, at).trim();
    return name === secureName || name === plainName ? [pair.slice(at + 1).trim()] : [];
  });
}
