import { chromium, type Browser, type CDPSession, type Page } from "playwright-core";
import type { Chromium } from "../../test/support/chromium.ts";
import type { Arena } from "../arena.ts";
import type { Series } from "../report.ts";
import { seedThreads } from "../seed.ts";
import { servePeer } from "./peer/serve.ts";
import { watchPage } from "./watch.ts";

/** One of the compared pages. */
export type Contestant = {
  /** The suffix of its figures' ids. */
  readonly suffix: "" | ".assistant-ui";
  readonly url: string;
  /** Ends the running answers. */
  readonly halt: () => Promise<void>;
};

export type Stage = {
  readonly contestants: readonly Contestant[];
  /** In a separate browser that is closed with the page: nothing is cached, and a page that hangs blocks no other. */
  readonly open: <T>(work: (opened: OpenedPage) => Promise<T>) => Promise<T>;
  readonly close: () => Promise<void>;
};

export type OpenedPage = { readonly browser: Browser; readonly page: Page; readonly cdp: CDPSession };

/** The input of a measure. */
export type Trial = {
  readonly stage: Stage;
  readonly series: Series;
  readonly quick: boolean;
  readonly minutes: number;
  readonly say: (text: string) => void;
};

export const LONG = 50_000;
/** A length that both pages can handle. */
export const SHORT = 1_000;

export async function createStage(arena: Arena, chromiumHere: Chromium): Promise<Stage> {
  const place = await arena.createPlace("sqlite");
  await seedThreads(place, [LONG, SHORT]);
  const [ours, peer] = await Promise.all([arena.start("sqlite", { place }), servePeer([LONG, SHORT])]);
  return {
    contestants: [
      { suffix: "", url: ours.url, halt: ours.halt },
      { suffix: ".assistant-ui", url: peer.url, halt: peer.halt },
    ],
    open: (work) => openBrowser(chromiumHere, work),
    close: peer.close,
  };
}

async function openBrowser<T>(
  { executablePath, args }: Chromium,
  work: (opened: OpenedPage) => Promise<T>,
): Promise<T> {
  const browser = await chromium.launch({ executablePath, args: [...args, "--disable-gpu"] });
  try {
    const page = await browser.newPage({ viewport: { width: 1280, height: 860 } });
    await page.addInitScript(watchPage);
    return await work({ browser, page, cdp: await page.context().newCDPSession(page) });
  } finally {
    await browser.close();
  }
}

export const composerOf = (page: Page) => page.getByRole("textbox", { name: "Message", exact: true });

export async function send(page: Page, text: string): Promise<void> {
  await composerOf(page).fill(text);
  await composerOf(page).press("Enter");
}

/** Reads a value of the script in the page. */
export const ask = async (page: Page, expression: string): Promise<unknown> =>
  page.evaluate(`globalThis.benchWatch.${expression}`);

/** Polls from outside, since the page's policy forbids eval. False: the condition was not met in time. */
export async function waitUntil(page: Page, expression: string, limitS: number): Promise<boolean> {
  const until = performance.now() + limitS * 1000;
  while (!(await ask(page, expression))) {
    if (performance.now() > until) return false;
    await page.waitForTimeout(200);
  }
  return true;
}
