import { isWithin, parseIp, parseRange } from "../address.ts";

/**
 * The address of a client. `X-Forwarded-For` is believed only from a proxy that the operator named, and only as far back as
 * such proxies wrote it: the first address that is none of them, from the end.
 */
export function createClientAddress(proxies: readonly string[]) {
  const ranges = proxies.map(parseRange).filter((range) => range !== undefined);
  const isProxy = (address: string): boolean => {
    const ip = parseIp(address.replace(/^::ffff:(?=\d+\.)/i, ""));
    return ip !== undefined && ranges.some((range) => isWithin(range, ip));
  };
  return (socketAddress: string, forwardedFor: string | undefined): string => {
    if (!isProxy(socketAddress)) return socketAddress;
    const chain = (forwardedFor ?? "").split(",").map((text) => text.trim());
    return chain.findLast((address) => parseIp(address) !== undefined && !isProxy(address)) ?? socketAddress;
  };
}
