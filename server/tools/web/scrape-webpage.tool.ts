import { z } from "zod";
import { hostOf } from "../../../protocol/context/untrusted.ts";
import { countTokens } from "../../lib/tokens.ts";
import { findEnd } from "../read-text.ts";
import { defineTool, type CreateTool, type Tool, type ToolContext } from "../tool.ts";
import { listLinks } from "./list-links.ts";
import { fromOutside } from "./outside.ts";
import { pageFaultCodes, toPageFault, type PageFault } from "./page-fault.ts";
import { readPage, type ReadPage } from "./read-page.ts";
import { judge } from "./extract.ts";
import { LOW_RELEVANCE } from "./relevance.ts";
import { createRunMemo } from "./run-memo.ts";

const STRETCH = 12_000;
const MAX_PAGES = 4;
/** Tokens of one call's result. Pages share them, and each page adds some. */
const RESULT = { least: 3000, eachPage: 1500 };
/** Title, address and the other fields of a page. */
const FRAME_TOKENS = 250;

const Address = z.string().trim().min(1).max(2000);
const Input = z
  .object({
    url: Address.optional().describe("One page"),
    urls: z.array(Address).min(1).max(MAX_PAGES).optional().describe("Or up to four, read side by side"),
    from: z.int().min(0).optional().describe("Character to begin at; 0 when left out"),
  })
  .refine(({ url, urls }) => (url === undefined) !== (urls === undefined), { error: "give either url or urls" });
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
  /** Of the whole page; `text` is a stretch of it. */
  chars: z.int(),
  text: z.string(),
  /** What fits the question best, where that lies outside of `text`. */
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

/** The whole page is kept under a number; what does not fit is read on with `read_artifact`. */
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
    description: "Read web pages, PDFs, JSON or text by address: up to 12,000 characters each, the rest by its ref.",
    input: Input,
    output: ScrapeOutput,
    repeat: "pure",
    effects: ["read", "egress"],
    limits: { timeoutMs: 60_000, resultTokens: toRoom(MAX_PAGES) },
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
      return { output: { about: fromOutside, pages: shareRoom(pages, input.from ?? 0) } };
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
  const kept = context.saveArtifact({
    kind: "page",
    title: named,
    url: finalUrl,
    type: "text/markdown",
    text: markdown,
    links: listLinks(markdown, [finalUrl, ...(canonicalUrl ? [canonicalUrl] : [])]),
    meta: { asked: url, canonicalUrl, author, date, lang, contentType: type, kind, relevance },
  });
  const { ref } = kept;
  const judged = relevance === undefined ? {} : { relevance };
  context.addSource({ url, title: named, status: "read", ref, ...judged });
  const stored = await kept.text();
  const text = stored.slice(from, from + STRETCH).toWellFormed();
  return {
    url: finalUrl,
    ref,
    title: named,
    ...(author ? { author } : {}),
    ...(date ? { date } : {}),
    ...(canonicalUrl && canonicalUrl !== finalUrl ? { canonicalUrl } : {}),
    ...judged,
    ...(relevance !== undefined && relevance < LOW_RELEVANCE ? { markedLowRelevance: true as const } : {}),
    ...(needsJavaScript ? { note: "Parts of this page are shown only to a browser that runs its scripts." } : {}),
    chars: stored.length,
    text,
    ...findFar(stored, best?.passage ?? "", from),
  };
}

/** The passage in the stored text; one that holds a secret is not found there and left out. */
function findFar(stored: string, passage: string, from: number): Pick<PageRead, "passages"> {
  const at = passage === "" ? -1 : stored.indexOf(passage, from);
  return at === -1 ? {} : { passages: [{ from: at, quote: passage.toWellFormed() }] };
}

/**
 * Cuts each page's text to its share of the result, shortest first so that unused room goes to the longer ones. `more` names
 * the exact character at which the rest begins.
 */
function shareRoom(pages: readonly (PageRead | PageUnread)[], from: number): readonly (PageRead | PageUnread)[] {
  let left = toRoom(pages.length);
  const cut = new Map<PageRead | PageUnread, PageRead>();
  const byLength = pages.toSorted((a, b) => lengthOf(a) - lengthOf(b));
  for (const [at, page] of byLength.entries()) {
    const share = Math.floor(left / (byLength.length - at));
    const fitting = "ref" in page && page.text !== "" ? cutPage(page, from, share - FRAME_TOKENS) : undefined;
    if (fitting) cut.set(page, fitting);
    left -= FRAME_TOKENS + (fitting ? tokensOf(fitting.text) + tokensOf(fitting.passages ?? "") : 0);
  }
  return pages.map((page) => cut.get(page) ?? page);
}

function cutPage({ passages = [], ...page }: PageRead, from: number, tokens: number): PageRead {
  const cutTo = (room: number): string =>
    page.text.slice(0, findEnd(page.text, 0, { characters: STRETCH, tokens: Math.max(0, room) }));
  const isFar = (text: string): boolean => passages.some((passage) => passage.from >= from + text.length);
  const whole = cutTo(tokens);
  const text = isFar(whole) ? cutTo(tokens - tokensOf(passages)) : whole;
  const end = from + text.length;
  return {
    ...page,
    text,
    ...(isFar(whole) ? { passages } : {}),
    ...(end < page.chars ? { more: `read_artifact with ref ${page.ref} and from ${end} reads on.` } : {}),
  };
}

const toRoom = (pages: number): number => Math.max(RESULT.least, pages * RESULT.eachPage);

const tokensOf = (value: unknown): number => countTokens(JSON.stringify(value));
const lengthOf = (page: PageRead | PageUnread): number => ("ref" in page ? page.text.length : 0);

/** Read already in this run: its number, without the words that were told then. */
const toReminder = (page: PageRead): PageRead => ({
  ...page,
  text: "",
  note: `This page was read already in this answer; read_artifact with ref ${page.ref} opens it again.`,
});

function toDigest(pages: readonly (PageRead | PageUnread)[]): string {
  const lines = pages.map((page) =>
    "ref" in page
      ? `Read [${page.ref}] ${page.title.slice(0, 100)} (${page.url})`
      : `Could not read ${page.url}: ${page.error.code}`,
  );
  return lines.join("\n");
}
