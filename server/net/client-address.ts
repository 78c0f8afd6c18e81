import { isWithin, parseIp, parseRange } from "./address.ts";

/**
 * The client's address. `X-Forwarded-For` is trusted only from configured proxies: the result is the
 * last entry that is not a trusted proxy.
 */
export function createClientAddress(proxies: readonly string[]) {
  const isProxy = createProxyCheck(proxies);
  return (socketAddress: string, forwardedFor: string | undefined): string => {
    if (!isProxy(socketAddress)) return socketAddress;
    const chain = (forwardedFor ?? "").split(",").map((text) => text.trim());
    return chain.findLast((address) => parseIp(address) !== undefined && !isProxy(address)) ?? socketAddress;
  };
}

/** Returns whether an address is one of these proxies. */
export function createProxyCheck(proxies: readonly string[]) {
  const ranges = proxies.map(parseRange).filter((range) => range !== undefined);
  return (address: string): boolean => {
    const ip = parseIp(address.replace(/^::ffff:(?=\d+\.)/i, ""));
    return ip !== undefined && ranges.some((range) => isWithin(range, ip));
  };
}

/** The key for rate limits: an IPv6 address counts as its /64, because a client there can use any address in it. */
export function toNetwork(address: string): string {
  const plain = address.replace(/^::ffff:(?=\d+\.\d+\.\d+\.\d+$)/i, "");
  if (!plain.includes(":")) return plain;
  const [head = "", tail] = plain.toLowerCase().split("%")[0]?.split("::") ?? [];
  const before = head === "" ? [] : head.split(":");
  const after = tail === undefined || tail === "" ? [] : tail.split(":");
  const zeros =
    tail === undefined ? [] : Array.from({ length: Math.max(0, 8 - before.length - after.length) }, () => "0");
  return `${[...before, ...zeros, ...after]
    .slice(0, 4)
    .map((group) => group.replace(/^0+(?=.)/, ""))
    .join(":")}::/64`;
}
