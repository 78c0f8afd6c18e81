import { z } from "zod";
import { askJson } from "./ask.ts";
import { Rows, toSearchResults } from "./search-results.ts";
import type { Provider } from "./provider.ts";

const SearchResponse = z.object({
  choices: z.array(z.object({ message: z.object({ annotations: Rows.nullish() }) })).min(1),
  usage: z
    .object({ cost: z.number().nonnegative().optional().catch(undefined) })
    .optional()
    .catch(undefined),
});
const Annotation = z.object({ type: z.literal("url_citation"), url_citation: z.record(z.string(), z.unknown()) });
/** Keeps the answer short: only its annotations are used. */
const MAX_TOKENS = 32;

const ADDRESS = "https://openrouter.ai/api/v1";

/**
 * Uses the `web` plugin of chat completions, which searches exactly once for the text of the message and adds the results as
 * annotations. OpenRouter recommends a server tool instead, but with that a model decides whether and what to search.
 */
export const createOpenrouter = (key: string, url = ADDRESS): Provider => ({
  timeoutMs: 25_000,
  isPaid: true,
  search: async ({ query, count }, fetch, tellCost) => {
    const answer = await askJson(fetch, {
      url: `${url.replace(/(?<!\/)\/+$/, "")}/chat/completions`,
      method: "POST",
      headers: { authorization: `Bearer ${key}` },
      body: {
        model: "openrouter/auto",
        messages: [{ role: "user", content: query }],
        plugins: [{ id: "web", engine: "exa", max_results: count }],
        max_tokens: MAX_TOKENS,
      },
      schema: SearchResponse,
      secret: key,
      isOperators: url !== ADDRESS,
    });
    if (answer.usage?.cost !== undefined) tellCost(answer.usage.cost);
    const rows = (answer.choices[0]?.message.annotations ?? []).flatMap((row) => {
      const annotation = Annotation.safeParse(row);
      return annotation.success ? [annotation.data.url_citation] : [];
    });
    return toSearchResults(rows, ({ title, url: address, content }) => ({
      title,
      url: address,
      snippet: content,
    })).slice(0, count);
  },
});
