import { ApiError } from "../../../../protocol/errors.ts";
import { openSealed, type StorageOptions } from "./sign-in-storage.ts";
import { TIMEOUT_MS, type HttpSettings } from "../mcp-file.ts";

/** Servers that a person has added for themselves: addresses only, never a program, and never trusted. */
export type OwnServers = {
  readonly list: (userId: string) => Promise<readonly HttpSettings[]>;
  readonly add: (userId: string, server: OwnServer) => Promise<void>;
  readonly remove: (userId: string, name: string) => Promise<void>;
};

export type OwnServer = { readonly name: string; readonly url: string };

const MAX_SERVERS = 20;
const namePattern = /^[a-zA-Z0-9][a-zA-Z0-9_-]{0,29}$/;

export function createOwnServers({ read, log, seal }: StorageOptions): OwnServers {
  const keyOf = (userId: string): string => `mcp-servers:${userId}`;
  const find = async (userId: string): Promise<readonly OwnServer[]> => {
    const sealed = await read.meta(keyOf(userId));
    return (sealed && openSealed<{ readonly servers: readonly OwnServer[] }>(seal, sealed)?.servers) || [];
  };
  const put = async (userId: string, servers: readonly OwnServer[]): Promise<void> => {
    const row = { key: keyOf(userId), value: seal.encrypt(JSON.stringify({ v: 1, servers })) };
    await log.commit({ events: [], writes: [{ do: "put", table: "meta", row }] });
  };
  return {
    list: async (userId) =>
      (await find(userId)).map((server) => ({
        ...server,
        kind: "http",
        headers: {},
        trust: false,
        timeoutMs: TIMEOUT_MS,
      })),
    add: async (userId, { name, url }) => {
      if (!namePattern.test(name))
        throw new ApiError("invalid", "The name of a server is up to 30 letters, digits, - and _.");
      if (!isSafe(url)) throw new ApiError("invalid", "The address of a server starts with https://.");
      const others = (await find(userId)).filter((one) => one.name !== name);
      if (others.length >= MAX_SERVERS)
        throw new ApiError("too-large", `There are ${MAX_SERVERS} servers already; remove one first.`);
      await put(userId, [...others, { name, url }]);
    },
    remove: async (userId, name) =>
      put(
        userId,
        (await find(userId)).filter((one) => one.name !== name),
      ),
  };
}

/** Without encryption only on this machine, which the operator has to allow besides. */
function isSafe(text: string): boolean {
  if (!URL.canParse(text)) return false;
  const { protocol, hostname, username, password } = new URL(text);
  const isLocal = /^(localhost|127\.0\.0\.1|\[::1\])$/.test(hostname);
  return username === "" && password === "" && (protocol === "https:" || (protocol === "http:" && isLocal));
}
