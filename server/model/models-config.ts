import type { Script } from "./scripted.ts";

/** Providers reached with a key of their own. `compatible` is any OpenAI-compatible URL the operator names. */
export type KeyedProvider = "openrouter" | "openai" | "anthropic" | "google";

/**
 * What this room needs to know of the operator's settings. `server/config` makes it from the environment; the fields
 * take `undefined` so that an unset variable can be passed as it is.
 */
export type ModelsConfig = {
  readonly keys: { readonly [provider in KeyedProvider]?: string | undefined };
  readonly compatible?:
    | {
        readonly baseUrl: string;
        readonly apiKey?: string | undefined;
        /** Named here, or asked of the URL's own list when empty. */
        readonly models?: readonly string[] | undefined;
        /** The way to it, where it is another than to the providers. */
        readonly fetch?: typeof globalThis.fetch | undefined;
      }
    | undefined;
  readonly defaultModel?: string | undefined;
  /** Tried in this order after any model. Unset: the same provider's own models that cost no more. */
  readonly fallbacks?: readonly string[] | undefined;
  readonly timeouts?: Timeouts | undefined;
  /** Other addresses for the keyed providers: a proxy of the operator's, or a test's loopback server. */
  readonly baseUrls?: { readonly [provider in KeyedProvider]?: string | undefined } | undefined;
  /** Milliseconds between the offline model's words. */
  readonly offlinePaceMs?: number | undefined;
  /** For tests only: `directives` obeys what the person's message says, a function plays its own script. */
  readonly scripted?: "directives" | Script | undefined;
  /** Ask the providers' own lists for windows and prices, in the background. Off unless set. */
  readonly refresh?: boolean | undefined;
};

/** Of one model call, in milliseconds. */
export type Timeouts = {
  /** Silence before the first token. Unset: longer for a server of the operator's own. */
  readonly firstMs?: number | undefined;
  /** Silence after it. */
  readonly idleMs?: number | undefined;
  readonly totalMs?: number | undefined;
  /** How long a server may say that it is loading its model. */
  readonly loadMs?: number | undefined;
  /** Silence after which the user is told what a call to a self-hosted server is waiting for. */
  readonly tellAfterMs?: number | undefined;
};
