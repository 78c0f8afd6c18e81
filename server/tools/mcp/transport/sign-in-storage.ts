import type {
  OAuthDiscoveryState,
  StoredOAuthClientInformation,
  StoredOAuthTokens,
} from "@modelcontextprotocol/client";
import type { Seal } from "../../../lib/seal.ts";
import type { Log } from "../../../log/log.ts";
import type { Reads } from "../../../store/contract.ts";
import type { HttpSettings } from "../mcp-file.ts";

/** One user's sign-in at one server. Stored encrypted. */
export type SignIn = {
  readonly v: 1;
  /** The server it belongs to. It is never sent to another URL. */
  readonly url: string;
  readonly client?: StoredOAuthClientInformation;
  readonly tokens?: StoredOAuthTokens;
  readonly discovery?: OAuthDiscoveryState;
  /** Rights that a call lacked. The next sign-in asks for them. */
  readonly scope?: string;
  /** Set while a sign-in is in progress. */
  readonly verifier?: string;
  readonly state?: string;
};

export type SignInKey = { readonly userId: string; readonly settings: HttpSettings };

export type SignInStorage = {
  /** Returns an empty sign-in if there is none. */
  readonly find: (key: SignInKey) => Promise<SignIn>;
  readonly put: (key: SignInKey, signIn: SignIn) => Promise<void>;
};

export type StorageOptions = {
  readonly read: Pick<Reads, "meta">;
  readonly log: Pick<Log, "commit">;
  readonly seal: Seal;
};

export function createSignInStorage({ read, log, seal }: StorageOptions): SignInStorage {
  const metaKey = ({ userId, settings }: SignInKey): string => `mcp-sign-in:${JSON.stringify([userId, settings.name])}`;
  return {
    find: async (key) => {
      const sealed = await read.meta(metaKey(key));
      const stored = sealed ? openSealed<SignIn>(seal, sealed) : undefined;
      return stored?.url === key.settings.url ? stored : { v: 1, url: key.settings.url };
    },
    put: async (key, signIn) => {
      const row = { key: metaKey(key), value: seal.encrypt(JSON.stringify(signIn)) };
      await log.commit({ events: [], writes: [{ do: "put", table: "meta", row }] });
    },
  };
}

/** Returns undefined if the value was encrypted with another key. */
export function openSealed<T>(seal: Seal, sealed: string): T | undefined {
  try {
    return JSON.parse(seal.decrypt(sealed)) as T;
  } catch {
    return undefined;
  }
}
