import type { Script } from "./scripted.ts";

/** Providers that need a key. `compatible` is any OpenAI-compatible URL that the operator sets. */
export type KeyedProvider = "openrouter" | "openai" | "anthropic" | "google";

/**
 * The part of the operator's settings that this module needs. `server/config` reads it from the environment; fields accept
 * `undefined` so that an unset variable can be passed on.
 */
export type ModelsConfig = {
  readonly keys: { readonly [provider in KeyedProvider]?: string | undefined };
  readonly compatible?:
    | {
        readonly baseUrl: string;
        readonly apiKey?: string | undefined;
        /** If empty, the models in the server's own list. */
        readonly models?: readonly string[] | undefined;
        /** Used instead of the providers' fetch. */
        readonly fetch?: typeof globalThis.fetch | undefined;
      }
    | undefined;
  readonly defaultModel?: string | undefined;
  /** Tried in this order after any model. Unset: models of the same provider that cost no more. */
  readonly fallbacks?: readonly string[] | undefined;
  readonly timeouts?: Timeouts | undefined;
  /** Other addresses of the keyed providers, for a proxy or a test server. */
  readonly baseUrls?: { readonly [provider in KeyedProvider]?: string | undefined } | undefined;
  /** Milliseconds between the offline model's words. */
  readonly offlinePaceMs?: number | undefined;
  /** For tests only: `directives` takes the script from the user's message; a function is the script. */
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
