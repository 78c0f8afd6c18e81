import { chromium, type Browser, type BrowserContext, type BrowserContextOptions, type Page } from "playwright-core";
import { expect, onTestFinished } from "vitest";
import { findChromium } from "../support/chromium.ts";

/**
 * Runs Chromium against a real server. Pages are closed with their test. Their profiles are emptied and used again by later
 * tests, because loading the page into a new one takes twice as long. A script error or a violation of the content security policy fails the test. Only this machine can be reached.
 */
const found = findChromium();
const quietArgs = ["--disable-gpu", "--disable-background-networking", "--disable-component-update", "--disable-sync"];

/** Without Chromium the browser tests are skipped and reported as skipped. */
export const noBrowser = found === undefined;

/** One per worker, for all its files (`isolate: false`). Chromium exits when the worker does, because its pipe closes. */
let browser: Promise<Browser> | undefined;

const launch = (): Promise<Browser> =>
  (browser ??= chromium.launch({
    executablePath: found?.executablePath ?? "",
    args: [
      ...(found?.args ?? []),
      ...quietArgs,
      "--no-first-run",
      "--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1, EXCLUDE localhost",
    ],
  }));

/** Playwright waits for animations before it clicks. Tests of motion set `reducedMotion` themselves. */
const defaults: BrowserContextOptions = {
  viewport: { width: 1280, height: 860 },
  reducedMotion: "reduce",
  // Tests of the service worker allow it. It would answer requests that other tests change or count.
  serviceWorkers: "block",
};

type Options = BrowserContextOptions & {
  /** Set by tests that cause errors, such as killing the server. */
  readonly allowErrors?: boolean;
};

export async function openPage(url: string, { allowErrors = false, ...options }: Options = {}): Promise<Page> {
  const key = JSON.stringify(options);
  const context = idle.get(key)?.pop() ?? (await createContext(options));
  const { page, errors } = await addPage(context);
  onTestFinished(async () => {
    await clean(context, key);
    if (!allowErrors) expect(errors).toEqual([]);
  });
  await removeStored(page);
  await page.goto(url);
  return page;
}

/** Contexts that no test uses at the moment, by their options. Each has been in use by one test at a time. */
const idle = new Map<string, BrowserContext[]>();
const closed = new WeakSet<BrowserContext>();
/** The origins whose pages a context has loaded. */
const visited = new WeakMap<BrowserContext, Set<string>>();

/** Undoes what tests change in a context. A test may close its context instead. */
async function clean(context: BrowserContext, key: string): Promise<void> {
  if (closed.has(context)) return;
  await Promise.all(context.pages().map((page) => page.close()));
  for (const event of ["page", "request", "response"]) context.removeAllListeners(event);
  await Promise.all([context.clearCookies(), context.unrouteAll(), context.setOffline(false)]);
  idle.set(key, [...(idle.get(key) ?? []), context]);
}

/** A server can get the port of an earlier one, and with it what its pages stored, also while they were closed. */
async function removeStored(page: Page): Promise<void> {
  const origins = visited.get(page.context());
  if (!origins?.size) return;
  const session = await page.context().newCDPSession(page);
  for (const origin of origins) await session.send("Storage.clearDataForOrigin", { origin, storageTypes: "all" });
  await session.detach();
  origins.clear();
}

/** A page that several tests use: the caller closes its context and checks its errors. */
export const createPage = async (options: BrowserContextOptions) => addPage(await createContext(options));

async function createContext(options: BrowserContextOptions): Promise<BrowserContext> {
  const context = await (await launch()).newContext({ ...defaults, ...options });
  context.setDefaultTimeout(60_000);
  context.once("close", () => closed.add(context));
  visited.set(context, new Set());
  return context;
}

async function addPage(context: BrowserContext) {
  const page = await context.newPage();
  const errors: string[] = [];
  page.on("framenavigated", (frame) => {
    const origin = /^https?:\/\/[^/]+/.exec(frame.url())?.[0];
    if (origin !== undefined) visited.get(context)?.add(origin);
  });
  page.on("pageerror", (error) => errors.push(String(error)));
  page.on("console", (message) => {
    if (message.type() === "error") errors.push(`${message.text()} ${message.location().url}`);
  });
  return { page, errors };
}

export const composerOf = (page: Page) => page.getByRole("textbox", { name: "Message", exact: true });

export async function sendMessage(page: Page, text: string): Promise<void> {
  await composerOf(page).fill(text);
  await composerOf(page).press("Enter");
}

export const answersOf = (page: Page) => page.getByRole("article", { name: "Stonechat" });
export const questionsOf = (page: Page) => page.getByRole("article", { name: "You", exact: true });
export const rowsOf = (page: Page) => page.getByRole("navigation", { name: "Threads" }).getByRole("link");

/** Waits until the text matches; a failure shows the last text. */
export async function seeText(read: () => Promise<string>, expected: RegExp | string): Promise<void> {
  if (typeof expected === "string") await expect.poll(read).toContain(expected);
  else await expect.poll(read).toMatch(expected);
}
