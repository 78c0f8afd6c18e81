import type { Fetch } from "../../../net/fetch.ts";

/** A search on the web. It asks once, gives what was found in the provider's order, and fails with a `SearchFault` only. */
export type Provider = {
  readonly timeoutMs: number;
  /** Somebody charges for it, by the search. */
  readonly isPaid?: true;
  /** `fetch` carries the caller's signal and time limit. An empty list is an answer. `tellCost` hears what it cost, if told. */
  readonly search: (ask: SearchAsk, fetch: Fetch, tellCost: (usd: number) => void) => Promise<readonly Found[]>;
};

export type SearchAsk = { readonly query: string; readonly count: number };

export type Found = {
  readonly title: string;
  readonly url: string;
  readonly snippet: string;
  /** As the provider writes it. */
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

/** Why a provider gave nothing; the message is a sentence without keys and addresses. */
export class SearchFault extends Error {
  override readonly name = "SearchFault";
  readonly code: FaultCode;

  constructor(code: FaultCode, message: string, options?: ErrorOptions) {
    super(message, options);
    this.code = code;
  }
}
