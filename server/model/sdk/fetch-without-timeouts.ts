import { getGlobalDispatcher, ProxyAgent, type Dispatcher } from "undici";
import { isLocalAddress } from "../../net/local-address.ts";

/** Longer than any call may take. Closes connections whose response was never read. */
const LONGEST_SILENCE_MS = 2 * 60 * 60_000;

/**
 * The platform's fetch without its limit of five minutes for headers and between chunks: the call's timeouts decide instead.
 * Requests to addresses outside the local network go through the proxy, if there is one.
 *
 * An abort after the fetch has failed is not passed on: after a response with too many content encodings the platform would
 * throw it as an uncaught exception.
 */
export const createPlatformFetch = (proxy?: string): typeof globalThis.fetch => {
  const agent = proxy === undefined ? undefined : new ProxyAgent(proxy);
  const findDispatcher = (input: Parameters<typeof globalThis.fetch>[0]): Dispatcher =>
    agent === undefined || isLocalAddress(input instanceof Request ? input.url : String(input))
      ? getGlobalDispatcher()
      : agent;
  return async (input, init = {}) => {
    const dispatcher = findDispatcher(input).compose(
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
};

export const fetchWithoutTimeouts: typeof globalThis.fetch = createPlatformFetch();
