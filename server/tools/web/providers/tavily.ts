import { z } from "zod";
import { askJson } from "./ask.ts";
import { Rows, toSearchResults } from "./search-results.ts";
import type { Provider } from "./provider.ts";

const SearchResponse = z.object({ results: Rows });

/** As documented at docs.tavily.com, at its basic depth. */
export const createTavily = (key: string, url = "https://api.tavily.com"): Provider => ({
  timeoutMs: 15_000,
  isPaid: true,
  search: async ({ query, count }, fetch) => {
    const answer = await askJson(fetch, {
      url: `${url}/search`,
      method: "POST",
      headers: { authorization: `Bearer ${key}` },
      body: { query, search_depth: "basic", max_results: count, include_answer: false, include_raw_content: false },
      schema: SearchResponse,
      secret: key,
    });
    return toSearchResults(answer.results, ({ title, url: address, content, published_date: date }) => ({
      title,
      url: address,
      snippet: content,
      date,
    })).slice(0, count);
  },
});
