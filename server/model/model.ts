import type { ModelEvent, ModelFailure, ModelRequest } from "../../protocol/model.ts";
import type { ModelInfo } from "../../protocol/api.ts";

/**
 * The contract of a model: streams events that end with exactly one `finish` or `failed`. It never throws and never
 * outlives its signal. The run does retries and fallbacks and records each attempt (`fallback.ts` decides). The one
 * exception is a server that is still loading its model: it is called again within the same call.
 */
export type Model = {
  readonly info: ModelInfo;
  readonly stream: (request: ModelRequest, signal: AbortSignal, options?: StreamOptions) => AsyncIterable<ModelEvent>;
  /** Calls are made with a key that belongs to the user, who pays the provider for them. */
  readonly usesOwnKey?: true;
  /** Whether reasoning of an earlier step is sent again. Models without this method send all of it. */
  readonly sendsReasoning?: (part: { readonly text: string; readonly provider?: unknown }) => boolean;
};

/**
 * `isBackground`: failures do not count against calls that a user waits for. `isAskedFor`: a user has just asked for the
 * call, so it is tried even while the breaker is open.
 */
type StreamOptions = { readonly isBackground?: boolean; readonly isAskedFor?: boolean };

/** All models of this instance. `find` returns undefined for an unknown id. */
export type Models = {
  readonly list: () => readonly ModelInfo[];
  readonly find: (id: string) => Model | undefined;
  /** Whether it runs on this machine or in the private network. Threads on such a model are never sent elsewhere. */
  readonly isLocal: (id: string) => boolean;
  /** Used if neither the message nor the thread names a model. */
  readonly defaultId: string;
  /** The models to try after this one, in order. Never a paid model after a free one. */
  readonly fallbacks: (id: string) => readonly string[];
  /** Whether the server rejected tools recently: prompts for this model then have none. */
  readonly lacksTools: (id: string) => boolean;
  readonly noteNoTools: (id: string) => void;
  /** Reads failed model lists again, with a back-off. Waits at most two seconds. */
  readonly refresh: () => Promise<void>;
  /** Reads the model list of one provider again. */
  readonly reload: (provider: string) => Promise<void>;
  readonly close: () => void;
  /** The models as this user has them: with the user's own keys where there are any. */
  readonly forUser: (userId: string) => Models;
};

export type Attempt = {
  readonly model: string;
  readonly failure: ModelFailure;
  /** Whether part of the answer had been shown. */
  readonly hadOutput: boolean;
};

/** Prices of models that are not in the price table. */
export const unknownPrices = { input: null, output: null, cacheRead: null, cacheWrite: null };
