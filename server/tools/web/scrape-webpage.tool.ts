import { z } from "zod";
import { hostOf } from "../../../protocol/context/untrusted.ts";
import { countTokens } from "../../lib/tokens.ts";
import { findEnd } from "../read-text.ts";
import { defineTool, PAGE_CHARACTERS, type CreateTool, type Tool, type ToolContext } from "../tool.ts";
import { webGroup } from "./group.ts";
import { listLinks } from "./list-links.ts";
import { untrustedNotice } from "./untrusted-notice.ts";
import { pageFaultCodes, toPageFault, type PageFault } from "./page-fault.ts";
import { readPage, type ReadPage } from "./read-page.ts";
import { judge } from "./extract.ts";
import { LOW_RELEVANCE } from "./relevance.ts";
import { createRunMemo } from "./run-memo.ts";

const MAX_PAGES = 4;
/** The most that a profile can ask for (`pageCharacters`). */
const MOST_CHARACTERS = 200_000;
/** Token budget of one result. It grows with the number of pages, which share it. */
const RESULT = { least: 3000, eachPage: 1500 };
/** Title, URL and other fields of a page. */
const OVERHEAD_TOKENS = 250;

const Address = z.string().trim().min(1).max(2000);
const Input = z
  .object({
    url: Address.optional().describe("One page"),
    urls: z.array(Address).min(1).max(MAX_PAGES).optional().describe("Up to four pages, read in parallel"),
    from: z.int().min(0).optional().describe("Character to start at; 0 if omitted"),
  })
  .refine(({ url, urls }) => (url === undefined) !== (urls === undefined), { error: "Give either url or urls." });
type Input = z.infer<typeof Input>;

const PageRead = z.object({
  url: z.string(),
  ref: z.int(),
  title: z.string(),
  author: z.string().optional(),
  date: z.string().optional(),
  canonicalUrl: z.string().optional(),
  relevance: z.number().optional(),
  markedLowRelevance: z.literal(true).optional(),
  note: z.string().optional(),
  /** Length of the whole page; `text` is a part of it. */
  chars: z.int(),
  text: z.string(),
  /** The best passage for the question, if it is outside `text`. */
  passages: z.array(z.object({ from: z.int(), quote: z.string() })).optional(),
  more: z.string().optional(),
});
const PageUnread = z.object({
  url: z.string(),
  error: z.object({ code: z.enum(pageFaultCodes), message: z.string() }),
});
export const ScrapeOutput = z.object({ about: z.string(), pages: z.array(z.union([PageRead, PageUnread])) });
type PageRead = z.infer<typeof PageRead>;
type PageUnread = z.infer<typeof PageUnread>;

/** Stores the whole page as an artifact. The model reads the part that does not fit with `read_artifact`. */
export function createScrapeWebpage(): Tool {
  const done = createRunMemo<PageRead | PageUnread>((page) => "ref" in page);

  const scrape = async (url: string, from: number, context: ToolContext): Promise<PageRead | PageUnread> => {
    const { value, isFirst } = await done.once(context.runId, toPageKey(url), async () => {
      const read = await tryRead(url, context);
      context.signal.throwIfAborted();
      return "code" in read ? toUnread(url, read, context) : toRead(url, read, from, context);
    });
    return isFirst || !("ref" in value) ? value : toReminder(value);
  };

  return defineTool<Input>({
    name: "scrape_webpage",
    group: webGroup,
    description:
      "Reads web pages, PDFs, JSON or text by URL. Long texts are cut: read the rest with read_artifact and the page's ref.",
    input: Input,
    output: ScrapeOutput,
    repeat: "pure",
    effects: ["read", "egress"],
    limits: { timeoutMs: 60_000, resultTokens: toTokenBudget(MAX_PAGES, MOST_CHARACTERS) },
    untrusted: (input) => toUrls(input).map(hostOf),
    sends: (input) => ({ urls: toUrls(input) }),
    describe: (input) => `Read ${toUrls(input).join(", ")}`,
    summarize: (_, output) => toDigest(ScrapeOutput.safeParse(output).data?.pages ?? []),
    execute: async (input, context) => {
      const urls = toUrls(input);
      let read = 0;
      const pages = await Promise.all(
        urls.map(async (url) => {
          context.progress({ text: `Reading ${toHost(url)}`, done: read, of: urls.length });
          const page = await scrape(url, input.from ?? 0, context);
          context.progress({ text: `Read ${toHost(url)}`, done: ++read, of: urls.length });
          return page;
        }),
      );
      return { output: { about: untrustedNotice, pages: shareTokens(pages, input.from ?? 0, context.pageCharacters) } };
    },
  });
}

const create: CreateTool = () => createScrapeWebpage();
export default create;

const toUrls = ({ url, urls = [] }: Input): readonly string[] => [...new Set(url === undefined ? urls : [url])];

const toHost = (url: string): string => (URL.canParse(url) ? new URL(url).host : url.slice(0, 60));

function toPageKey(text: string): string {
  if (!URL.canParse(text)) return text;
  const url = new URL(text);
  url.hash = "";
  return url.href;
}

const tryRead = (url: string, { fetch, signal }: ToolContext): Promise<ReadPage | PageFault> =>
  readPage(url, fetch, signal).catch(toPageFault);

function toUnread(url: string, { code, message }: PageFault, context: ToolContext): PageUnread {
  context.addSource({ url, status: "failed", error: message });
  return { url, error: { code, message } };
}

async function toRead(
  url: string,
  { url: finalUrl, type, page }: ReadPage,
  from: number,
  context: ToolContext,
): Promise<PageRead> {
  const { title, author, date, canonicalUrl, lang, markdown, needsJavaScript, kind } = page;
  const named = title?.trim() || toHost(finalUrl);
  const best = await judge(named, markdown, context.question);
  const relevance = best?.relevance;
  const artifact = context.saveArtifact({
    kind: "page",
    title: named,
    url: finalUrl,
    type: "text/markdown",
    text: markdown,
    links: listLinks(markdown, [finalUrl, ...(canonicalUrl ? [canonicalUrl] : [])]),
    meta: { asked: url, canonicalUrl, author, date, lang, contentType: type, kind, relevance },
  });
  const { ref } = artifact;
  const judged = relevance === undefined ? {} : { relevance };
  context.addSource({ url, title: named, status: "read", ref, ...judged });
  const stored = await artifact.text();
  const text = stored.slice(from, from + context.pageCharacters).toWellFormed();
  return {
    url: finalUrl,
    ref,
    title: named,
    ...(author ? { author } : {}),
    ...(date ? { date } : {}),
    ...(canonicalUrl && canonicalUrl !== finalUrl ? { canonicalUrl } : {}),
    ...judged,
    ...(relevance !== undefined && relevance < LOW_RELEVANCE ? { markedLowRelevance: true as const } : {}),
    ...(needsJavaScript ? { note: "Parts of this page are only visible in a browser that runs its scripts." } : {}),
    chars: stored.length,
    text,
    ...findDistantPassage(stored, best?.passage ?? "", from),
  };
}

/** Locates the passage in the stored text. A passage with a redacted secret is not found there and is omitted. */
function findDistantPassage(stored: string, passage: string, from: number): Pick<PageRead, "passages"> {
  const at = passage === "" ? -1 : stored.indexOf(passage, from);
  return at === -1 ? {} : { passages: [{ from: at, quote: passage.toWellFormed() }] };
}

/**
 * Cuts each page's text to its share of the budget, shortest first, so that unused tokens go to longer pages. `more` names the
 * exact character at which the rest begins.
 */
function shareTokens(
  pages: readonly (PageRead | PageUnread)[],
  from: number,
  characters: number,
): readonly (PageRead | PageUnread)[] {
  let left = toTokenBudget(pages.length, characters);
  const cut = new Map<PageRead | PageUnread, PageRead>();
  const byLength = pages.toSorted((a, b) => lengthOf(a) - lengthOf(b));
  for (const [at, page] of byLength.entries()) {
    const share = Math.floor(left / (byLength.length - at));
    const fitting = "ref" in page && page.text !== "" ? cutPage(page, from, share - OVERHEAD_TOKENS) : undefined;
    if (fitting) cut.set(page, fitting);
    left -= OVERHEAD_TOKENS + (fitting ? tokensOf(fitting.text) + tokensOf(fitting.passages ?? "") : 0);
  }
  return pages.map((page) => cut.get(page) ?? page);
}

function cutPage({ passages = [], ...page }: PageRead, from: number, tokens: number): PageRead {
  const cutTo = (room: number): string =>
    page.text.slice(0, findEnd(page.text, 0, { characters: page.text.length, tokens: Math.max(0, room) }));
  const isFar = (text: string): boolean => passages.some((passage) => passage.from >= from + text.length);
  const whole = cutTo(tokens);
  const text = isFar(whole) ? cutTo(tokens - tokensOf(passages)) : whole;
  const end = from + text.length;
  return {
    ...page,
    text,
    ...(isFar(whole) ? { passages } : {}),
    ...(end < page.chars ? { more: `read_artifact with ref ${page.ref} and from ${end} reads the rest.` } : {}),
  };
}

/** More characters than usual get tokens in proportion. */
const toTokenBudget = (pages: number, characters: number): number =>
  Math.max(RESULT.least, pages * RESULT.eachPage) * Math.max(1, characters / PAGE_CHARACTERS);

const tokensOf = (value: unknown): number => countTokens(JSON.stringify(value));
const lengthOf = (page: PageRead | PageUnread): number => ("ref" in page ? page.text.length : 0);

/** Returns the number of a page already read in this run, without the text. */
const toReminder = (page: PageRead): PageRead => ({
  ...page,
  text: "",
  note: `This page was already read for this answer. Use read_artifact with ref ${page.ref} to open it again.`,
});

function toDigest(pages: readonly (PageRead | PageUnread)[]): string {
  const lines = pages.map((page) =>
    "ref" in page
      ? `Read [${page.ref}] ${page.title.slice(0, 100)} (${page.url})`
      : `Could not read ${page.url}: ${page.error.code}`,
  );
  return lines.join("\n");
}
