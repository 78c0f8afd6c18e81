import { NetError, type NetErrorCode } from "../../net/fetch.ts";

/** Why a page could not be read. Reported to the model and the user; it does not end the run. */
export const pageFaultCodes = [
  "bad-url",
  "blocked",
  "robots",
  "unreachable",
  "timeout",
  "redirect-loop",
  "too-large",
  "unreadable",
  "unsupported-type",
  "needs-javascript",
  "empty",
  "forbidden",
  "not-found",
  "rate-limited",
  "server-error",
  "http-error",
] as const;
export type PageFaultCode = (typeof pageFaultCodes)[number];
export type PageFault = { readonly code: PageFaultCode; readonly message: string };

export class PageError extends Error {
  override readonly name = "UnreadPage";
  readonly code: PageFaultCode;

  constructor(code: PageFaultCode, message: string, options?: ErrorOptions) {
    super(message, options);
    this.code = code;
  }
}

/** Rethrows aborts and bugs. */
export function toPageFault(error: unknown): PageFault {
  if (error instanceof PageError) return { code: error.code, message: error.message };
  if (error instanceof NetError && error.code !== "aborted")
    return { code: netFaults[error.code], message: error.message };
  throw error;
}

const netFaults: Readonly<Record<Exclude<NetErrorCode, "aborted">, PageFaultCode>> = {
  "bad-url": "bad-url",
  blocked: "blocked",
  dns: "unreachable",
  connect: "unreachable",
  tls: "unreachable",
  timeout: "timeout",
  "too-large": "too-large",
  "too-many-redirects": "redirect-loop",
  robots: "robots",
  encoding: "unreadable",
  protocol: "unreadable",
};

export function assertStatus(status: number): void {
  if (status >= 200 && status <= 299) return;
  const code = toStatusCode(status);
  throw new PageError(code, `${statusSentences[code]} (HTTP ${status}).`);
}

type StatusCode = "forbidden" | "not-found" | "rate-limited" | "server-error" | "http-error";

function toStatusCode(status: number): StatusCode {
  if (status === 401 || status === 402 || status === 403 || status === 407 || status === 451) return "forbidden";
  if (status === 404 || status === 410) return "not-found";
  if (status === 429) return "rate-limited";
  return status >= 500 ? "server-error" : "http-error";
}

const statusSentences: Readonly<Record<StatusCode, string>> = {
  forbidden: "The site denied access to this page",
  "not-found": "The page was not found",
  "rate-limited": "The site is rate limiting requests",
  "server-error": "The site had a server error",
  "http-error": "The site rejected the request",
};
