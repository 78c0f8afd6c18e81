import { z } from "zod";
import { askJson } from "./ask.ts";
import { Rows, toSearchResults } from "./search-results.ts";
import type { Provider } from "./provider.ts";

const SearchResponse = z.object({ success: z.literal(true), data: z.object({ web: Rows.optional() }) });

/** As documented at docs.firecrawl.dev, version 2. */
export const createFirecrawl = (key: string, url = "https://api.firecrawl.dev"): Provider => ({
  timeoutMs: 25_000,
  isPaid: true,
  search: async ({ query, count }, fetch) => {
    const answer = await askJson(fetch, {
      url: `${url}/v2/search`,
      method: "POST",
      headers: { authorization: `Bearer ${key}` },
      body: { query, limit: count, sources: ["web"] },
      schema: SearchResponse,
      secret: key,
    });
    const rows = answer.data.web ?? [];
    return toSearchResults(rows, ({ title, url: address, description }) => ({
      title,
      url: address,
      snippet: description,
    })).slice(0, count);
  },
});
