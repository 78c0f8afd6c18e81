import { isIP } from "node:net";
import { ApiError } from "../../protocol/errors.ts";

/** The page that may use a passkey, and the host name that the passkey belongs to. */
export type PasskeySite = { readonly origin: string; readonly id: string };

/** Throws if browsers have no passkeys at this address, or if the operator has set another one. `origin` is the header. */
export function toPasskeySite(origin: string | undefined, publicOrigin: string | null): PasskeySite {
  const given = origin ?? publicOrigin;
  if (given === null || !URL.canParse(given)) {
    throw new ApiError("invalid", "Passkeys work only in a browser. Open this server there.");
  }
  const url = new URL(given);
  if (publicOrigin !== null && url.origin !== publicOrigin) {
    throw new ApiError("invalid", `Passkeys of this server work at ${publicOrigin}. Open it there.`);
  }
  const fault = findFault(url);
  if (fault !== null) throw new ApiError("invalid", fault);
  return { origin: url.origin, id: url.hostname };
}

/** The origin of the operator's address; null if browsers have no passkeys there. Then other addresses may have them. */
export function toPasskeyOrigin(publicUrl: string): string | null {
  const url = new URL(publicUrl);
  return findFault(url) === null ? url.origin : null;
}

function findFault({ hostname, protocol }: URL): string | null {
  if (isIP(hostname.replace(/^\[|\]$/g, "")) !== 0) {
    return "Passkeys do not work at an IP address. Open this server by its name, or as localhost.";
  }
  const isLocal = hostname === "localhost" || hostname.endsWith(".localhost");
  return protocol === "https:" || isLocal ? null : "Passkeys need a connection over https, or localhost.";
}
