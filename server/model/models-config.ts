import type { KeyedProvider } from "./keyed-providers.ts";
import type { Script } from "./scripted.ts";

/** A server with an OpenAI-compatible API. */
export type CompatibleServer = {
  /** The name that the user gave it. Unset: its host. */
  readonly label?: string | undefined;
  readonly baseUrl: string;
  readonly apiKey?: string | undefined;
  /** Sent with every request. */
  readonly headers?: Readonly<Record<string, string>> | undefined;
  /** If empty, the models in the server's own list. */
  readonly models?: readonly string[] | undefined;
  /** Used instead of the providers' fetch. */
  readonly fetch?: typeof globalThis.fetch | undefined;
};

/** The user's settings of one model. */
export type ModelSettings = {
  readonly isFavorite: boolean;
  /** Overrides every other source; null: not set. */
  readonly windowTokens: number | null;
  readonly temperature: number | null;
  readonly topP: number | null;
  readonly vision: boolean | null;
};

/**
 * The part of the operator's settings that this module needs. `server/config` reads it from the environment; fields accept
 * `undefined` so that an unset variable can be passed on.
 */
export type ModelsConfig = {
  readonly keys: { readonly [provider in KeyedProvider]?: string | undefined };
  /** Set by the operator. */
  readonly compatible?: CompatibleServer | undefined;
  /** Servers added in the settings, by id. */
  readonly servers?: Readonly<Record<string, CompatibleServer>> | undefined;
  /** Deployments and models that users named, for providers without a list of them. */
  readonly names?: { readonly [provider in KeyedProvider]?: readonly string[] | undefined } | undefined;
  /** Used instead of the platform's fetch, for addresses that users set. */
  readonly fetches?: { readonly [provider in KeyedProvider]?: typeof globalThis.fetch | undefined } | undefined;
  /** The operator's choice. It is used even if it cannot be, so that the error is visible. */
  readonly defaultModel?: string | undefined;
  /** The user's choice, used if the operator made none and it is available. */
  readonly chosenDefault?: string | undefined;
  /** Providers whose last test succeeded. */
  readonly proven?: readonly string[] | undefined;
  readonly settings?: Readonly<Record<string, ModelSettings>> | undefined;
  /** Tried in this order after any model. Unset: models of the same provider that cost no more. */
  readonly fallbacks?: readonly string[] | undefined;
  readonly timeouts?: Timeouts | undefined;
  /** Other addresses of the keyed providers, for a proxy or a test server. */
  readonly baseUrls?: { readonly [provider in KeyedProvider]?: string | undefined } | undefined;
  /** HTTP proxy for calls to providers that are not on the local network. */
  readonly proxy?: string | undefined;
  /** Where to look for model servers on this machine, by id. Empty: nowhere. */
  readonly localUrls?: Readonly<Record<string, string>> | undefined;
  /** Milliseconds between the offline model's words. */
  readonly offlinePaceMs?: number | undefined;
  /** Used only by tests: `directives` takes the script from the user's message; a function is the script. */
  readonly scripted?: "directives" | Script | undefined;
  /** Read windows and prices from the providers' lists in the background. Off by default. */
  readonly refresh?: boolean | undefined;
};

/** Timeouts of one model call, in milliseconds. */
export type Timeouts = {
  /** Silence before the first token. The default is longer for a self-hosted server. */
  readonly firstMs?: number | undefined;
  /** Silence after it. */
  readonly idleMs?: number | undefined;
  readonly totalMs?: number | undefined;
  /** How long a server may report that it is loading its model. */
  readonly loadMs?: number | undefined;
  /** Silence after which the user sees what a call to a self-hosted server is waiting for. */
  readonly noticeAfterMs?: number | undefined;
};

/** The OpenAI-compatible servers by id. The operator's is `compatible`. */
export const listServers = ({
  compatible,
  servers,
}: ModelsConfig): readonly (readonly [string, CompatibleServer])[] => [
  ...(compatible === undefined ? [] : [["compatible", compatible] as const]),
  ...Object.entries(servers ?? {}).filter(([id]) => id !== "compatible" || compatible === undefined),
];
