import { z } from "zod";
import { NetError, decodeDocument, type Fetch, type FetchResponse, type NetErrorCode } from "../../../net/fetch.ts";
import { SearchFault, type FaultCode } from "./provider.ts";

/** A request to a provider and the schema of its response. */
export type ProviderRequest<T> = {
  readonly url: string;
  readonly method?: "GET" | "POST";
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: unknown;
  readonly schema: z.ZodType<T>;
  /** Removed from the provider's error messages. */
  readonly secret?: string;
  /** The operator configured the URL, so it may be a private address. */
  readonly isOperators?: boolean;
};

const MAX_BYTES = 2 * 1024 * 1024;

export async function askJson<T>(fetch: Fetch, call: ProviderRequest<T>): Promise<T> {
  const fetched = await askOnce(fetch, call.url, {
    method: call.method ?? "GET",
    headers: {
      accept: "application/json",
      ...(call.body === undefined ? {} : { "content-type": "application/json" }),
      ...call.headers,
    },
    ...(call.body === undefined ? {} : { body: JSON.stringify(call.body) }),
    ...(call.isOperators ? { feature: "search" as const } : {}),
  });
  const text = decodeDocument(fetched);
  const json = parseJson(text);
  if (fetched.status < 200 || fetched.status > 299) throw toStatusFault(fetched.status, findMessage(json), call.secret);
  if (json === undefined) throw new SearchFault("unreadable", `It returned ${describeBody(text)} instead of JSON.`);
  const parsed = call.schema.safeParse(json);
  if (parsed.success) return parsed.data;
  const message = findMessage(json);
  if (message !== undefined) throw toStatusFault(findStatus(json) ?? fetched.status, message, call.secret);
  throw new SearchFault("unreadable", "It returned JSON that does not match its documentation.");
}

/** Sends the request and returns the response with any status. Throws `SearchFault`, or rethrows an abort. */
export async function askOnce(fetch: Fetch, url: string, init: Parameters<Fetch>[1]): Promise<FetchResponse> {
  try {
    return await fetch(url, { ...init, maxBytes: MAX_BYTES });
  } catch (error) {
    if (!(error instanceof NetError) || error.code === "aborted") throw error;
    throw new SearchFault(netFaults[error.code], error.message, { cause: error });
  }
}

const netFaults: Readonly<Record<Exclude<NetErrorCode, "aborted">, FaultCode>> = {
  "bad-url": "rejected",
  blocked: "blocked",
  dns: "unreachable",
  connect: "unreachable",
  tls: "unreachable",
  timeout: "timeout",
  "too-large": "unreadable",
  "too-many-redirects": "unreadable",
  robots: "blocked",
  encoding: "unreadable",
  protocol: "unreadable",
};

export function toStatusFault(status: number, message: string | undefined, secret?: string): SearchFault {
  const code = toCode(status, message ?? "");
  const said = message === undefined ? "" : `: ${clean(message, secret)}`;
  const stated = status >= 200 && status <= 299 ? "" : ` (${status})`;
  return new SearchFault(
    code,
    `${sentences[code] ?? "It rejected the request"}${stated}${said.replace(/(?<![.\s])[.\s]+$/, "")}.`,
  );
}

const sentences: Partial<Readonly<Record<FaultCode, string>>> = {
  "key-refused": "It rejected the API key",
  quota: "Its quota is exhausted",
  "rate-limited": "It is rate limiting requests",
  "server-error": "It had a server error",
  "nothing-found": "It found no results",
};

function toCode(status: number, message: string): FaultCode {
  if (/has(n't| not) returned any results|no results/i.test(message)) return "nothing-found";
  const isQuota = /quota|run out|ran out|credit|usage limit|plan's|monthly|insufficient|exceeds your plan/i.test(
    message,
  );
  if (status === 402 || status === 432 || status === 433 || (isQuota && status !== 401 && status < 500)) return "quota";
  if (status === 429) return "rate-limited";
  const isKey = /api[ _-]?key|subscription token|token_invalid|unauthori[sz]ed|credentials/i.test(message);
  if (status === 401 || status === 403 || (isKey && status < 500)) return "key-refused";
  return status >= 500 ? "server-error" : "rejected";
}

const MAX_MESSAGE_LENGTH = 200;

function clean(message: string, secret: string | undefined): string {
  const safe = secret ? message.replaceAll(secret, "…") : message;
  const line = safe
    .replace(/https?:\/\/\S+/g, "")
    .replace(/\s+/g, " ")
    .trim()
    .toWellFormed();
  return line.length > MAX_MESSAGE_LENGTH ? `${line.slice(0, MAX_MESSAGE_LENGTH).toWellFormed()}…` : line;
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return undefined;
  }
}

const describeBody = (text: string): string =>
  text.trim() === "" ? "nothing" : /^\s*<(!doctype|html|head|body)/i.test(text) ? "a web page" : "unreadable data";

const messageFields = ["message", "detail", "error", "error_description", "reason"] as const;

/** Finds the error message in a provider's JSON. */
function findMessage(json: unknown, depth = 0): string | undefined {
  if (typeof json !== "object" || json === null || depth > 2) return undefined;
  for (const field of messageFields) {
    const value = (json as Readonly<Record<string, unknown>>)[field];
    if (typeof value === "string" && value.trim() !== "") return value;
    const inner = findMessage(value, depth + 1);
    if (inner !== undefined) return inner;
  }
  return undefined;
}

const Coded = z.object({ error: z.object({ code: z.int().min(400).max(599) }) });

/** An error that is reported in the body of a successful response. */
const findStatus = (json: unknown): number | undefined => Coded.safeParse(json).data?.error.code;
