import { createHash, createHmac, timingSafeEqual } from "node:crypto";
import { Refusal } from "../../protocol/errors.ts";
import type { Clock } from "../lib/clock.ts";
import { createFailureLimit } from "./failure-limit.ts";
import type { Principal } from "./principal.ts";

/**
 * Credentials in, a principal out; a refusal otherwise. This is the only way to become a principal, for every channel.
 * The principal is the same with and without a token, so an instance that is opened to the network keeps its threads.
 */
export type Credentials = { readonly authorization: string | undefined; readonly cookie: string | undefined };

export type Authentication = {
  readonly kind: "none" | "token";
  readonly authenticate: (credentials: Credentials) => Promise<Principal>;
  /** Exchanges the token for a `Set-Cookie` value. `https`: whether the browser came over TLS. */
  readonly signIn: (token: string, https: boolean) => Promise<{ principal: Principal; cookie: string }>;
  /** `Set-Cookie` values that end the session of the browser they are sent to. */
  readonly signOut: () => readonly string[];
};

type Options = { readonly token: string | null; readonly clock: Clock };

const local: Principal = { userId: "local" };
const sessionSeconds = 30 * 24 * 3600;
const plainName = "stonechat-session";
const secureName = "__Host-stonechat-session";

export function createAuthentication({ token, clock }: Options): Authentication {
  if (token === null) return openToAll;
  const tokenHash = hash(token);
  const failures = createFailureLimit(clock);

  const checkToken = (given: string): Principal => {
    failures.assertAllowed();
    if (timingSafeEqual(hash(given), tokenHash)) return local;
    failures.count();
    throw new Refusal("unauthenticated", "That is not this instance's token.");
  };

  /**
   * A session is its end and a MAC of it under the token: nothing is stored, so it survives a restart and holds on every
   * node. Signing out takes the cookie away from that browser; changing the token ends every session.
   */
  const seal = (endsAt: number): string =>
    `${endsAt}.${createHmac("sha256", token).update(`stonechat-session:${endsAt}`).digest("base64url")}`;

  const isLive = (session: string): boolean => {
    const endsAt = Number(/^(\d{1,15})\./.exec(session)?.[1] ?? 0);
    return timingSafeEqual(hash(session), hash(seal(endsAt))) && endsAt > clock.now();
  };

  return {
    kind: "token",
    authenticate: async ({ authorization, cookie }) => {
      const bearer = /^Bearer +(\S+) *$/i.exec(authorization ?? "")?.[1];
      if (bearer !== undefined) return checkToken(bearer);
      if (readCookies(cookie).some(isLive)) return local;
      throw new Refusal("unauthenticated", "Sign in with this instance's token.");
    },
    signIn: async (given, https) => {
      const principal = checkToken(given);
      return { principal, cookie: toCookie(seal(clock.now() + sessionSeconds * 1000), sessionSeconds, https) };
    },
    signOut: () => [toCookie("", 0, false), toCookie("", 0, true)],
  };
}

const openToAll: Authentication = {
  kind: "none",
  authenticate: async () => local,
  signIn: async () => {
    throw new Refusal("invalid", "This instance needs no sign-in: it has no token.");
  },
  signOut: () => [],
};

/** Hashing first makes any two inputs equally long, which a comparison in constant time asks for. */
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
