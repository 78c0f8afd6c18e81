import { chromium, type Browser, type BrowserContextOptions, type Page } from "playwright-core";
import { expect, onTestFinished } from "vitest";
import { findChromium } from "../support/chromium.ts";

/**
 * Runs Chromium against a real server. Each page has a separate profile and is closed with its test. A script error or a
 * violation of the content security policy fails the test. Only this machine can be reached.
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
const defaults: BrowserContextOptions = { viewport: { width: 1280, height: 860 }, reducedMotion: "reduce" };

type Options = BrowserContextOptions & {
  /** For tests that cause errors, such as killing the server. */
  readonly allowErrors?: boolean;
};

export async function openPage(url: string, { allowErrors = false, ...options }: Options = {}): Promise<Page> {
  const { page, errors } = await createPage(options);
  onTestFinished(async () => {
    await page.context().close();
    if (!allowErrors) expect(errors).toEqual([]);
  });
  await page.goto(url);
  return page;
}

/** A page that several tests use: the caller closes its context and checks its errors. */
export async function createPage(options: BrowserContextOptions) {
  const context = await (await launch()).newContext({ ...defaults, ...options });
  const page = await context.newPage();
  const errors: string[] = [];
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
  if (typeof expected === "string") await expect.poll(read, { timeout: 15_000 }).toContain(expected);
  else await expect.poll(read, { timeout: 15_000 }).toMatch(expected);
}
