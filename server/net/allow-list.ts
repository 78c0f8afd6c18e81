import { isIP } from "node:net";
import { findTranslated, isPublic, isWithin, parseIp, parseRange, type Ip, type Range } from "./address.ts";

/** Allowed targets: every public address, and the operator's exceptions. */
export type AllowList = {
  /** The operator listed this name; its addresses are not checked. */
  readonly hasName: (name: string, port: number) => boolean;
  readonly allows: (ip: Ip, port: number) => boolean;
};

type Entry = { readonly port: number | null } & ({ readonly name: string } | { readonly range: Range });

export function createAllowList(texts: readonly string[]): AllowList {
  const entries = texts.map(toEntry);
  const isListed = (ip: Ip, port: number): boolean =>
    entries.some((entry) => "range" in entry && isWithin(entry.range, ip) && isPort(entry, port));
  const allows = (ip: Ip, port: number): boolean => {
    if (!isPublic(ip) && !isListed(ip, port)) return false;
    // A translating network may be allowed as a whole; the addresses behind it are still checked.
    const translated = findTranslated(ip);
    return translated === undefined || allows(translated, port);
  };
  return {
    hasName: (name, port) => entries.some((entry) => "name" in entry && entry.name === name && isPort(entry, port)),
    allows,
  };
}

const isPort = (entry: Entry, port: number): boolean => entry.port === null || entry.port === port;

function toEntry(text: string): Entry {
  const range = parseRange(text);
  if (range !== undefined) return { range, port: null };
  const [, host = "", port] = /^(\[[^\]]+\]|[^:/\s@*?#%]+)(?::(\d{1,5}))?$/.exec(text) ?? [];
  const name = URL.canParse(`http://${host}/`) ? normalizeHost(new URL(`http://${host}/`)) : "";
  if (name === "")
    throw new Error(`"${text}" is not a host, address or range. Write name, name:port, address or CIDR.`);
  const ip = parseIp(name);
  const at = port === undefined ? null : Number(port);
  return ip === undefined ? { name, port: at } : { range: { ...ip, length: ip.bits }, port: at };
}

/** Normalized host of a URL: without a trailing dot, and without the brackets of an IPv6 address. */
export function normalizeHost(url: URL): string {
  const name = url.hostname.replace(/\.$/, "");
  const inner = name.replace(/^\[|\]$/g, "");
  return isIP(inner) === 6 ? inner : name;
}
