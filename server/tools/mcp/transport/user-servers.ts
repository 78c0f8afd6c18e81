import { ApiError } from "../../../../protocol/errors.ts";
import { openSealed, type StorageOptions } from "./sign-in-storage.ts";
import { TIMEOUT_MS, type HttpSettings } from "../mcp-file.ts";

/** Servers that a user added: URLs only, never programs, and never trusted. */
type UserServers = {
  readonly list: (userId: string) => Promise<readonly HttpSettings[]>;
  readonly add: (userId: string, server: UserServer) => Promise<void>;
  readonly remove: (userId: string, name: string) => Promise<void>;
};

export type UserServer = {
  readonly name: string;
  readonly url: string;
  /** Stored encrypted with the rest. */
  readonly headers?: Readonly<Record<string, string>> | undefined;
};

const MAX_SERVERS = 20;
const namePattern = /^[a-zA-Z0-9][a-zA-Z0-9_-]{0,29}$/;

export function createUserServers({ read, log, seal }: StorageOptions): UserServers {
  const keyOf = (userId: string): string => `mcp-servers:${userId}`;
  const find = async (userId: string): Promise<readonly UserServer[]> => {
    const sealed = await read.meta(keyOf(userId));
    return (sealed && openSealed<{ readonly servers: readonly UserServer[] }>(seal, sealed)?.servers) || [];
  };
  const put = async (userId: string, servers: readonly UserServer[]): Promise<void> => {
    const row = { key: keyOf(userId), value: seal.encrypt(JSON.stringify({ v: 1, servers })) };
    await log.commit({ events: [], writes: [{ do: "put", table: "meta", row }] });
  };
  return {
    list: async (userId) =>
      (await find(userId)).map((server) => ({
        ...server,
        kind: "http",
        isOwn: true,
        headers: server.headers ?? {},
        trust: false,
        timeoutMs: TIMEOUT_MS,
      })),
    add: async (userId, { name, url, headers = {} }) => {
      if (!namePattern.test(name))
        throw new ApiError(
          "invalid",
          "A server name has 1 to 30 letters, digits, - and _, and starts with a letter or digit.",
        );
      if (!isSafe(url)) throw new ApiError("invalid", "A server URL must start with https://.");
      const others = (await find(userId)).filter((one) => one.name !== name);
      if (others.length >= MAX_SERVERS)
        throw new ApiError("too-large", `You already have ${MAX_SERVERS} servers. Remove one first.`);
      await put(userId, [...others, { name, url, headers }]);
    },
    remove: async (userId, name) =>
      put(
        userId,
        (await find(userId)).filter((one) => one.name !== name),
      ),
  };
}

/** Plain http only for this machine, which the operator must also allow. */
function isSafe(text: string): boolean {
  if (!URL.canParse(text)) return false;
  const { protocol, hostname, username, password } = new URL(text);
  const isLocal = /^(localhost|127\.0\.0\.1|\[::1\])$/.test(hostname);
  return username === "" && password === "" && (protocol === "https:" || (protocol === "http:" && isLocal));
}
