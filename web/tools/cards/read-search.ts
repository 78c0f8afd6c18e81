import type { ToolPart } from "../calls/names.ts";
import { asRecord, listAt, numberAt, textAt } from "../calls/read-output.ts";

export type SearchResult = {
  readonly title: string;
  readonly url: string;
  readonly relevance: number | undefined;
  readonly ref: number | undefined;
};

export type SearchView = {
  readonly query: string;
  readonly provider: string;
  /** Providers that were asked before and could not answer, with the reason. */
  readonly failures: readonly { readonly provider: string; readonly text: string }[];
  readonly results: readonly SearchResult[];
};

export function readSearch({ input, output }: ToolPart): SearchView {
  return {
    query: textAt(input, "query", "q") || textAt(output, "query"),
    provider: textAt(output, "provider", "answeredBy", "source"),
    failures: listAt(output, "failed", "failures", "attempts", "errors").flatMap(toFailure),
    results: listAt(output, "results", "items").flatMap(toResult),
  };
}

function toFailure(value: unknown): SearchView["failures"] {
  const text = textAt(value, "error", "text", "reason", "message");
  return text === "" ? [] : [{ provider: textAt(value, "provider", "name"), text }];
}

function toResult(value: unknown): readonly SearchResult[] {
  const url = textAt(value, "url", "link");
  const title = textAt(value, "title", "name") || url;
  if (title === "") return [];
  const relevance =
    numberAt(value, "relevance", "relevanceScore") ?? numberAt(asRecord(value)["metadata"], "relevance");
  return [{ title, url, relevance, ref: numberAt(value, "ref") }];
}
