import { chromium, type Browser, type BrowserContextOptions, type Page } from "playwright-core";
import { afterAll, expect, onTestFinished } from "vitest";
import { findChromium } from "../support/chromium.ts";

/**
 * Real Chromium on a real server. Each page has a profile of its own and is closed with its test; a script error or a
 * breach of the content policy in any of them fails the test. Nothing outside of this machine can be reached.
 */
const found = findChromium();
const quietArgs = ["--disable-gpu", "--disable-background-networking", "--disable-component-update", "--disable-sync"];

/** Where there is none, its tests are skipped, and counted as such. */
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
  /** Errors that the test itself brings about, such as a server that is killed. */
  readonly expectTrouble?: boolean;
};

export async function openPage(url: string, { expectTrouble = false, ...options }: Options = {}): Promise<Page> {
  const context = await (await launch()).newContext({ viewport: { width: 1280, height: 860 }, ...options });
  const page = await context.newPage();
  const trouble: string[] = [];
  page.on("pageerror", (error) => trouble.push(String(error)));
  page.on("console", (message) => {
    if (message.type() === "error") trouble.push(`${message.text()} ${message.location().url}`);
  });
  onTestFinished(async () => {
    await context.close();
    if (!expectTrouble) expect(trouble).toEqual([]);
  });
  await page.goto(url);
  return page;
}

export const composerOf = (page: Page) => page.getByRole("textbox", { name: "Message", exact: true });

export async function sendMessage(page: Page, text: string): Promise<void> {
  await composerOf(page).fill(text);
  await composerOf(page).press("Enter");
}

/** Messages as a person sees them: who speaks, and what stands there. */
export const answersOf = (page: Page) => page.getByRole("article", { name: "Stonechat" });
export const questionsOf = (page: Page) => page.getByRole("article", { name: "You", exact: true });
export const rowsOf = (page: Page) => page.getByRole("navigation", { name: "Threads" }).getByRole("link");

/** Waits until the text fits; a failure shows what was there instead. */
export async function seeText(read: () => Promise<string>, fits: RegExp | string): Promise<void> {
  if (typeof fits === "string") await expect.poll(read, { timeout: 15_000 }).toContain(fits);
  else await expect.poll(read, { timeout: 15_000 }).toMatch(fits);
}
