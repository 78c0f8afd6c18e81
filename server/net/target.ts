import { lookup } from "node:dns/promises";
import { parseIp, isPublic, type Ip } from "./address.ts";
import { normalizeHost, type AllowList } from "./allow-list.ts";
import { NetError } from "./net-error.ts";

/** A resolved URL. All addresses were checked, and only they are connected to. */
export type Target = {
  readonly url: URL;
  /** A host name in lower case, or an address without brackets. */
  readonly name: string;
  readonly port: number;
  readonly addresses: readonly string[];
  /** Allowed by an exception of the operator: it is in the local network, so the proxy is not used. */
  readonly isPrivate: boolean;
};

export type Resolve = (name: string) => Promise<readonly string[]>;

const LONGEST_URL = 8192;

/** Ports of other protocols that an HTTP request could attack: those that browsers refuse. */
const badPorts = new Set(
  (
    "0 1 7 9 11 13 15 17 19 20 21 22 23 25 37 42 43 53 69 77 79 87 95 101 102 103 104 109 110 111 113 115 117 119 123 " +
    "135 137 139 143 161 179 389 427 465 512 513 514 515 526 530 531 532 540 548 554 556 563 587 601 636 989 990 993 " +
    "995 1719 1720 1723 2049 3659 4045 4190 5060 5061 6000 6566 6665 6666 6667 6668 6669 6679 6697 10080"
  )
    .split(" ")
    .map(Number),
);

/** Parses once; the result is used for connecting, so no second parser can read it differently. */
export function parseUrl(text: string, from?: URL): URL {
  const url = text.length <= LONGEST_URL && URL.canParse(text, from?.href) ? new URL(text, from) : undefined;
  if (url === undefined) throw new NetError("bad-url", "This is not a valid URL.");
  if (url.protocol !== "http:" && url.protocol !== "https:")
    throw new NetError("bad-url", "Only http and https URLs can be opened.");
  if (url.username !== "" || url.password !== "")
    throw new NetError("bad-url", "A URL with a user name or password cannot be opened.");
  if (url.hostname.endsWith(".")) url.hostname = url.hostname.slice(0, -1);
  if (normalizeHost(url) === "") throw new NetError("bad-url", "This URL has no host.");
  return url;
}

/** Resolves the name once; a single disallowed address is enough to refuse it. */
export async function locate(url: URL, allowed: AllowList, resolve: Resolve): Promise<Target> {
  const name = normalizeHost(url);
  const port = toPort(url);
  if (badPorts.has(port))
    throw new NetError("blocked", `Port ${port} belongs to another protocol and cannot be opened.`);
  const isNamed = allowed.hasName(name, port);
  if (!isNamed && /(^|\.)localhost$/.test(name)) throw refuse(name);
  const addresses = parseIp(name) ? [name] : await resolveAll(name, resolve);
  const ips = addresses.map(parseIp).filter((ip): ip is Ip => ip !== undefined);
  const isAllowed = ips.length === addresses.length && (isNamed || ips.every((ip) => allowed.allows(ip, port)));
  if (!isAllowed) throw refuse(name);
  return { url, name, port, addresses, isPrivate: !ips.every(isPublic) };
}

const toPort = ({ port, protocol }: URL): number => (port === "" ? (protocol === "https:" ? 443 : 80) : Number(port));

/** The address is not included: it could reveal the network to the owner of the name. */
const refuse = (name: string): NetError =>
  new NetError("blocked", `${name} is not on the public internet, so it cannot be opened.`);

async function resolveAll(name: string, resolve: Resolve): Promise<readonly string[]> {
  const addresses = await resolve(name).catch((cause: unknown) => {
    throw new NetError("dns", `The host name ${name} could not be resolved.`, { cause });
  });
  if (addresses.length === 0) throw new NetError("dns", `The host name ${name} has no address.`);
  return addresses;
}

/** Uses the system resolver, including the hosts file. */
export const systemResolve: Resolve = async (name) =>
  (await lookup(name, { all: true, order: "verbatim" })).map(({ address }) => address);
