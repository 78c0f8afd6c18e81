import { isIPv6 } from "node:net";
import { isLocalAddress } from "../../net/check/local-address.ts";

/**
 * The address that a request counts for in limits. A proxy on this machine or network is believed about its client: the
 * last address it names. Hosts choose freely within an IPv6 network of 64 bits, so that counts as one.
 */
export function toClientAddress(remote: string | undefined, forwardedFor: string | undefined): string {
  const peer = (remote ?? "").replace(/^::ffff:(?=\d)/, "");
  const named = forwardedFor?.split(",").at(-1)?.trim() ?? "";
  const isProxy = named !== "" && isLocalAddress(`http://${isIPv6(peer) ? `[${peer}]` : peer}/`);
  const address = isProxy ? named : peer;
  return isIPv6(address) ? toNetwork(address) : address.slice(0, 64);
}

const toNetwork = (address: string): string => {
  const [head = "", tail] = new URL(`http://[${address.replace(/%.*$/s, "")}]/`).hostname.slice(1, -1).split("::");
  const groups = head.split(":").filter(Boolean);
  const rest = tail === undefined ? [] : tail.split(":").filter(Boolean);
  const all = [...groups, ...Array.from({ length: 8 - groups.length - rest.length }, () => "0"), ...rest];
  return `${all.slice(0, 4).join(":")}::/64`;
};
