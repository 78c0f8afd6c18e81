import type { ModelEvent, ModelFailure, ModelRequest } from "../../protocol/model.ts";
import type { Model as ModelInfo } from "../../protocol/api.ts";

/**
 * The contract of a model. In: a request in our words and a signal. Out: our events, ending in exactly one `finish` or
 * `failed`. It never throws and never outlives its signal. Retries and fallback are the run's, where each attempt is
 * recorded (`fallback.ts` decides them, purely); the one exception is a server that says it is still loading its model, which
 * is asked again within the same call.
 */
export type Model = {
  readonly info: ModelInfo;
  readonly stream: (request: ModelRequest, signal: AbortSignal, options?: StreamOptions) => AsyncIterable<ModelEvent>;
  /** Whether reasoning of an earlier step goes to the provider again; where it is not there, all of it does. */
  readonly sendsReasoning?: (part: { readonly text: string; readonly provider?: unknown }) => boolean;
};

/**
 * `isBackground`: its failures do not count against the calls that a user waits for. `isAskedFor`: a user has just asked for it,
 * so it tries a model that rests after several failures.
 */
export type StreamOptions = { readonly isBackground?: boolean; readonly isAskedFor?: boolean };

/** All models this instance knows. `find` returns undefined for an id that no list holds. */
export type Models = {
  readonly list: () => readonly ModelInfo[];
  readonly find: (id: string) => Model | undefined;
  /** Whether it runs on this machine or in the private network. Threads on such a model are never sent elsewhere. */
  readonly isLocal: (id: string) => boolean;
  /** Used when neither the message nor the thread names one. */
  readonly defaultId: string;
  /** The models to try after this one, in order. Never a paid one after a free one. */
  readonly fallbacks: (id: string) => readonly string[];
  /** Models whose server refused tools lately: tools are left out of their prompts. */
  readonly lacksTools: (id: string) => boolean;
  readonly noteNoTools: (id: string) => void;
  /** Tries again to read lists that could not be read, with a back-off. Waits two seconds at most. */
  readonly refresh: () => Promise<void>;
  readonly close: () => void;
};

export type Attempt = {
  readonly model: string;
  readonly failure: ModelFailure;
  /** Whether anything of the answer had been shown. */
  readonly hadOutput: boolean;
};
