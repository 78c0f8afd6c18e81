import type { OAuthClientProvider } from "@modelcontextprotocol/sdk/client/auth.js";
import { ApiError } from "../../../../protocol/errors.ts";
import type { Seal } from "../../../lib/seal.ts";
import { openSealed, type SignInStorage, type SignInKey, type SignIn } from "./sign-in-storage.ts";
import type { WebFetch } from "./web-fetch.ts";

type Options = { readonly kept: SignInStorage; readonly seal: Seal; readonly callbackUrl: string };

/** What the page brings back from the authorization server names, unforgeably, whose sign-in it ends. */
type Ticket = { readonly userId: string; readonly server: string };

export type SignIns = {
  /** For a connection: uses and renews tokens, and never starts a sign-in by itself. Undefined before the first one. */
  readonly findProvider: (place: SignInKey) => Promise<OAuthClientProvider | undefined>;
  /** The address at which the person signs in, to be opened in their browser. */
  readonly start: (place: SignInKey, fetch: WebFetch) => Promise<string>;
  /** The server a ticket is for; refuses one that is not this person's. */
  readonly readTicket: (userId: string, state: string) => string;
  readonly finish: (place: SignInKey, answer: { state: string; code: string }, fetch: WebFetch) => Promise<void>;
  readonly forget: (place: SignInKey) => Promise<void>;
};

export function createSignIns({ kept, seal, callbackUrl }: Options): SignIns {
  const createProvider = (place: SignInKey, onAddress: (address: URL) => void): OAuthClientProvider => {
    const find = (): Promise<SignIn> => kept.find(place);
    const change = async (what: Partial<SignIn>): Promise<void> => kept.put(place, { ...(await find()), ...what });
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
        const ticket: Ticket = { userId: place.userId, server: place.settings.name };
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
        await kept.put(place, scope === "all" ? { v: 1, url: known.url } : without(known, scope));
      },
    };
  };

  const start: SignIns["start"] = async (place, fetch) => {
    const { auth, extractWWWAuthenticateParams } = await loadPackage();
    let found: URL | undefined;
    const provider = createProvider(place, (address) => void (found = address));
    const { url, name } = place.settings;
    await kept.put(place, without(without(await kept.find(place), "tokens"), "discovery"));
    // Its refusal says where to sign in.
    const refusal = await fetch(url, { method: "POST", headers: { accept: "application/json" }, body: "{}" });
    await refusal.body?.cancel();
    const { resourceMetadataUrl, scope } = extractWWWAuthenticateParams(refusal);
    await auth(provider, {
      serverUrl: url,
      fetchFn: fetch,
      ...(resourceMetadataUrl ? { resourceMetadataUrl } : {}),
      ...(scope ? { scope } : {}),
    });
    if (!found || !/^https?:$/.test(found.protocol))
      throw new ApiError("unavailable", `${name} names no address to sign in at.`);
    return found.href;
  };

  return {
    findProvider: async (place) => {
      const { tokens } = await kept.find(place);
      return tokens ? createProvider(place, () => {}) : undefined;
    },
    start,
    readTicket: (userId, state) => {
      const ticket = openSealed<Ticket>(seal, state);
      if (ticket?.userId !== userId) throw new ApiError("forbidden", "This sign-in was not started by you.");
      return ticket.server;
    },
    finish: async (place, { state, code }, fetch) => {
      const known = await kept.find(place);
      if (known.state !== state) throw new ApiError("conflict", "This sign-in is over; start it again.");
      await kept.put(place, without(known, "state"));
      const provider = createProvider(place, () => {});
      const { auth } = await loadPackage();
      await auth(provider, { serverUrl: place.settings.url, authorizationCode: code, fetchFn: fetch });
      await kept.put(place, without(await kept.find(place), "verifier"));
    },
    forget: (place) => kept.put(place, { v: 1, url: place.settings.url }),
  };
}

/** When it is needed: a start does not wait for it. */
const loadPackage = () => import("@modelcontextprotocol/sdk/client/auth.js");

const without = (signIn: SignIn, name: "client" | "tokens" | "discovery" | "verifier" | "state"): SignIn =>
  Object.fromEntries(Object.entries(signIn).filter(([key]) => key !== name)) as SignIn;
