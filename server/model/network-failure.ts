import { InvalidResponseDataError, JSONParseError, LoadAPIKeyError, TypeValidationError } from "@ai-sdk/provider";
import { OversizedAnswer } from "./sdk/model-fetch.ts";
import { NotAStream } from "./sdk/repair-stream.ts";
import { classifyStatus, type Verdict, verdicts } from "./failure-status.ts";

const unreachable = (fault: Verdict["fault"], why: string): Verdict => ({
  code: "unreachable",
  fault,
  explain: (label) => `${label} cannot be reached: ${why}`,
  quotes: false,
});

const garbled: Verdict = {
  code: "garbled",
  fault: "provider",
  explain: (label) => `${label} sent something that is not an answer. Try again, or choose another model.`,
  quotes: false,
};

const notAnAnswer: Verdict = { ...garbled, quotes: true };
const empty: Verdict = {
  ...garbled,
  code: "cut",
  explain: (label) => `${label} sent an empty response. Try again, or choose another model.`,
};

/** Classifies a document that was sent instead of a stream, by its error text if it has one. */
export const classifyDocument = (body: string, status: number, words: string): Verdict => {
  if (body.trim() === "") return empty;
  const verdict = status === 0 && !/error/i.test(body) ? notAnAnswer : classifyStatus(status, words);
  return verdict === verdicts.broken ? notAnAnswer : verdict;
};

/** The document in the error's chain of causes, if any. */
export const findDocument = (error: unknown): string | undefined =>
  chainOf(error).find((one): one is NotAStream => one instanceof NotAStream)?.body;

const cut: Verdict = {
  code: "cut",
  fault: "provider",
  explain: (label) => `The connection to ${label} broke before the answer was complete. Try again.`,
  quotes: false,
};

const byCode: readonly (readonly [RegExp, Verdict])[] = [
  [
    /^ECONNREFUSED$/,
    unreachable("provider", "nothing is listening at its address. Check that it runs and that the address is right."),
  ],
  [
    /^(?:ENOTFOUND|EAI_AGAIN|EAI_NODATA)$/,
    unreachable("provider", "its host name was not found. Check the network and the address."),
  ],
  [
    /^(?:EHOSTUNREACH|ENETUNREACH|ENETDOWN)$/,
    unreachable("provider", "there is no network route to it. Check the network."),
  ],
  [
    /CERT|SELF_SIGNED|LEAF_SIGNATURE|^ERR_TLS|^ERR_SSL|^EPROTO$/,
    unreachable("settings", "its certificate is not trusted, or it does not support TLS. Check the address."),
  ],
  [
    /^(?:ETIMEDOUT|UND_ERR_CONNECT_TIMEOUT)$/,
    unreachable("provider", "it did not answer in time. Check the network, or try again."),
  ],
  [/^(?:UND_ERR_HEADERS_TIMEOUT|UND_ERR_BODY_TIMEOUT)$/, verdicts.late],
  [/^(?:ECONNRESET|EPIPE|UND_ERR_SOCKET|UND_ERR_ABORTED|ERR_STREAM_PREMATURE_CLOSE)$/, cut],
  [/^(?:HPE_|UND_ERR_|ERR_INVALID_)/, garbled],
];

/** Classifies network errors and unreadable bodies; undefined for other errors. */
export const classifyNetwork = (error: unknown): Verdict | undefined => {
  for (const one of chainOf(error)) {
    if (one instanceof OversizedAnswer) return garbled;
    if (JSONParseError.isInstance(one) || TypeValidationError.isInstance(one)) return garbled;
    if (InvalidResponseDataError.isInstance(one)) return /without a finish/.test(one.message) ? cut : garbled;
    if (LoadAPIKeyError.isInstance(one)) return verdicts.unauthorized;
    const { code, name, message } = one as { code?: unknown; name?: unknown; message?: unknown };
    const found = typeof code === "string" ? byCode.find(([pattern]) => pattern.test(code))?.[1] : undefined;
    if (found !== undefined) return found;
    if (name === "HTTPParserError") return garbled;
    if (name === "AbortError" || message === "terminated") return cut;
  }
  return undefined;
};

/** The error, its causes and aggregated errors, at most eight. */
const chainOf = (error: unknown): object[] => {
  const chain: object[] = [];
  const open: unknown[] = [error];
  while (open.length > 0 && chain.length < 8) {
    const one = open.shift();
    if (typeof one !== "object" || one === null || chain.includes(one)) continue;
    chain.push(one);
    const { cause, errors } = one as { cause?: unknown; errors?: unknown };
    open.push(cause, ...(Array.isArray(errors) ? errors : []));
  }
  // The deepest cause is the most specific: "fetch failed" wraps it.
  return chain.toReversed();
};
