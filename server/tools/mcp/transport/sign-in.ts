import type { OAuthClientProvider } from "@modelcontextprotocol/client";
import { ApiError } from "../../../../protocol/errors.ts";
import type { Seal } from "../../../lib/seal.ts";
import { removeInvisible } from "../clean-text.ts";
import { openSealed, type SignInStorage, type SignInKey, type SignIn } from "./sign-in-storage.ts";
import type { WebFetch } from "./web-fetch.ts";

type Options = { readonly storage: SignInStorage; readonly seal: Seal; readonly callbackUrl: string };

/** Encrypted into the OAuth `state`, so that the callback reliably identifies the sign-in it belongs to. */
type Ticket = { readonly userId: string; readonly server: string };

/** The parameters with which the browser returned. `iss`: the authorization server that answered, which has to be the right one. */
export type SignInAnswer = { readonly state: string; readonly code: string; readonly iss?: string | undefined };

export type SignIns = {
  /** Returns the provider of a connection: it uses and refreshes tokens but never starts a sign-in. Undefined before the first sign-in. */
  readonly findProvider: (key: SignInKey) => Promise<OAuthClientProvider | undefined>;
  /** Returns the URL at which the user signs in, to be opened in their browser. */
  readonly start: (key: SignInKey, fetch: WebFetch) => Promise<string>;
  /** The server a ticket is for. Throws if it belongs to another user. */
  readonly readTicket: (userId: string, state: string) => string;
  readonly finish: (key: SignInKey, answer: SignInAnswer, fetch: WebFetch) => Promise<void>;
  /** A call lacked these rights. */
  readonly requestScope: (key: SignInKey, scope: string) => Promise<void>;
  readonly forget: (key: SignInKey) => Promise<void>;
};

export function createSignIns({ storage, seal, callbackUrl }: Options): SignIns {
  const createProvider = (key: SignInKey, onAddress: (address: URL) => void): OAuthClientProvider => {
    const find = (): Promise<SignIn> => storage.find(key);
    const change = async (what: Partial<SignIn>): Promise<void> => storage.put(key, { ...(await find()), ...what });
    return {
      redirectUrl: callbackUrl,
      clientMetadata: {
        client_name: "Stonechat",
        redirect_uris: [callbackUrl],
        grant_types: ["authorization_code", "refresh_token"],
        response_types: ["code"],
        token_endpoint_auth_method: "none",
      },
      state: async () => {
        const ticket: Ticket = { userId: key.userId, server: key.settings.name };
        const state = seal.encrypt(JSON.stringify(ticket));
        await change({ state });
        return state;
      },
      clientInformation: async () => (await find()).client,
      saveClientInformation: (client) => change({ client }),
      tokens: async () => (await find()).tokens,
      saveTokens: (tokens) => change({ tokens }),
      redirectToAuthorization: (address) => onAddress(address),
      saveCodeVerifier: (verifier) => change({ verifier }),
      codeVerifier: async () => (await find()).verifier ?? "",
      saveDiscoveryState: (discovery) => change({ discovery }),
      discoveryState: async () => (await find()).discovery,
      invalidateCredentials: async (scope) => {
        const known = await find();
        await storage.put(key, scope === "all" ? { v: 1, url: known.url } : without(known, scope));
      },
    };
  };

  const start: SignIns["start"] = async (key, fetch) => {
    const { auth, computeScopeUnion, extractWWWAuthenticateParams } = await loadAuth();
    let found: URL | undefined;
    const provider = createProvider(key, (address) => void (found = address));
    const { url, name } = key.settings;
    const known = await storage.find(key);
    await storage.put(key, without(without(known, "tokens"), "discovery"));
    // The 401 response says where to sign in.
    const unauthorized = await fetch(url, { method: "POST", headers: { accept: "application/json" }, body: "{}" });
    await unauthorized.body?.cancel();
    const { resourceMetadataUrl, scope: asked } = extractWWWAuthenticateParams(unauthorized);
    const scope = known.scope === undefined ? asked : computeScopeUnion(asked, known.tokens?.scope, known.scope);
    await auth(provider, {
      serverUrl: url,
      fetchFn: fetch,
      ...(resourceMetadataUrl ? { resourceMetadataUrl } : {}),
      ...(scope ? { scope } : {}),
    }).catch((error: unknown) => refuse(name, error));
    if (!found || !/^https?:$/.test(found.protocol))
      throw new ApiError("unavailable", `${name} did not provide a sign-in URL.`);
    return found.href;
  };

  return {
    findProvider: async (key) => {
      const { tokens } = await storage.find(key);
      return tokens ? createProvider(key, () => {}) : undefined;
    },
    start,
    readTicket: (userId, state) => {
      const ticket = openSealed<Ticket>(seal, state);
      if (ticket?.userId !== userId) throw new ApiError("forbidden", "This sign-in was not started by you.");
      return ticket.server;
    },
    finish: async (key, { state, code, iss }, fetch) => {
      const known = await storage.find(key);
      if (known.state !== state) throw new ApiError("conflict", "This sign-in has expired. Start it again.");
      await storage.put(key, without(known, "state"));
      const provider = createProvider(key, () => {});
      const { auth } = await loadAuth();
      await auth(provider, {
        serverUrl: key.settings.url,
        authorizationCode: code,
        fetchFn: fetch,
        ...(iss ? { iss } : {}),
      }).catch((error: unknown) => refuse(key.settings.name, error));
      await storage.put(key, without(await storage.find(key), "verifier"));
    },
    requestScope: async (key, scope) => storage.put(key, { ...(await storage.find(key)), scope }),
    forget: (key) => storage.put(key, { v: 1, url: key.settings.url }),
  };
}

/** The authorization server belongs to others, so its failures are not bugs. */
function refuse(server: string, error: unknown): never {
  const text = removeInvisible(error instanceof Error ? error.message : String(error)).slice(0, 300);
  throw new ApiError("unavailable", `The sign-in to ${server} failed: ${text}`);
}

/** Loaded on demand to keep startup fast. */
const loadAuth = () => import("@modelcontextprotocol/client");

const without = (signIn: SignIn, name: "client" | "tokens" | "discovery" | "verifier" | "state"): SignIn =>
  Object.fromEntries(Object.entries(signIn).filter(([key]) => key !== name)) as SignIn;
