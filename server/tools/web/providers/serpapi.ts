import { z } from "zod";
import { askJson, toStatusFault } from "./ask.ts";
import { Rows, toSearchResults } from "./search-results.ts";
import { SearchFault, type Provider } from "./provider.ts";

const SearchResponse = z.object({ organic_results: Rows.optional(), error: z.string().optional() });

/** Google's results, as documented at serpapi.com/search-api. Reports no results as an error with status 200. */
export const createSerpapi = (key: string, url = "https://serpapi.com"): Provider => ({
  timeoutMs: 15_000,
  isPaid: true,
  search: async ({ query, count }, fetch) => {
    const params = new URLSearchParams({ engine: "google", q: query, api_key: key });
    const answer = await askJson(fetch, {
      url: `${url}/search.json?${params.toString()}`,
      schema: SearchResponse,
      secret: key,
    });
    if (answer.organic_results === undefined && answer.error !== undefined) throw toStatusFault(200, answer.error, key);
    if (answer.organic_results === undefined) throw new SearchFault("unreadable", "Its response has no results field.");
    const rows = toSearchResults(answer.organic_results, ({ title, link, snippet, date }) => ({
      title,
      url: link,
      snippet,
      date,
    }));
    return rows.slice(0, count);
  },
});
