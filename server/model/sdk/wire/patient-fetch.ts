import { getGlobalDispatcher } from "undici";

/**
 * The platform's fetch without its own limit of five minutes for headers and between chunks: how long a model may take is decided
 * by the call's timeouts. Proxies that the platform is set up with stay in use.
 */
export const patientFetch: typeof globalThis.fetch = (input, init) => {
  const dispatcher = getGlobalDispatcher().compose(
    (dispatch) => (options, handler) => dispatch({ ...options, headersTimeout: 0, bodyTimeout: 0 }, handler),
  );
  // The platform's own types describe another copy of the same package.
  const patient: object = { dispatcher };
  return globalThis.fetch(input, { ...init, ...patient });
};
