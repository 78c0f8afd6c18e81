import { z } from "zod";
import { askJson } from "./ask.ts";
import { Rows, toFound } from "./found.ts";
import type { Provider } from "./provider.ts";

const Answer = z.object({
  choices: z.array(z.object({ message: z.object({ annotations: Rows.nullish() }) })).min(1),
  usage: z
    .object({ cost: z.number().nonnegative().optional().catch(undefined) })
    .optional()
    .catch(undefined),
});
const Annotation = z.object({ type: z.literal("url_citation"), url_citation: z.record(z.string(), z.unknown()) });
/** The model's own words are not used: it may be brief. */
const MAX_TOKENS = 32;

const ADDRESS = "https://openrouter.ai/api/v1";

/**
 * The `web` plugin of chat completions: it searches exactly once, for what the message says, and annotates the answer with
 * what it found. OpenRouter recommends a server tool instead, but there a model decides whether and what to search.
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
      schema: Answer,
      secret: key,
      isOperators: url !== ADDRESS,
    });
    if (answer.usage?.cost !== undefined) tellCost(answer.usage.cost);
    const rows = (answer.choices[0]?.message.annotations ?? []).flatMap((row) => {
      const annotation = Annotation.safeParse(row);
      return annotation.success ? [annotation.data.url_citation] : [];
    });
    return toFound(rows, ({ title, url: address, content }) => ({ title, url: address, snippet: content })).slice(
      0,
      count,
    );
  },
});
