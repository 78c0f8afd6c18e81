import type { OAuthClientInformationMixed, OAuthTokens } from "@modelcontextprotocol/sdk/shared/auth.js";
import type { OAuthDiscoveryState } from "@modelcontextprotocol/sdk/client/auth.js";
import type { Seal } from "../../../lib/seal.ts";
import type { Log } from "../../../log/log.ts";
import type { Reads } from "../../../store/contract.ts";
import type { HttpSettings } from "../mcp-file.ts";

/** What one person's sign-in at one server consists of; sealed wherever it is kept. */
export type SignIn = {
  readonly v: 1;
  /** The server it is for: to another address nothing of it is sent. */
  readonly url: string;
  readonly client?: OAuthClientInformationMixed;
  readonly tokens?: OAuthTokens;
  readonly discovery?: OAuthDiscoveryState;
  /** Of a sign-in under way. */
  readonly verifier?: string;
  readonly state?: string;
};

export type SignInKey = { readonly userId: string; readonly settings: HttpSettings };

export type SignInStorage = {
  /** Empty when there is none. */
  readonly find: (place: SignInKey) => Promise<SignIn>;
  readonly put: (place: SignInKey, signIn: SignIn) => Promise<void>;
};

export type StorageOptions = {
  readonly read: Pick<Reads, "meta">;
  readonly log: Pick<Log, "commit">;
  readonly seal: Seal;
};

export function createSignInStorage({ read, log, seal }: StorageOptions): SignInStorage {
  const keyOf = ({ userId, settings }: SignInKey): string => `mcp-sign-in:${JSON.stringify([userId, settings.name])}`;
  return {
    find: async (place) => {
      const sealed = await read.meta(keyOf(place));
      const kept = sealed ? openSealed<SignIn>(seal, sealed) : undefined;
      return kept?.url === place.settings.url ? kept : { v: 1, url: place.settings.url };
    },
    put: async (place, signIn) => {
      const row = { key: keyOf(place), value: seal.encrypt(JSON.stringify(signIn)) };
      await log.commit({ events: [], writes: [{ do: "put", table: "meta", row }] });
    },
  };
}

/** Sealed with another key, it is lost, and nothing else is. */
export function openSealed<T>(seal: Seal, sealed: string): T | undefined {
  try {
    return JSON.parse(seal.decrypt(sealed)) as T;
  } catch {
    return undefined;
  }
}
