/** The stream format, which decides how it is repaired before the provider package reads it. A binary one is not. */
export type WireFormat = "chat" | "google" | "other" | "binary";

/**
 * Transport facts about one model call that the provider packages do not pass on. The wrapped `fetch` finds the watch by the
 * call's abort signal, the one object that every package passes on unchanged.
 */
export type Watch = {
  readonly onBytes: () => void;
  /** Bytes received so far, keep-alive comments included. */
  bytes: number;
  /** The response had a success status. */
  isAccepted: boolean;
  /** The server marked the end of the stream itself: `[DONE]`, or a whole JSON document. */
  isDone: boolean;
  /** `seen`: a finish reason came and only usage may follow. `unreliable`: content followed a finish reason. */
  finish: "none" | "seen" | "unreliable";
  /** Index of the choice that is read; undefined until the first one. We ask for one, but some servers send several. */
  choice: number | undefined;
  /** The model declined: the stream had a `refusal` field. */
  isRefusal: boolean;
  /** The model that answered, if only the raw stream names it. */
  answeredBy: string | undefined;
};

const watches = new WeakMap<AbortSignal, Watch>();

export const watchCall = (signal: AbortSignal, onBytes: () => void): Watch => {
  const watch: Watch = {
    onBytes,
    bytes: 0,
    isAccepted: false,
    isDone: false,
    finish: "none",
    choice: undefined,
    isRefusal: false,
    answeredBy: undefined,
  };
  watches.set(signal, watch);
  return watch;
};

export const findWatch = (signal: AbortSignal | null | undefined): Watch | undefined =>
  signal ? watches.get(signal) : undefined;
