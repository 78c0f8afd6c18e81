import { z } from "zod";
import { askJson } from "./ask.ts";
import { Rows, toSearchResults, stripHtml } from "./search-results.ts";
import type { Provider } from "./provider.ts";

/** `web` is missing if there are no results. */
const SearchResponse = z.object({ type: z.literal("search"), web: z.object({ results: Rows }).nullish() });
const MAX_RESULTS = 20;

/** As documented at api-dashboard.search.brave.com. */
export const createBrave = (key: string, url = "https://api.search.brave.com"): Provider => ({
  timeoutMs: 10_000,
  isPaid: true,
  search: async ({ query, count }, fetch) => {
    const params = new URLSearchParams({
      q: query,
      count: String(Math.min(count, MAX_RESULTS)),
      result_filter: "web",
      text_decorations: "false",
    });
    const answer = await askJson(fetch, {
      url: `${url}/res/v1/web/search?${params.toString()}`,
      headers: { "x-subscription-token": key },
      schema: SearchResponse,
      secret: key,
    });
    return toSearchResults(answer.web?.results ?? [], ({ title, url: address, description, page_age: date }) => ({
      title: stripHtml(title),
      url: address,
      snippet: stripHtml(description),
      date,
    })).slice(0, count);
  },
});
