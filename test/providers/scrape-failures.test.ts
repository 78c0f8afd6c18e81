import { afterEach, expect, test } from "vitest";
import { createScrapeWebpage, ScrapeOutput } from "../../server/tools/web/scrape-webpage.tool.ts";
import type { PageFaultCode } from "../../server/tools/web/page-fault.ts";
import { toolContext } from "../support/server/tool-context.ts";
import { failures, type Failure, type FailureKind } from "../support/web/failures.ts";
import { openLoopback, send, type Loopback, type Respond } from "../support/web/loopback.ts";
import { toPdf } from "../support/web/pdf.ts";
import { createLoopbackFetch } from "../support/web/searches.ts";

let sites: Loopback[] = [];
afterEach(async () => {
  await Promise.all(sites.map((site) => site.close()));
  sites = [];
});
/** Two sites: a failure of one must not affect the other. */
const open = async (respond: Respond): Promise<Loopback> => {
  const robots = send("text/plain", "User-agent: *\nAllow: /");
  const site = await openLoopback((asked, response) =>
    (asked.path === "/robots.txt" ? robots : respond)(asked, response),
  );
  sites.push(site);
  return site;
};

const codes: Readonly<Record<FailureKind, PageFaultCode>> = {
  rejected: "http-error",
  key: "forbidden",
  quota: "forbidden",
  forbidden: "forbidden",
  "not-found": "not-found",
  rate: "rate-limited",
  server: "server-error",
  garbage: "unreadable",
  shape: "unsupported-type",
  cut: "unreadable",
  time: "timeout",
  large: "too-large",
  loop: "redirect-loop",
  private: "blocked",
  encoding: "unreadable",
};

const pdf = toPdf("The stonechat is a small bird");

/** Failures that only documents have. */
const own: readonly (Failure & { readonly code?: PageFaultCode })[] = [
  { name: "451", kind: "forbidden", respond: send("text/html", "<p>for legal reasons</p>", 451) },
  { name: "an image", kind: "shape", respond: send("image/png", Buffer.from([0x89, 0x50, 0x4e, 0x47, 0, 0])) },
  { name: "an archive", kind: "shape", respond: send("application/zip", "PK\u0003\u0004") },
  { name: "a film", kind: "shape", respond: send("video/mp4", "....") },
  {
    name: "bytes of no stated type",
    kind: "shape",
    respond: (_, response) => void response.end(Buffer.from([0, 1, 2, 3])),
  },
  { name: "a program", kind: "shape", respond: send("application/octet-stream", Buffer.from("\x7fELF\0\0")) },
  { name: "half of a PDF", kind: "garbage", respond: send("application/pdf", pdf.subarray(0, 60)) },
  {
    name: "a page that calls itself a PDF",
    kind: "garbage",
    respond: send("application/pdf", "<html>please sign in</html>"),
  },
  { name: "an empty page", kind: "garbage", code: "empty", respond: send("text/html", "") },
  {
    name: "a page of nothing but space",
    kind: "garbage",
    code: "empty",
    respond: send("text/html", "<html><body> \n </body></html>"),
  },
  { name: "an empty text", kind: "garbage", code: "empty", respond: send("text/plain", " \n") },
  { name: "204", kind: "garbage", code: "empty", respond: (_, response) => void response.writeHead(204).end() },
  { name: "304", kind: "rejected", respond: (_, response) => void response.writeHead(304).end() },
  { name: "a redirect to nowhere", kind: "rejected", respond: (_, response) => void response.writeHead(302).end() },
  {
    name: "a redirect with a password",
    kind: "private",
    code: "bad-url",
    respond: (_, response) => void response.writeHead(302, { location: "http://user:word@127.0.0.1/" }).end(),
  },
];

const expectedCode = (failure: Failure & { readonly code?: PageFaultCode }): PageFaultCode =>
  failure.code ?? (failure.name.endsWith("protocol") ? "bad-url" : codes[failure.kind]);

const all = [...failures, ...own];

test("has at least twenty failures with unique names", () => {
  expect(new Set(all.map(({ name }) => name)).size).toBe(all.length);
  expect(all.length).toBeGreaterThanOrEqual(20);
});

async function scrape(urls: readonly string[], hastyFor?: string) {
  const tool = createScrapeWebpage();
  const [patient, hasty] = [createLoopbackFetch(), createLoopbackFetch(400)];
  const context = toolContext({
    fetch: (url, init) => (hastyFor !== undefined && url.startsWith(hastyFor) ? hasty : patient)(url, init),
  });
  const { output } = await tool.execute(tool.input.parse({ urls }), context);
  return { context, pages: ScrapeOutput.parse(output).pages };
}

test.each(all)("returns $name as data with a code and a text, and reads the other page", async (failure) => {
  const bad = await open(failure.respond);
  const good = await open(send("text/plain", "The stonechat is a small bird."));
  const { pages, context } = await scrape([`${bad.url}/x`, `${good.url}/y`], failure.waits ? bad.url : undefined);
  expect(bad.asked.some(({ path }) => path === "/x")).toBe(true);
  expect(pages[0]).toEqual({
    url: `${bad.url}/x`,
    error: { code: expectedCode(failure), message: expect.stringMatching(/^[\p{Lu}\d].{8,200}\.$/u) },
  });
  expect(pages[1]).toMatchObject({ text: "The stonechat is a small bird." });
  expect(context.kept).toHaveLength(1);
  expect(context.sources.find(({ url }) => url === `${bad.url}/x`)).toMatchObject({ status: "failed" });
});

test.each([
  ["not an address", "example dot com", "bad-url"],
  ["another protocol", "ftp://example.com/", "bad-url"],
  ["a file of this machine", "file:///etc/passwd", "bad-url"],
  ["a password", "http://user:word@example.com/", "bad-url"],
  ["the cloud's own address", "http://169.254.169.254/latest/meta-data/", "blocked"],
  ["a private network", "http://192.168.1.1/", "blocked"],
  ["this machine by name", "http://localhost:3737/", "blocked"],
  ["a port of another protocol", "http://127.0.0.1:25/", "blocked"],
  ["a name that nobody knows", "http://nowhere.example/", "unreachable"],
  ["a port where nobody listens", "http://127.0.0.1:9/", "blocked"],
])("returns %s as data without a request", async (_, url, code) => {
  const { pages, context } = await scrape([url]);
  expect(pages).toMatchObject([{ url, error: { code } }]);
  expect(context.kept).toEqual([]);
});

test("returns a refused connection as data", async () => {
  const gone = await open(() => {});
  await gone.close();
  const { pages } = await scrape([`${gone.url}/x`]);
  expect(pages).toMatchObject([{ error: { code: "unreachable" } }]);
});
