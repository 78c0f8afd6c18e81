import type { ToolPart } from "../names.ts";
import { listAt, numberAt, textAt } from "../read-output.ts";
import { own } from "../../ui/own.ts";

export type SearchResult = {
  readonly title: string;
  readonly url: string;
  readonly relevance: number | undefined;
  readonly ref: number | undefined;
};

export type SearchView = {
  readonly query: string;
  readonly provider: string;
  readonly note: string;
  /** Providers that were asked before and gave nothing, with the reason. */
  readonly failures: readonly { readonly provider: string; readonly text: string }[];
  readonly results: readonly SearchResult[];
};

export function readSearch({ input, output }: ToolPart): SearchView {
  return {
    query: textAt(input, "query") || textAt(output, "query"),
    provider: toProvider(textAt(output, "provider")),
    note: textAt(output, "note"),
    failures: listAt(output, "attempts").map((value) => ({
      provider: toProvider(textAt(value, "provider")),
      text: textAt(value, "reason", "code"),
    })),
    results: listAt(output, "results").flatMap(toResult),
  };
}

function toResult(value: unknown): readonly SearchResult[] {
  const url = textAt(value, "url");
  const title = textAt(value, "title") || url;
  return title === "" ? [] : [{ title, url, relevance: numberAt(value, "relevance"), ref: numberAt(value, "ref") }];
}

const toProvider = (name: string): string => own(providers, name) ?? name;

const providers: Readonly<Record<string, string>> = {
  brave: "Brave",
  duckduckgo: "DuckDuckGo",
  firecrawl: "Firecrawl",
  openrouter: "OpenRouter",
  searxng: "SearXNG",
  serpapi: "SerpAPI",
  tavily: "Tavily",
};
