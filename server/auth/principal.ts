import { ApiError } from "../../protocol/errors.ts";
import type { Role } from "../../protocol/roles.ts";
import type { Scope } from "../../protocol/scopes.ts";

/** The authenticated user. Without accounts there is only `local`, who is an admin. */
export type Principal = {
  readonly userId: string;
  /** Default: member. */
  readonly role?: Role;
  /** The client's address, for the audit log. Only with accounts. */
  readonly address?: string;
  /** The session used, if any; its streams end with it. */
  readonly session?: string;
  /** The API key used, if any. It limits the request to its scopes, and its streams end with it. */
  readonly key?: { readonly id: string; readonly hash: string; readonly scopes: readonly Scope[] };
  /** The program that acts for the user, as a name of an untrusted source. Text that it writes is labelled with it. */
  readonly via?: string;
};

/** Begins `session` of a user whom a trusted proxy has signed in, before the user's id. No hash of a session contains a colon. */
export const PROXY_SESSION = "proxy:";

/** Whether a trusted proxy names the user, so that the request has no credentials of Stonechat. */
export const isByProxy = ({ session }: Principal): boolean => session?.startsWith(PROXY_SESSION) ?? false;

/** Hash of the session or key that the request uses. Its open responses end with it. */
export const toSession = ({ session, key }: Principal): string | undefined => session ?? key?.hash;

/** Hash of the session of a browser that is signed in to this server. Throws for API keys and users of a proxy, who have none. */
export function getBrowserSession(principal: Principal): string {
  if (principal.session !== undefined && !isByProxy(principal)) return principal.session;
  throw new ApiError(
    "invalid",
    "Only a browser that is signed in to this server can do this. Open its settings there.",
  );
}

/** Throws unless the user has the role that a route needs. */
export function assertRole({ role = "member" }: Principal, needed: Role): void {
  if (needed === "member" || role === "admin") return;
  throw new ApiError("forbidden", "Only admins of this server can do this. Ask one of them.");
}
