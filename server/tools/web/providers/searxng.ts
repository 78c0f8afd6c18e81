import { z } from "zod";
import { askJson } from "./ask.ts";
import { Rows, toFound, toPlain } from "./found.ts";
import { SearchFault, type Provider } from "./provider.ts";

const Answer = z.object({ results: Rows });

/** The operator's own instance, as documented at docs.searxng.org; `json` has to be among its formats. */
export const createSearxng = (url: string): Provider => ({
  timeoutMs: 15_000,
  search: async ({ query, count }, fetch) => {
    const params = new URLSearchParams({ q: query, format: "json" });
    const call = {
      url: `${url.replace(/(?<!\/)\/+$/, "")}/search?${params.toString()}`,
      schema: Answer,
      isOperators: true,
    };
    const answer = await askJson(fetch, call).catch((error: unknown) => {
      throw explain(error);
    });
    return toFound(answer.results, ({ title, url: address, content, publishedDate: date }) => ({
      title: toPlain(title),
      url: address,
      snippet: toPlain(content),
      date,
    })).slice(0, count);
  },
});

/** Two refusals that only its operator can do something about. */
function explain(error: unknown): unknown {
  if (!(error instanceof SearchFault)) return error;
  if (error.code === "blocked")
    return new SearchFault("blocked", "It is in a private network. Add search=host:port to STONECHAT_ALLOW_PRIVATE.");
  if (error.code !== "key-refused") return error;
  return new SearchFault("rejected", "It refused (403): `json` has to be among search.formats of its settings.yml.");
}
