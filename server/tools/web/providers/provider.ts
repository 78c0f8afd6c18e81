import type { Fetch } from "../../../net/fetch.ts";

/** A web search provider. Sends one request, returns results in the provider's order, and throws only `SearchFault`. */
export type Provider = {
  readonly timeoutMs: number;
  /** Each search costs money. */
  readonly isPaid?: true;
  /** `fetch` applies the caller's signal and timeout. An empty list is valid. Calls `onCost` if the provider reports a cost. */
  readonly search: (ask: SearchQuery, fetch: Fetch, onCost: (usd: number) => void) => Promise<readonly SearchResult[]>;
};

export type SearchQuery = { readonly query: string; readonly count: number };

export type SearchResult = {
  readonly title: string;
  readonly url: string;
  readonly snippet: string;
  /** In the provider's format. */
  readonly date?: string;
};

export const faultCodes = [
  "key-refused",
  "quota",
  "rate-limited",
  "rejected",
  "server-error",
  "timeout",
  "unreachable",
  "blocked",
  "unreadable",
  "nothing-found",
  "out-of-time",
  "unknown-name",
] as const;
export type FaultCode = (typeof faultCodes)[number];

/** Why a provider returned no results. The message contains no keys or URLs. */
export class SearchFault extends Error {
  override readonly name = "SearchFault";
  readonly code: FaultCode;

  constructor(code: FaultCode, message: string, options?: ErrorOptions) {
    super(message, options);
    this.code = code;
  }
}
