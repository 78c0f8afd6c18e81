import type { RequestHead } from "./guard.ts";

type Options = {
  /** The address that browsers use, if it is known. */
  readonly publicUrl: string;
  /** Whether this address is a trusted proxy. */
  readonly isProxy: (address: string) => boolean;
};

const HOST_PREFIX = "__Host-";
const OURS = "stonechat-";

/**
 * Reads the `Cookie` header without cookies of ours that another site may have set. A site on a sibling domain can set a cookie
 * for the parent domain, which browsers send here too; they let no other host set one that begins with `__Host-`, and that needs TLS.
 */
export function createOwnCookies({ publicUrl, isProxy }: Options) {
  const publicHost = publicUrl.startsWith("https:") ? new URL(publicUrl).hostname : null;

  /** Whether the browser connected over TLS, as far as the public address says. The network's own addresses may be used without. */
  const isPublic = ({ header, socketAddress }: RequestHead): boolean => {
    if (publicHost === null) return false;
    const host = header("host")?.toLowerCase() ?? "";
    return host.replace(/:\d+$/, "") === publicHost || isProxy(socketAddress ?? "");
  };

  return {
    /** Whether cookies for this browser are set with `Secure` and their `__Host-` name. */
    isHttps: (head: RequestHead): boolean =>
      isPublic(head) || (head.header("origin")?.toLowerCase().startsWith("https:") ?? false),

    read: (head: RequestHead): string | undefined => {
      const given = head.header("cookie");
      if (given === undefined) return undefined;
      const pairs = given.split(";").map((pair) => pair.trim());
      const names = new Set(pairs.map(toName));
      const isSecure = isPublic(head);
      const isRead = (name: string): boolean =>
        !name.startsWith(OURS) || (!isSecure && !names.has(`${HOST_PREFIX}${name}`));
      return pairs.filter((pair) => isRead(toName(pair))).join("; ");
    },
  };
}

export type OwnCookies = ReturnType<typeof createOwnCookies>;

const toName = (pair: string): string => pair.slice(0, Math.max(0, pair.indexOf("="))).trim();
