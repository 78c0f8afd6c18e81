import { getGlobalDispatcher } from "undici";

/** Longer than any call may take. Closes connections whose response was never read. */
const LONGEST_SILENCE_MS = 2 * 60 * 60_000;

/**
 * The platform's fetch without its limit of five minutes for headers and between chunks: the call's timeouts decide instead.
 * Configured proxies stay in use.
 *
 * An abort after the fetch has failed is not passed on: after a response with too many content encodings the platform would
 * throw it as an uncaught exception.
 */
export const fetchWithoutTimeouts: typeof globalThis.fetch = async (input, init = {}) => {
  const dispatcher = getGlobalDispatcher().compose(
    (dispatch) => (options, handler) =>
      dispatch({ ...options, headersTimeout: 0, bodyTimeout: LONGEST_SILENCE_MS }, handler),
  );
  const { signal } = init;
  const request = new AbortController();
  const onAbort = (): void => request.abort(signal?.reason);
  if (signal?.aborted) onAbort();
  signal?.addEventListener("abort", onAbort, { once: true });
  // The platform's types describe another copy of the undici package.
  const options: object = { dispatcher };
  try {
    return await globalThis.fetch(input, { ...init, ...options, signal: request.signal });
  } catch (error) {
    signal?.removeEventListener("abort", onAbort);
    throw error;
  }
};
