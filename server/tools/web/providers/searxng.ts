import { z } from "zod";
import { askJson } from "./ask.ts";
import { Rows, toSearchResults, stripHtml } from "./search-results.ts";
import { SearchFault, type Provider } from "./provider.ts";

const SearchResponse = z.object({ results: Rows });

/** The operator's SearXNG instance, see docs.searxng.org. Its settings must enable the `json` format. */
export const createSearxng = (url: string): Provider => ({
  timeoutMs: 15_000,
  search: async ({ query, count }, fetch) => {
    const params = new URLSearchParams({ q: query, format: "json" });
    const call = {
      url: `${url.replace(/(?<!\/)\/+$/, "")}/search?${params.toString()}`,
      schema: SearchResponse,
      isOperators: true,
    };
    const answer = await askJson(fetch, call).catch((error: unknown) => {
      throw explain(error);
    });
    return toSearchResults(answer.results, ({ title, url: address, content, publishedDate: date }) => ({
      title: stripHtml(title),
      url: address,
      snippet: stripHtml(content),
      date,
    })).slice(0, count);
  },
});

/** Explains two errors that only the operator can fix. */
function explain(error: unknown): unknown {
  if (!(error instanceof SearchFault)) return error;
  if (error.code === "blocked")
    return new SearchFault("blocked", "It is in a private network. Add search=host:port to STONECHAT_ALLOW_PRIVATE.");
  if (error.code !== "key-refused") return error;
  return new SearchFault("rejected", "It returned HTTP 403. Add `json` to search.formats in its settings.yml.");
}
