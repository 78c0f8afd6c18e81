import { chromium, type Browser, type BrowserContextOptions, type Page } from "playwright-core";
import { afterAll, expect, onTestFinished } from "vitest";
import { findChromium } from "../support/chromium.ts";

/**
 * Runs Chromium against a real server. Each page has a separate profile and is closed with its test. A script error or a
 * violation of the content security policy fails the test. Only this machine can be reached.
 */
const found = findChromium();
const quietArgs = ["--disable-gpu", "--disable-background-networking", "--disable-component-update", "--disable-sync"];

/** Without Chromium the browser tests are skipped and reported as skipped. */
export const noBrowser = found === undefined;

let browser: Promise<Browser> | undefined;
afterAll(async () => (await browser)?.close());

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

type Options = BrowserContextOptions & {
  /** For tests that cause errors, such as killing the server. */
  readonly allowErrors?: boolean;
};

export async function openPage(url: string, { allowErrors = false, ...options }: Options = {}): Promise<Page> {
  const context = await (await launch()).newContext({ viewport: { width: 1280, height: 860 }, ...options });
  const page = await context.newPage();
  const errors: string[] = [];
  page.on("pageerror", (error) => errors.push(String(error)));
  page.on("console", (message) => {
    if (message.type() === "error") errors.push(`${message.text()} ${message.location().url}`);
  });
  onTestFinished(async () => {
    await context.close();
    if (!allowErrors) expect(errors).toEqual([]);
  });
  await page.goto(url);
  return page;
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
