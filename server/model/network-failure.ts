import { InvalidResponseDataError, JSONParseError, LoadAPIKeyError, TypeValidationError } from "@ai-sdk/provider";
import { OversizedAnswer } from "./sdk/model-fetch.ts";
import { NotAStream } from "./sdk/repair-stream.ts";
import { sentence } from "../../protocol/sentences.ts";
import { classifyStatus, type Verdict, verdicts } from "./failure-status.ts";

type Unreachable = "not-listening" | "unknown-host" | "no-route" | "untrusted" | "connect-timeout";

const unreachable = (fault: Verdict["fault"], why: Unreachable): Verdict => ({
  code: "unreachable",
  fault,
  explain: (label) => sentence(why, label),
  quotes: false,
});

const garbled: Verdict = {
  code: "garbled",
  fault: "provider",
  explain: (label) => sentence("garbled", label),
  quotes: false,
};

const notAnAnswer: Verdict = { ...garbled, quotes: true };
const empty: Verdict = {
  ...garbled,
  code: "cut",
  explain: (label) => sentence("empty-response", label),
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
  explain: (label) => sentence("connection-cut", label),
  quotes: false,
};

const byCode: readonly (readonly [RegExp, Verdict])[] = [
  [/^ECONNREFUSED$/, unreachable("provider", "not-listening")],
  [/^(?:ENOTFOUND|EAI_AGAIN|EAI_NODATA)$/, unreachable("provider", "unknown-host")],
  [/^(?:EHOSTUNREACH|ENETUNREACH|ENETDOWN)$/, unreachable("provider", "no-route")],
  [/CERT|SELF_SIGNED|LEAF_SIGNATURE|^ERR_TLS|^ERR_SSL|^EPROTO$/, unreachable("settings", "untrusted")],
  [/^(?:ETIMEDOUT|UND_ERR_CONNECT_TIMEOUT)$/, unreachable("provider", "connect-timeout")],
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
