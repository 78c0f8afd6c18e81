import { z } from "zod";
import { toText, type Fetch } from "../../../net/fetch.ts";
import { askJson, askOnce, toStatusFault } from "./ask.ts";
import { readResultPage } from "./duckduckgo-page.ts";
import { Rows, toFound } from "./found.ts";
import { SearchFault, type Found, type Provider, type SearchAsk } from "./provider.ts";

type Urls = { readonly page: string; readonly instant: string };
const urls: Urls = { page: "https://html.duckduckgo.com", instant: "https://api.duckduckgo.com" };

/**
 * Needs no key. Its page for browsers without scripts has real results but may ask for a human; its Instant Answer
 * interface is meant for programs but knows topics only, so it is asked second.
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

async function askPage(url: string, { query, count }: SearchAsk, fetch: Fetch): Promise<readonly Found[]> {
  const params = new URLSearchParams({ q: query });
  const fetched = await askOnce(fetch, `${url}?${params.toString()}`, {
    headers: { accept: "text/html" },
    timeoutMs: HALF_MS,
  });
  const html = toText(fetched);
  if (/anomaly-modal|challenge-form|anomaly\.js/.test(html))
    throw new SearchFault("blocked", "It asks for a human to confirm the search.");
  if (fetched.status !== 200) throw toStatusFault(fetched.status, undefined);
  const { results, isEmpty } = readResultPage(html);
  if (results.length === 0 && !isEmpty)
    throw new SearchFault("unreadable", "It answered with a page that holds no results.");
  return results.slice(0, count);
}

const Topics = z.object({
  Heading: z.string().optional(),
  AbstractText: z.string().optional(),
  AbstractURL: z.string().optional(),
  Results: Rows.optional(),
  RelatedTopics: Rows,
});

async function askTopics(url: string, { query, count }: SearchAsk, fetch: Fetch): Promise<readonly Found[]> {
  const params = new URLSearchParams({ q: query, format: "json", no_html: "1", skip_disambig: "1", no_redirect: "1" });
  const timed: Fetch = (address, init) => fetch(address, { ...init, timeoutMs: HALF_MS });
  const answer = await askJson(timed, { url: `${url}?${params.toString()}`, schema: Topics });
  const abstract = answer.AbstractURL
    ? [{ title: answer.Heading, url: answer.AbstractURL, snippet: answer.AbstractText }]
    : [];
  const named = [...(answer.Results ?? []), ...answer.RelatedTopics].filter(
    (row) => typeof row === "object" && row !== null && "FirstURL" in row,
  );
  const topics = toFound(named, ({ FirstURL, Text }) => ({ title: toTitle(Text), url: FirstURL, snippet: Text }));
  return [...toFound(abstract, (row) => row as never), ...topics].slice(0, count);
}

const toTitle = (text: unknown): unknown => (typeof text === "string" ? text.split(" - ")[0] : text);
