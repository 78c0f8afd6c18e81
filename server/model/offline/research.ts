import type { ToolSpec } from "../../../protocol/model.ts";
import { findQuery } from "./intents.ts";
import { cite, dropRepeated, rankSentences, toTerms, type Passage, type Source } from "./passages.ts";
import type { Turn } from "./request.ts";
import {
  hitToSource,
  listInputUrls,
  nameSource,
  pageToSource,
  readJson,
  readPages,
  readSearch,
  toFields,
  toList,
  toText,
  type FinishedCall,
  type Input,
  type ReadResult,
  type PlannedCall,
  type SearchHit,
} from "./tool-results.ts";

/** Two pages fit a small window; the others replace pages that fail. */
const WANTED_PAGES = 2;
const MAX_PAGES = 4;
const MAX_QUOTES = 5;
const MAX_QUOTES_PER_SOURCE = 2;

/** The first call of a research: a plan if that tool is offered, or else a search. */
export const startResearch = (subject: string, tools: readonly ToolSpec[]): readonly PlannedCall[] => {
  const query = findQuery(subject);
  if (query === "") return [];
  if (offers(tools, "plan_research")) {
    return [{ name: "plan_research", input: { queries: [{ query, priority: 1, why: "The question itself" }] } }];
  }
  return offers(tools, "search_web") ? [{ name: "search_web", input: { query } }] : [];
};

/** The planned searches, then the best pages. Empty when enough was read or nothing is left to try. */
export const continueResearch = (turn: Turn, subject: string, tools: readonly ToolSpec[]): readonly PlannedCall[] => {
  const { planned, searches, pages } = gather(turn.calls);
  const hasPlan = turn.calls.some(({ name }) => name === "plan_research");
  if (hasPlan && pages.length === 0 && offers(tools, "search_web")) {
    const queries = planned.length > 0 ? planned : [findQuery(subject)].filter((query) => query !== "");
    const open = queries.filter((query) => !searches.some((search) => search.query === query));
    if (open.length > 0) return open.map((query) => ({ name: "search_web", input: { query } }));
  }
  const scrape = tools.find(({ name }) => name === "scrape_webpage");
  if (scrape === undefined) return [];
  const read = pages.filter(({ error }) => error === undefined).length;
  const wanted = Math.max(0, Math.min(WANTED_PAGES - read, MAX_PAGES - pages.length));
  // If a page was redirected, both addresses were tried.
  const tried = [...pages.map(({ url }) => url), ...turn.calls.flatMap(({ input }) => listInputUrls(input))];
  const hits = chooseHits(
    searches.flatMap((search) => search.hits),
    tried,
  );
  return hits.slice(0, wanted).map(({ url }) => ({ name: scrape.name, input: toPageInput(scrape, url) }));
};

/** One page for each call, so that each result gets its share of the window. */
export const toPageInput = ({ inputSchema }: ToolSpec, url: string): Input => {
  const { properties = {} } = inputSchema as { properties?: Readonly<Record<string, unknown>> };
  return "url" in properties ? { url } : { urls: [url] };
};

const offers = (tools: readonly ToolSpec[], wanted: string): boolean => tools.some(({ name }) => name === wanted);

/** Most relevant first, a site that was not read yet before more pages of the same site. */
const chooseHits = (hits: readonly SearchHit[], tried: readonly string[]): readonly SearchHit[] => {
  const hosts = new Set(tried.map(hostOf));
  const fresh = hits.filter(({ url, isLow }) => !isLow && !tried.includes(url));
  const best = new Map(fresh.toSorted((a, b) => b.relevance - a.relevance).map((hit) => [hit.url, hit]));
  const [others, same]: [SearchHit[], SearchHit[]] = [[], []];
  for (const hit of best.values()) {
    (hosts.has(hostOf(hit.url)) ? same : others).push(hit);
    hosts.add(hostOf(hit.url));
  }
  return [...others, ...same];
};

const hostOf = (url: string): string => (URL.canParse(url) ? new URL(url).host : url);

const researchTools = /^(?:plan_research|search_web|scrape_webpage|read_artifact)$/;
export const isResearchCall = ({ name }: FinishedCall): boolean => researchTools.test(name);

const gather = (calls: readonly FinishedCall[]) => {
  const of = (wanted: string): readonly FinishedCall[] => calls.filter(({ name }) => name === wanted);
  return {
    planned: of("plan_research").flatMap(readPlan),
    searches: of("search_web").map(readSearch),
    pages: of("scrape_webpage").flatMap(readPages),
    artifacts: of("read_artifact").flatMap((call) => (call.failed ? [] : readPages(call))),
  };
};

const readPlan = ({ text, failed, input }: FinishedCall): readonly string[] => {
  if (failed) return [];
  const queries = toList(toFields(readJson(text))?.["queries"] ?? input["queries"]);
  return queries.map((one) => toText(toFields(one)?.["query"])).filter((query) => query !== "");
};

/** One line for each call that failed, with the tool's reason. */
export const listFailures = (calls: readonly FinishedCall[]): readonly string[] => {
  const { searches, pages } = gather(calls);
  const others = calls.filter(({ name, failed }) => failed && /^(?:plan_research|read_artifact)$/.test(name));
  return [
    ...others.map(({ name, text }) => `The tool \`${name}\` failed: ${toLine(text)}`),
    ...searches.flatMap(({ query, problem }) =>
      problem === undefined ? [] : [`No results for “${query}”: ${toLine(problem)}`],
    ),
    ...pages.flatMap(({ url, error }) =>
      error === undefined ? [] : [`The page ${url} could not be read: ${toLine(error)}`],
    ),
  ];
};

const toLine = (text: string): string => text.replace(/\s+/g, " ").trim().slice(0, 500).toWellFormed();

/** The sentences nearest to the question, from the pages, or else from the search results. */
export const renderFindings = (turn: Turn, subject: string): readonly string[] => {
  const { searches, pages, artifacts } = gather(turn.calls);
  const read = [...pages.filter(({ error }) => error === undefined), ...artifacts];
  const hits = searches.flatMap((search) => search.hits);
  return quoteBest({ read, hits, subject, said: turn.said });
};

type Findings = {
  readonly read: readonly ReadResult[];
  readonly hits: readonly SearchHit[];
  readonly subject: string;
  readonly said: string;
};

const quoteBest = ({ read, hits, subject, said }: Findings): readonly string[] => {
  if (read.length + hits.length === 0) return ["I found nothing to quote, and the demo model makes nothing up."];
  if (toTerms(subject).size === 0) return quoteOpenings(read.map(pageToSource), said);
  const fromPages = choosePassages(rankSentences(subject, read.map(pageToSource)), said);
  if (fromPages.length > 0) return [`${ONLY_QUOTES} Nearest to your question:`, ...quoteBySource(fromPages)];
  const fromHits = choosePassages(rankSentences(subject, hits.map(hitToSource)), said);
  if (fromHits.length > 0) {
    const pages = read.length > 0 ? "The pages I read have no sentence near your question. " : "";
    return [
      `${ONLY_QUOTES} ${pages}Nearest in the search results, whose pages I did not read:`,
      ...quoteBySource(fromHits),
    ];
  }
  if (said.includes("> ")) return ["I have quoted what I found; no other sentence is near your question."];
  const sources = (read.length > 0 ? read : hits.slice(0, 4)).map(
    ({ title, url, ref }) => `${nameSource(title, url)}${ref === undefined ? "" : ` [${ref}]`}`,
  );
  const verb = read.length > 0 ? "I read" : "I found but did not read";
  return [`I do not know: no sentence is near your question. ${verb} ${sources.join(", ")}.`];
};

const ONLY_QUOTES = "I am the built-in demo model and only quote.";

/** The first sentences of each page, for a request that names only the page. */
const quoteOpenings = (sources: readonly Source[], said: string): readonly string[] => {
  const quoted = sources.flatMap(({ label, sentences, ref }) => {
    const opening = sentences.filter((text) => isSentence(text) && !said.includes(text)).slice(0, 3);
    return opening.length === 0 ? [] : [`${label}:`, ...opening.map((text) => cite(text, ref))];
  });
  return quoted.length === 0 ? ["It has no sentence that I could quote."] : [`${ONLY_QUOTES} It begins:`, ...quoted];
};

const choosePassages = (ranked: readonly Passage[], said: string): readonly Passage[] => {
  const minScore = Math.max(0.3, (ranked[0]?.score ?? 0) * 0.5);
  const near = ranked.filter(({ score, text }) => score >= minScore && isSentence(text) && !said.includes(text));
  const counts = new Map<string, number>();
  return dropRepeated(near)
    .filter(({ label }) => {
      const count = (counts.get(label) ?? 0) + 1;
      counts.set(label, count);
      return count <= MAX_QUOTES_PER_SOURCE;
    })
    .slice(0, MAX_QUOTES);
};

/** Not a heading or a menu entry. */
const isSentence = (text: string): boolean =>
  /[.!?…:;。！？"”»)]$/u.test(text) || text.split(/\s+/).length >= 6 || /\p{Script=Han}{8,}/u.test(text);

const quoteBySource = (passages: readonly Passage[]): readonly string[] =>
  [...Map.groupBy(passages, ({ label }) => label)].flatMap(([label, own]) => [
    `${label}:`,
    ...own.toSorted((a, b) => a.order - b.order).map(({ text, ref }) => cite(text, ref)),
  ]);
