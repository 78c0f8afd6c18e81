import { isIP } from "node:net";

/** An address as a number, so that decisions do not depend on its spelling. */
export type Ip = { readonly bits: 32 | 128; readonly value: bigint };
export type Range = Ip & { readonly length: number };

/** Accepts every form that the URL parser or a resolver returns. An address with a zone id is rejected. */
export function parseIp(text: string): Ip | undefined {
  const version = isIP(text);
  if (version === 4) return { bits: 32, value: toNumber(text.split(".").map(Number), 8n) };
  if (version !== 6 || text.includes("%")) return undefined;
  const [head = "", tail] = new URL(`http://[${text}]/`).hostname.slice(1, -1).split("::");
  const [before, after] = [toGroups(head), toGroups(tail ?? "")];
  const zeros = Array.from({ length: 8 - before.length - after.length }, () => 0);
  return { bits: 128, value: toNumber([...before, ...zeros, ...after], 16n) };
}

const toGroups = (text: string): readonly number[] =>
  text === "" ? [] : text.split(":").map((group) => Number.parseInt(group, 16));

const toNumber = (digits: readonly number[], width: bigint): bigint =>
  digits.reduce((sum, digit) => (sum << width) | BigInt(digit), 0n);

/** `address/length`, or a single address. */
export function parseRange(text: string): Range | undefined {
  const [address = "", length, ...more] = text.split("/");
  const ip = parseIp(address);
  if (ip === undefined || more.length > 0) return undefined;
  if (length === undefined) return { ...ip, length: ip.bits };
  return /^\d{1,3}$/.test(length) && Number(length) <= ip.bits ? { ...ip, length: Number(length) } : undefined;
}

export function isWithin(range: Range, ip: Ip): boolean {
  const rest = BigInt(range.bits - range.length);
  return range.bits === ip.bits && range.value >> rest === ip.value >> rest;
}

const ranges = (texts: readonly string[]): readonly Range[] =>
  texts.map((text) => {
    const range = parseRange(text.split(" ")[0] ?? "");
    if (range === undefined) throw new Error(`"${text}" is not a range`);
    return range;
  });

/** IPv4: all addresses except these are public. */
const special4 = ranges([
  "0.0.0.0/8 this network",
  "10.0.0.0/8 private",
  "100.64.0.0/10 shared by carriers",
  "127.0.0.0/8 loopback",
  "168.63.129.16/32 the host of a virtual machine (Azure)",
  "169.254.0.0/16 link-local, cloud metadata",
  "172.16.0.0/12 private",
  "192.0.0.0/24 protocols",
  "192.0.2.0/24 documentation",
  "192.31.196.0/24 AS112",
  "192.52.193.0/24 multicast tunnels",
  "192.88.99.0/24 6to4 relays",
  "192.168.0.0/16 private",
  "192.175.48.0/24 AS112",
  "198.18.0.0/15 benchmarks",
  "198.51.100.0/24 documentation",
  "203.0.113.0/24 documentation",
  "224.0.0.0/4 multicast",
  "240.0.0.0/4 reserved, broadcast",
]);

/**
 * IPv6: only global unicast is public, except these ranges. That excludes loopback, IPv4-mapped and -compatible, NAT64,
 * unique local, link-local, site-local, multicast and discard addresses.
 */
const global6 = ranges(["2000::/3"]);
const special6 = ranges([
  "2001::/23 protocols: Teredo, benchmarks, ORCHID",
  "2001:db8::/32 documentation",
  "2002::/16 6to4",
  "2620:4f:8000::/48 AS112",
  "3fff::/20 documentation",
]);

/** ISATAP embeds an IPv4 address in the second half of any IPv6 address, after 5efe. */
const isIsatap = ({ value }: Ip): boolean => ((value >> 32n) & 0xfdff_ffffn) === 0x5efen;

export function isPublic(ip: Ip): boolean {
  const isIn = (list: readonly Range[]): boolean => list.some((range) => isWithin(range, ip));
  if (ip.bits === 32) return !isIn(special4);
  return isIn(global6) && !isIn(special6) && !isIsatap(ip);
}

const nat64 = ranges(["64:ff9b::/96"]);

/** The IPv4 address that a NAT64 translator would connect to. */
export const findTranslated = (ip: Ip): Ip | undefined =>
  nat64.some((range) => isWithin(range, ip)) ? { bits: 32, value: ip.value & 0xffff_ffffn } : undefined;
