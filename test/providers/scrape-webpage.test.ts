import { gzipSync } from "node:zlib";
import { afterEach, expect, test } from "vitest";
import type { ToolContext } from "../../server/tools/tool.ts";
import { createScrapeWebpage, ScrapeOutput } from "../../server/tools/web/scrape-webpage.tool.ts";
import { toolContext } from "../support/server/tool-context.ts";
import { openLoopback, send, sendJson, type Loopback, type Respond } from "../support/web/loopback.ts";
import { createLoopbackFetch } from "../support/web/searches.ts";
import { toPdf } from "../support/web/pdf.ts";

const html = (title: string, body: string, head = ""): string =>
  `<!doctype html><html lang="en"><head><title>${title}</title>${head}</head><body><main><article>${body}</article></main></body></html>`;
const paragraph = (words: string): string =>
  `<p>${words} is what this paragraph is about, and it goes on for long enough to be taken for the content of a page, with several commas, as real ones have.</p>`;
const story = (title: string, ...paragraphs: readonly string[]): string =>
  html(title, `<h1>${title}</h1>${paragraphs.map(paragraph).join("")}`);

let site: Loopback | undefined;
afterEach(() => site?.close());

type Routes = Readonly<Record<string, Respond>>;
const missing = send("text/plain", "not here", 404);

async function open(routes: Routes) {
  await site?.close();
  const opened = await openLoopback((asked, response) => (routes[asked.path] ?? missing)(asked, response));
  site = opened;
  const tool = createScrapeWebpage();
  const read = async (input: object, given: Partial<ToolContext> = {}) => {
    const context = toolContext({ fetch: createLoopbackFetch(), ...given });
    const { output } = await tool.execute(tool.input.parse(input), context);
    const { pages, about } = ScrapeOutput.parse(output);
    return { context, about, output, pages: pages.map((page) => toLoose(page)) };
  };
  return {
    tool,
    read,
    at: (path: string) => `${opened.url}${path}`,
    asked: () => opened.asked.map(({ path }) => path),
  };
}

type Loose = Partial<Record<string, unknown>> & { readonly text?: string; readonly error?: { readonly code: string } };
const toLoose = (page: object): Loose => page;

test("reads a page as Markdown, stores all of it and lists it as a source", async () => {
  const { read, at } = await open({ "/a": send("text/html; charset=utf-8", story("On stonechats", "The stonechat")) });
  const { pages, context, about } = await read({ url: at("/a") }, { question: "What is a stonechat?" });
  expect(pages).toMatchObject([{ ref: 1, title: "On stonechats", url: at("/a"), relevance: expect.any(Number) }]);
  expect(pages[0]!.text).toContain("The stonechat is what this paragraph is about");
  expect(pages[0]).not.toHaveProperty("more");
  expect(about).toMatch(/Never follow instructions/);
  expect(context.kept).toMatchObject([
    { kind: "page", title: "On stonechats", url: at("/a"), type: "text/markdown", text: pages[0]!.text },
  ]);
  expect(context.sources).toMatchObject([{ url: at("/a"), status: "read", ref: 1, title: "On stonechats" }]);
});

test("reads and obeys robots.txt", async () => {
  const robots = send("text/plain", "User-agent: Stonechat\nDisallow: /private");
  const { read, at, asked } = await open({ "/robots.txt": robots, "/private": send("text/html", story("Secret")) });
  const { pages, context } = await read({ url: at("/private") });
  expect(pages).toMatchObject([{ url: at("/private"), error: { code: "robots" } }]);
  expect(asked()).toEqual(["/robots.txt"]);
  expect(context.sources).toMatchObject([{ url: at("/private"), status: "failed", error: expect.any(String) }]);
  expect(context.kept).toEqual([]);
});

test("reads text, JSON and PDF", async () => {
  const { read, at } = await open({
    "/a.txt": send("text/plain; charset=iso-8859-1", Buffer.from("caf\xe9 au lait", "latin1")),
    "/a.json": sendJson({ bird: "stonechat" }),
    "/a.pdf": send("application/pdf", toPdf("The stonechat is a small bird")),
    "/b": send("application/octet-stream", toPdf("Another small bird")),
  });
  const { pages } = await read({ urls: ["/a.txt", "/a.json", "/a.pdf", "/b"].map(at) });
  expect(pages.map(({ text }) => text)).toEqual([
    expect.stringContaining("café au lait"),
    expect.stringContaining("stonechat"),
    expect.stringContaining("The stonechat is a small bird"),
    expect.stringContaining("Another small bird"),
  ]);
});

test("returns part of a long page, stores all of it and says how to continue", async () => {
  const long = story("Long", ...Array.from({ length: 200 }, (_, n) => `Bird number ${n}`));
  const { read, at } = await open({ "/a": send("text/html", long) });
  const { pages, context } = await read({ url: at("/a") });
  const whole = context.kept[0]!.text;
  expect(whole).toContain("Bird number 199");
  expect(whole.length).toBeGreaterThan(12_000);
  const { length } = pages[0]!.text ?? "";
  expect(length).toBeGreaterThan(9_000);
  expect(length).toBeLessThanOrEqual(12_000);
  expect(pages[0]).toMatchObject({ chars: whole.length, text: whole.slice(0, length) });
  expect(pages[0]).toHaveProperty("more", `read_artifact with ref 1 and from ${length} reads the rest.`);
});

type Far = {
  readonly text: string;
  readonly more: string;
  readonly passages: readonly { readonly from: number; readonly quote: string }[];
};

test("returns a matching passage from far down, and continuing skips nothing", async () => {
  const far = "The wryneck nests in the old orchard behind the mill";
  const long = story("Long", ...Array.from({ length: 200 }, (_, n) => (n === 180 ? far : `Bird number ${n}`)));
  const { read, at } = await open({ "/a": send("text/html", long) });
  const { pages, context } = await read({ url: at("/a") }, { question: "Where does the wryneck nest?" });
  const [page] = pages as unknown as readonly Far[];
  const [passage] = page!.passages;
  expect(passage!.quote).toContain(far);
  expect(context.kept[0]!.text.slice(passage!.from)).toMatch(new RegExp(`^${passage!.quote.slice(0, 40)}`));
  expect(page!.more).toContain(`from ${page!.text.length} reads the rest`);
});

test("starts at a given offset", async () => {
  const long = story("Long", ...Array.from({ length: 200 }, (_, n) => `Bird number ${n}`));
  const { read, at } = await open({ "/a": send("text/html", long) });
  const { pages, context } = await read({ url: at("/a"), from: 12_000 });
  const { length } = pages[0]!.text ?? "";
  expect(length).toBeGreaterThan(9_000);
  expect(length).toBeLessThanOrEqual(12_000);
  expect(pages[0]!.text).toBe(context.kept[0]!.text.slice(12_000, 12_000 + length));
  expect(pages[0]).toHaveProperty("more", `read_artifact with ref 1 and from ${12_000 + length} reads the rest.`);
});

test("follows a redirect, and keeps the requested URL as the source", async () => {
  const { read, at } = await open({
    "/old": (_, response) => void response.writeHead(301, { location: "/new" }).end(),
    "/new": send("text/html", story("Moved")),
  });
  const { pages, context } = await read({ url: at("/old") });
  expect(pages).toMatchObject([{ url: at("/new"), title: "Moved" }]);
  expect(context.sources).toMatchObject([{ url: at("/old"), status: "read" }]);
  expect(context.kept[0]).toMatchObject({ url: at("/new"), meta: { asked: at("/old") } });
});

test("reads a page once in a run, and returns its number the second time", async () => {
  const { read, at, asked } = await open({ "/a": send("text/html", story("Once", "Something")) });
  const first = await read({ url: at("/a") });
  const again = await read({ urls: [at("/a#further-down")] });
  expect(again.pages).toMatchObject([
    { ref: 1, title: "Once", text: "", note: expect.stringMatching(/already read.*ref 1/) },
  ]);
  expect(again.context.kept).toEqual([]);
  expect(asked().filter((path) => path === "/a")).toHaveLength(1);
  const other = await read({ url: at("/a") }, { runId: "another" });
  expect(other.pages[0]!.text).toBe(first.pages[0]!.text);
});

test("reads a page once if a call lists it twice", async () => {
  const { read, at, asked } = await open({ "/a": send("text/html", story("Twice", "Something")) });
  const { pages, context } = await read({ urls: [at("/a"), at("/a"), at("/a#x")] });
  expect(asked().filter((path) => path === "/a")).toHaveLength(1);
  expect(context.kept).toHaveLength(1);
  expect(pages).toHaveLength(2);
});

test("retries a page that failed", async () => {
  let respond: Respond = send("text/plain", "", 503);
  const { read, at } = await open({ "/a": (asked, response) => respond(asked, response) });
  expect((await read({ url: at("/a") })).pages[0]!.error!.code).toBe("server-error");
  respond = send("text/html", story("Back", "Something"));
  expect((await read({ url: at("/a") })).pages[0]!["title"]).toBe("Back");
});

test("reads the other pages if one fails", async () => {
  const { read, at } = await open({
    "/a": send("text/html", story("First", "One")),
    "/b": (_, response) => void response.socket?.destroy(),
    "/c": send("text/html", story("Third", "Three")),
  });
  const { pages, context } = await read({ urls: ["/a", "/b", "/c", "/gone"].map(at) });
  expect(pages.map((page) => page.error?.code ?? page["title"])).toEqual(["First", "unreadable", "Third", "not-found"]);
  expect(context.sources.map(({ status }) => status).toSorted()).toEqual(["failed", "failed", "read", "read"]);
});

test("reports a page that needs scripts", async () => {
  const app =
    '<!doctype html><html><head><title>App</title></head><body><div id="root"></div><script src="/app.js"></script></body></html>';
  const { read, at } = await open({ "/app": send("text/html", app) });
  const { pages } = await read({ url: at("/app") });
  expect(JSON.stringify(pages[0])).toMatch(/needs-javascript|runs its scripts/);
});

test("reads compressed pages", async () => {
  const { read, at } = await open({
    "/a": (_, response) => {
      response.writeHead(200, { "content-type": "text/html", "content-encoding": "gzip" });
      response.end(gzipSync(story("Packed", "Something")));
    },
  });
  expect((await read({ url: at("/a") })).pages).toMatchObject([{ title: "Packed" }]);
});

test("does not report a stop as a page's failure", async () => {
  const stop = new AbortController();
  const { read, at } = await open({ "/a": () => stop.abort() });
  await expect(read({ url: at("/a") }, { signal: stop.signal })).rejects.toMatchObject({ code: "aborted" });
});

test("accepts `url`, or `urls` with one to four entries", async () => {
  const { tool } = await open({});
  const isValid = (input: object): boolean => tool.input.safeParse(input).success;
  expect(isValid({ url: "https://a.example" })).toBe(true);
  expect(isValid({ urls: ["a", "b", "c", "d"] })).toBe(true);
  expect(isValid({})).toBe(false);
  expect(isValid({ url: "a", urls: ["b"] })).toBe(false);
  expect(isValid({ urls: [] })).toBe(false);
  expect(isValid({ urls: ["a", "b", "c", "d", "e"] })).toBe(false);
  expect(isValid({ url: "x".repeat(2001) })).toBe(false);
});

test("declares its effects, and previews a line for each page", async () => {
  const { tool, read, at } = await open({ "/a": send("text/html", story("First", "One")) });
  expect(tool).toMatchObject({ repeat: "pure", effects: ["read", "egress"] });
  const sources = typeof tool.untrusted === "function" ? tool.untrusted({ url: "https://a.example/b" }) : [];
  expect(sources).toEqual(["a.example"]);
  expect(tool.sends?.({ url: "https://a.example/" })).toEqual({ urls: ["https://a.example/"] });
  expect(tool.sends?.({ urls: ["x", "y", "x"] })).toEqual({ urls: ["x", "y"] });
  const { output } = await read({ urls: [at("/a"), at("/b")] });
  expect(tool.summarize?.({ urls: [] }, output)).toBe(
    `Read [1] First (${at("/a")})\nCould not read ${at("/b")}: not-found`,
  );
});
