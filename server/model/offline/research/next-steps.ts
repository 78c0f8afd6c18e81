import type { ToolSpec } from "../../../../protocol/model.ts";
import { toQueries } from "../intents/to-queries.ts";
import { listUrls, type Hit } from "../outputs/read-web.ts";
import type { Input, Turn } from "../turn.ts";
import { gather, toKey } from "./gather.ts";

export type Step = { readonly name: string; readonly input: Input };

export const startResearch = (subject: string, tools: readonly ToolSpec[]): readonly Step[] => {
  const queries = toQueries(subject);
  if (queries.length === 0) return [];
  if (offers(tools, "plan_research")) return [{ name: "plan_research", input: { queries } }];
  return offers(tools, "search_web") ? toSearches(queries.map(({ query }) => query)) : [];
};

const mostSearches = 3;
/** Two pages leave each of them room in a small window; the others are for when these fail. */
const wantedPages = 2;
const mostPages = 4;

/** What comes next: the planned searches, then the best pages. Nothing when there is enough, or nothing more to try. */
export const continueResearch = (turn: Turn, subject: string, tools: readonly ToolSpec[]): readonly Step[] => {
  const { planned, searches, pages } = gather(turn.made);
  const hasPlan = turn.made.some(({ name }) => name === "plan_research");
  if (hasPlan && pages.length === 0 && offers(tools, "search_web")) {
    const queries = planned.length > 0 ? planned : toQueries(subject).map(({ query }) => query);
    const done = new Set(searches.map(({ query }) => toKey(query)));
    const open = queries.filter((query) => !done.has(toKey(query))).slice(0, mostSearches - searches.length);
    if (open.length > 0) return toSearches(open);
  }
  const scrape = tools.find(({ name }) => name === "scrape_webpage");
  if (scrape === undefined) return [];
  const read = pages.filter(({ error }) => error === undefined).length;
  const wanted = Math.max(0, Math.min(wantedPages - read, mostPages - pages.length));
  // A page may have moved: both addresses were tried.
  const tried = [...pages.map(({ url }) => url), ...turn.made.flatMap(({ input }) => listUrls(input))];
  const hits = chooseHits(
    searches.flatMap((search) => search.hits),
    tried,
  );
  return hits.slice(0, wanted).map(({ url }) => ({ name: scrape.name, input: toPageInput(scrape, url) }));
};

/** One page a call, so that each has its share of the window. */
export const toPageInput = ({ inputSchema }: ToolSpec, url: string): Input => {
  const { properties = {} } = inputSchema as { properties?: Readonly<Record<string, unknown>> };
  return "url" in properties ? { url } : { urls: [url] };
};

const offers = (tools: readonly ToolSpec[], wanted: string): boolean => tools.some(({ name }) => name === wanted);

/** Several searches at once bring fewer results each. */
const toSearches = (queries: readonly string[]): readonly Step[] =>
  queries.map((query) => ({ name: "search_web", input: queries.length > 1 ? { query, count: 4 } : { query } }));

/** The most relevant first, from other sites before more of the same; none that is marked or was tried. */
const chooseHits = (hits: readonly Hit[], tried: readonly string[]): readonly Hit[] => {
  const taken = new Set(tried);
  const hosts = new Set(tried.map(hostOf));
  const [others, same]: [Hit[], Hit[]] = [[], []];
  for (const hit of hits.filter(({ isLow }) => !isLow).toSorted((a, b) => b.relevance - a.relevance)) {
    if (taken.has(hit.url)) continue;
    taken.add(hit.url);
    (hosts.has(hostOf(hit.url)) ? same : others).push(hit);
    hosts.add(hostOf(hit.url));
  }
  return [...others, ...same];
};

const hostOf = (url: string): string => (URL.canParse(url) ? new URL(url).host : url);
