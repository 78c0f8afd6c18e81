import { z } from "zod";
import { decodeDocument, type Fetch } from "../../../net/fetch.ts";
import { askJson, askOnce, toStatusFault } from "./ask.ts";
import { readResultPage } from "./duckduckgo-page.ts";
import { Rows, toSearchResults } from "./search-results.ts";
import { SearchFault, type SearchResult, type Provider, type SearchQuery } from "./provider.ts";

type Urls = { readonly page: string; readonly instant: string };
const urls: Urls = { page: "https://html.duckduckgo.com", instant: "https://api.duckduckgo.com" };

/**
 * Needs no key. Its page for browsers without scripts has real results but may show a CAPTCHA; its Instant Answer API is meant
 * for programs but only knows topics, so it is queried second.
 */
export const createDuckduckgo = ({ page, instant }: Urls = urls): Provider => ({
  timeoutMs: 20_000,
  search: async (ask, fetch) => {
    try {
      return await askPage(`${page}/html/`, ask, fetch);
    } catch (error) {
      if (!(error instanceof SearchFault)) throw error;
      const topics = await askTopics(`${instant}/`, ask, fetch).catch((second: unknown) => {
        throw second instanceof SearchFault ? error : second;
      });
      if (topics.length === 0) throw error;
      return topics;
    }
  },
});

const HALF_MS = 9000;

async function askPage(url: string, { query, count }: SearchQuery, fetch: Fetch): Promise<readonly SearchResult[]> {
  const params = new URLSearchParams({ q: query });
  const fetched = await askOnce(fetch, `${url}?${params.toString()}`, {
    headers: { accept: "text/html" },
    timeoutMs: HALF_MS,
  });
  const html = decodeDocument(fetched);
  if (/anomaly-modal|challenge-form|anomaly\.js/.test(html))
    throw new SearchFault("blocked", "It asked for a CAPTCHA.");
  if (fetched.status !== 200) throw toStatusFault(fetched.status, undefined);
  const { results, isEmpty } = readResultPage(html);
  if (results.length === 0 && !isEmpty) throw new SearchFault("unreadable", "It returned a page without results.");
  return results.slice(0, count);
}

const Topics = z.object({
  Heading: z.string().optional(),
  AbstractText: z.string().optional(),
  AbstractURL: z.string().optional(),
  Results: Rows.optional(),
  RelatedTopics: Rows,
});

async function askTopics(url: string, { query, count }: SearchQuery, fetch: Fetch): Promise<readonly SearchResult[]> {
  const params = new URLSearchParams({ q: query, format: "json", no_html: "1", skip_disambig: "1", no_redirect: "1" });
  const timed: Fetch = (address, init) => fetch(address, { ...init, timeoutMs: HALF_MS });
  const answer = await askJson(timed, { url: `${url}?${params.toString()}`, schema: Topics });
  const abstract = answer.AbstractURL
    ? [{ title: answer.Heading, url: answer.AbstractURL, snippet: answer.AbstractText }]
    : [];
  const named = [...(answer.Results ?? []), ...answer.RelatedTopics].filter(
    (row) => typeof row === "object" && row !== null && "FirstURL" in row,
  );
  const topics = toSearchResults(named, ({ FirstURL, Text }) => ({
    title: toTitle(Text),
    url: FirstURL,
    snippet: Text,
  }));
  return [...toSearchResults(abstract, (row) => row as never), ...topics].slice(0, count);
}

const toTitle = (text: unknown): unknown => (typeof text === "string" ? text.split(" - ")[0] : text);
