import { isPublic, parseIp } from "./address.ts";

const localEndings = [".localhost", ".local", ".internal", ".lan", ".home.arpa"];

/**
 * Whether a model server is on the user's network: loopback, a private address, or a name that only a private network
 * resolves (one label, or a reserved suffix). The name is not resolved, so the result does not depend on DNS.
 */
export function isLocalAddress(url: string): boolean {
  const host = toHost(url);
  if (host === undefined) return false;
  const ip = parseIp(host);
  if (ip !== undefined) return !isPublic(ip);
  return !host.includes(".") || localEndings.some((ending) => host.endsWith(ending));
}

/** A model on this machine is free. Any other address may charge. */
export const isLoopbackAddress = (url: string): boolean =>
  /^(localhost|127\.\d+\.\d+\.\d+|::1)$/.test(toHost(url) ?? "");

const toHost = (url: string): string | undefined =>
  URL.canParse(url) ? new URL(url).hostname.replace(/^\[|\]$|\.$/g, "").toLowerCase() : undefined;
