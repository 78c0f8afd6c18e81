import { LimitExceeded } from "../../lib/bounded-process.ts";
import { decodeDocument, type Fetch, type FetchResponse } from "../../net/fetch.ts";
import { extract, type Page } from "./extract.ts";
import { assertStatus, PageError } from "./page-fault.ts";

/** An extracted page with its final URL after redirects. */
export type ReadPage = { readonly url: string; readonly type: string; readonly page: Page };

const MAX_BYTES = 12 * 1024 * 1024;
const TIMEOUT_MS = 25_000;
const accept = "text/html,application/xhtml+xml,application/pdf,text/plain,application/json;q=0.9,*/*;q=0.5";

/** Fetches a URL, obeying robots.txt, and converts it to Markdown. Fails with a `UnreadPage` or a `NetError`. */
export async function readPage(url: string, fetch: Fetch, signal: AbortSignal): Promise<ReadPage> {
  const fetched = await fetch(url, {
    headers: { accept },
    robots: true,
    maxBytes: MAX_BYTES,
    timeoutMs: TIMEOUT_MS,
    signal,
  });
  assertStatus(fetched.status);
  const type = toType(fetched);
  const page = await extractFrom(fetched, type);
  if (page.markdown.trim() !== "") return { url: fetched.url, type, page };
  if (page.needsJavaScript)
    throw new PageError("needs-javascript", "The page shows its text only in a browser that runs its scripts.");
  throw new PageError("empty", "The page contains no text.");
}

const readable =
  /^(text\/(?!css|javascript|event-stream)[\w.+-]+|application\/([\w.+-]+\+)?(json|xml|xhtml\+xml|pdf|ld\+json|x-ndjson))$/;
const vague = /^(application\/octet-stream|binary\/octet-stream|application\/download|)$/;

/** Detects the type by the first bytes if the server sends `octet-stream` or no type. */
function toType({ type, body }: FetchResponse): string {
  const start = Buffer.from(body.subarray(0, 512));
  if (start.subarray(0, 5).toString("latin1") === "%PDF-") return "application/pdf";
  if (type === "application/pdf") throw new PageError("unreadable", "The site says this is a PDF, but it is not.");
  if (readable.test(type)) return type;
  const shown = type === "" ? "a file without a type" : type;
  if (!vague.test(type) || start.includes(0))
    throw new PageError("unsupported-type", `This is ${shown}, which cannot be read as text.`);
  return /^\s*</.test(start.toString("latin1")) ? "text/html" : "text/plain";
}

/** Every extraction error becomes a `PageError`. */
async function extractFrom(fetched: FetchResponse, type: string): Promise<Page> {
  try {
    const text = type === "application/pdf" ? "" : decodeDocument({ ...fetched, type });
    return await extract({ body: fetched.body, text, type, url: fetched.url });
  } catch (cause) {
    const what = type === "application/pdf" ? "PDF" : "page";
    if (cause instanceof LimitExceeded && cause.limit === "memory")
      throw new PageError("unreadable", `This ${what} needs more memory than allowed and was not read.`, { cause });
    if (cause instanceof LimitExceeded && cause.limit === "time")
      throw new PageError("unreadable", `This ${what} takes longer to read than allowed and was not read.`, {
        cause,
      });
    throw new PageError("unreadable", "The document is damaged or protected and could not be read.", { cause });
  }
}
