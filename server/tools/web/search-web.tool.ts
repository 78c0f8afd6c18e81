import { z } from "zod";
import { planSearch } from "../../cost/cost.ts";
import type { Write } from "../../store/contract.ts";
import { defineTool, type CreateTool, type Tool, type ToolContext, type ToolDeps } from "../tool.ts";
import { webGroup } from "./group.ts";
import { untrustedNotice } from "./untrusted-notice.ts";
import { createProviders, providerNames, type ProviderUrls } from "./providers/create-providers.ts";
import { faultCodes } from "./providers/provider.ts";
import { toPageFault } from "./page-fault.ts";
import { readPage } from "./read-page.ts";
import { judgeResults, LOW_RELEVANCE } from "./relevance.ts";
import { createRunMemo } from "./run-memo.ts";
import { createSearchCache, toQueryKey } from "./search-cache.ts";
import { createCascade, type SearchContext, type SearchOutcome } from "./search-cascade.ts";

/**
 * Every result is stored as an artifact (title, URL, snippet) with a number, by which the answer cites it as [ref]. A page that
 * is read later gets another number, and the source with its URL then shows that one; both stay valid. Results of low relevance
 * are marked, not dropped.
 */
const Input = z.object({
  query: z.string().trim().min(1).max(200).describe("A few specific keywords, as for a search engine"),
  count: z.int().min(1).max(10).optional().describe("How many results; 6 if omitted"),
  depth: z
    .enum(["quick", "deep"])
    .optional()
    .describe("deep also reads the best pages; quick (the default) returns results with snippets"),
  provider: z.enum(providerNames).optional().describe("The provider to query first; set it only if the user chose one"),
});
type Input = z.infer<typeof Input>;

const Result = z.object({
  ref: z.int(),
  title: z.string(),
  url: z.string(),
  snippet: z.string(),
  date: z.string().optional(),
  relevance: z.number(),
  markedLowRelevance: z.literal(true).optional(),
  /** Set by a deep search: the beginning of the page's text, with the page's own number. */
  page: z.object({ ref: z.int(), text: z.string() }).optional(),
});
type Result = z.infer<typeof Result>;
export const SearchOutput = z.object({
  query: z.string(),
  provider: z.string().nullable(),
  note: z.string().optional(),
  about: z.string().optional(),
  results: z.array(Result),
  /** Providers that returned no results, in query order. */
  attempts: z.array(z.object({ provider: z.string(), code: z.enum(faultCodes), reason: z.string() })),
});
type SearchOutput = z.infer<typeof SearchOutput>;

const COUNT = 6;

export function createSearchWeb({ tools, clock, ids }: ToolDeps, urls?: ProviderUrls): Tool {
  const cache = createSearchCache(clock);
  const cascade = createCascade({
    providers: createProviders(tools, urls),
    order: tools.searchOrder,
    cache,
    clock,
    prices: tools.searchPrices,
  });
  // A search without results may be repeated.
  const done = createRunMemo<SearchOutput>(({ results }) => results.length > 0);

  return defineTool<Input>({
    name: "search_web",
    group: webGroup,
    description: "Searches the web. Cite results by their number as [ref]; read promising pages with scrape_webpage.",
    input: Input,
    output: SearchOutput,
    repeat: "pure",
    effects: ["read", "egress"],
    limits: { timeoutMs: 90_000, resultTokens: 5000 },
    untrusted: () => ["web search results"],
    sends: ({ query }) => ({ query }),
    describe: ({ query }) => `Search the web for “${query}”`,
    summarize: ({ query }, output) => toDigest(query, SearchOutput.safeParse(output).data),
    execute: async ({ query, count = COUNT, provider, depth = "quick" }, context) => {
      const searchContext: SearchContext = {
        fetch: context.fetch,
        signal: context.signal,
        first: provider,
        onlyProvider: context.onlyProvider,
        onProvider: (name) => context.progress({ text: `Asking ${name}` }),
      };
      const writes: Write[] = [];
      const { value, isFirst } = await done.once(
        context.runId,
        `${provider ?? ""} ${depth} ${toQueryKey(query)}`,
        async () => {
          const searched = await cascade({ query, count }, searchContext);
          writes.push(...searched.paid.map((paid) => planSearch({ ...context, id: ids.next() }, paid)));
          context.signal.throwIfAborted();
          const output = toOutput({ query, provider }, searched, context);
          return depth === "deep" ? readBest(output, context) : output;
        },
      );
      const commit = writes.length === 0 ? {} : { commit: { writes, events: [] } };
      return { output: isFirst ? value : toReminder(value), ...commit };
    },
  });
}

const create: CreateTool = (deps) => createSearchWeb(deps);
export default create;

function toOutput({ query, provider: chosen }: Input, searched: SearchOutcome, context: ToolContext): SearchOutput {
  const { provider, found, attempts, notSetUp } = searched;
  if (provider === null)
    return { query, provider, note: describeNoResults(attempts, notSetUp), results: [], attempts: [...attempts] };
  const texts = found.map(({ title, snippet, url }) => `${title}\n${snippet}\n${toWords(url)}`);
  const relevance = judgeResults(texts, context.question, query);
  const results = found.map(({ title, url, snippet, date }, index) => {
    const score = relevance[index] ?? 0;
    const { ref } = context.saveArtifact({
      kind: "result",
      title,
      url,
      type: "text/plain",
      text: `${title}\n${url}\n${date === undefined ? "" : `${date}\n`}${snippet}`,
      meta: { query, provider, relevance: score },
    });
    context.addSource({ url, title, status: "found", relevance: score, ref });
    const marked = score < LOW_RELEVANCE ? { markedLowRelevance: true as const } : {};
    return { ref, title, url, snippet, ...(date === undefined ? {} : { date }), relevance: score, ...marked };
  });
  const note = toNote(chosen, provider, searched);
  return {
    query,
    provider,
    ...(note === "" ? {} : { note }),
    about: untrustedNotice,
    results,
    attempts: [...attempts],
  };
}

const MAX_READ = 3;
const MAX_CHARACTERS = 4_000;

/** Reads the pages of the most relevant results. A result whose page cannot be read keeps its snippet. */
async function readBest(output: SearchOutput, context: ToolContext): Promise<SearchOutput> {
  const best = output.results.toSorted((a, b) => b.relevance - a.relevance).slice(0, MAX_READ);
  const pages = new Map<string, Result["page"]>();
  await Promise.all(
    best.map(async ({ url, title, relevance }) => {
      context.progress({ text: `Reading ${new URL(url).host}` });
      const read = await readPage(url, context.fetch, context.signal).catch(toPageFault);
      if ("code" in read) return;
      const text = read.page.markdown;
      const kept = { kind: "page", title, url: read.url, type: "text/markdown", text, meta: { relevance } } as const;
      const { ref } = context.saveArtifact(kept);
      context.addSource({ url, title, status: "read", relevance, ref });
      pages.set(url, { ref, text: text.slice(0, MAX_CHARACTERS).toWellFormed() });
    }),
  );
  context.signal.throwIfAborted();
  const results = output.results.map((result) => {
    const page = pages.get(result.url);
    return page ? { ...result, page } : result;
  });
  return { ...output, results };
}

function toNote(chosen: string | undefined, provider: string, { isCached, notSetUp }: SearchOutcome): string {
  const isMissing = chosen !== undefined && notSetUp.includes(chosen);
  const missing = isMissing ? [`${chosen} is not configured; ${provider} was used instead.`] : [];
  return [...missing, ...(isCached ? ["Cached result from the last 15 minutes."] : [])].join(" ");
}

const toWords = (url: string): string => {
  const { hostname, pathname } = new URL(url);
  return `${hostname} ${pathname}`.replace(/[^\p{L}\p{N}]+/gu, " ");
};

/** Distinguishes between no results and no reachable provider. */
function describeNoResults(attempts: SearchOutcome["attempts"], notSetUp: readonly string[]): string {
  const empty = attempts.filter(({ code }) => code === "nothing-found").map(({ provider }) => provider);
  const failed = attempts.filter(({ code }) => code !== "nothing-found");
  const reasons = failed.map(({ provider, reason }) => `${provider}: ${reason}`).join(" ");
  const missing = notSetUp.length === 0 ? "" : ` Not configured: ${notSetUp.join(", ")}.`;
  if (empty.length > 0) return `${empty.join(" and ")} found no results. Try other keywords. ${reasons}`.trim();
  return `No search provider could be reached. ${reasons}${missing} Tell the user and answer without web results.`;
}

/** Returns the numbers of a search already run in this answer, without the snippets. */
const toReminder = ({ query, provider, results }: SearchOutput): SearchOutput => ({
  query,
  provider,
  note: "This search was already run for this answer. These are its results.",
  results: results.map(({ page: _, ...result }) => ({ ...result, snippet: "" })),
  attempts: [],
});

function toDigest(query: string, output: SearchOutput | undefined): string {
  if (output === undefined || output.results.length === 0) return `Searched the web for “${query}”: nothing.`;
  const results = output.results.map(({ ref, title, url }) => `[${ref}] ${title.slice(0, 80)} (${new URL(url).host})`);
  return `Searched the web for “${query}”: ${results.join("; ")}`;
}
