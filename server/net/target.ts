import { parseIp, isPublic, type Ip } from "./address.ts";
import { toName, type AllowList } from "./allow-list.ts";
import { NetError } from "./net-error.ts";

/** Where a URL leads, with nothing left to look up: the addresses were all checked, and only they are connected to. */
export type Target = {
  readonly url: URL;
  /** A name in lower case, or an address without brackets. */
  readonly name: string;
  readonly port: number;
  readonly addresses: readonly string[];
  /** Reached by the operator's exception: it is in this network, where a proxy is no help. */
  readonly isPrivate: boolean;
};

export type Resolve = (name: string) => Promise<readonly string[]>;

const LONGEST_URL = 8192;

/** Ports of other protocols that could be talked into something by an HTTP request: those that browsers refuse. */
const badPorts = new Set(
  (
    "0 1 7 9 11 13 15 17 19 20 21 22 23 25 37 42 43 53 69 77 79 87 95 101 102 103 104 109 110 111 113 115 117 119 123 " +
    "135 137 139 143 161 179 389 427 465 512 513 514 515 526 530 531 532 540 548 554 556 563 587 601 636 989 990 993 " +
    "995 1719 1720 1723 2049 3659 4045 4190 5060 5061 6000 6566 6665 6666 6667 6668 6669 6679 6697 10080"
  )
    .split(" ")
    .map(Number),
);

/** One parse decides; the object it gives is what is connected to, so no second parser can read it otherwise. */
export function parseUrl(text: string, from?: URL): URL {
  const url = text.length <= LONGEST_URL && URL.canParse(text, from?.href) ? new URL(text, from) : undefined;
  if (url === undefined) throw new NetError("bad-url", "This is not a URL that can be opened.");
  if (url.protocol !== "http:" && url.protocol !== "https:")
    throw new NetError("bad-url", "Only http and https addresses can be opened.");
  if (url.username !== "" || url.password !== "")
    throw new NetError("bad-url", "A URL with a user name or a password in it is not opened.");
  if (url.hostname.endsWith(".")) url.hostname = url.hostname.slice(0, -1);
  if (toName(url) === "") throw new NetError("bad-url", "This URL names no host.");
  return url;
}

/** Asks the resolver once; one answer that may not be connected to is enough to refuse. */
export async function locate(url: URL, allowed: AllowList, resolve: Resolve): Promise<Target> {
  const name = toName(url);
  const port = toPort(url);
  if (badPorts.has(port)) throw new NetError("blocked", `Port ${port} belongs to another protocol and is not opened.`);
  const isNamed = allowed.hasName(name, port);
  if (!isNamed && /(^|\.)localhost$/.test(name)) throw refuse(name);
  const addresses = parseIp(name) ? [name] : await resolveName(name, resolve);
  const ips = addresses.map(parseIp).filter((ip): ip is Ip => ip !== undefined);
  const isAllowed = ips.length === addresses.length && (isNamed || ips.every((ip) => allowed.allows(ip, port)));
  if (!isAllowed) throw refuse(name);
  return { url, name, port, addresses, isPrivate: !ips.every(isPublic) };
}

const toPort = ({ port, protocol }: URL): number => (port === "" ? (protocol === "https:" ? 443 : 80) : Number(port));

/** The address itself is not told: whoever chose the name could learn the network from it. */
const refuse = (name: string): NetError =>
  new NetError("blocked", `${name} does not lead to the public internet, so it is not opened.`);

async function resolveName(name: string, resolve: Resolve): Promise<readonly string[]> {
  const addresses = await resolve(name).catch((cause: unknown) => {
    throw new NetError("dns", `The name ${name} could not be found.`, { cause });
  });
  if (addresses.length === 0) throw new NetError("dns", `The name ${name} has no address.`);
  return addresses;
}
