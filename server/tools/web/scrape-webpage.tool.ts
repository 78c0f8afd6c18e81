import { z } from "zod";
import { defineTool, type Tool, type ToolContext } from "../tool.ts";
import type { CreateTool } from "../workshop.ts";
import { fromOutside } from "./outside.ts";
import { pageFaultCodes, toPageFault, type PageFault } from "./page-fault.ts";
import { readPage, type ReadPage } from "./read-page.ts";
import { judgePage, LOW_RELEVANCE } from "./relevance.ts";
import { createRunMemo } from "./run-memo.ts";

const Address = z.string().trim().min(1).max(2000);
const Input = z
  .object({
    url: Address.optional().describe("One page"),
    urls: z.array(Address).min(1).max(4).optional().describe("Or up to four, read side by side"),
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
  more: z.string().optional(),
});
const PageUnread = z.object({
  url: z.string(),
  error: z.object({ code: z.enum(pageFaultCodes), message: z.string() }),
});
export const ScrapeOutput = z.object({ about: z.string(), pages: z.array(z.union([PageRead, PageUnread])) });
type PageRead = z.infer<typeof PageRead>;
type PageUnread = z.infer<typeof PageUnread>;

const STRETCH = 12_000;

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
    description:
      "Read web pages, PDFs, JSON or text by address: the first 12,000 characters each, the rest by its ref.",
    input: Input,
    output: ScrapeOutput,
    repeat: "pure",
    effects: ["read", "egress"],
    limits: { timeoutMs: 60_000, resultTokens: 3000 },
    untrusted: true,
    sends: (input) => ({ urls: toUrls(input) }),
    describe: (input) => `Read ${toUrls(input).join(", ")}`,
    digest: (_, output) => toDigest(ScrapeOutput.safeParse(output).data?.pages ?? []),
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
      return { output: { about: fromOutside, pages } };
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
  context.source({ url, status: "failed", error: message });
  return { url, error: { code, message } };
}

function toRead(url: string, { url: finalUrl, type, page }: ReadPage, from: number, context: ToolContext): PageRead {
  const { title, author, date, canonicalUrl, lang, markdown, needsJavaScript, kind } = page;
  const named = title?.trim() || toHost(finalUrl);
  const relevance = judgePage(named, markdown, context.question);
  const { ref } = context.keep({
    kind: "page",
    title: named,
    url: finalUrl,
    type: "text/markdown",
    text: markdown,
    meta: { asked: url, canonicalUrl, author, date, lang, contentType: type, kind, relevance },
  });
  const judged = relevance === undefined ? {} : { relevance };
  context.source({ url, title: named, status: "read", ref, ...judged });
  const text = markdown.slice(from, from + STRETCH).toWellFormed();
  const end = from + text.length;
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
    chars: markdown.length,
    text,
    ...(end < markdown.length ? { more: `read_artifact with ref ${ref} and from ${end} reads on.` } : {}),
  };
}

/** Read already in this run: its number, without the words that were told then. */
const toReminder = ({ more: _, ...page }: PageRead): PageRead => ({
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
