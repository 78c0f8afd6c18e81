import type { Page } from "playwright-core";
import { expect, onTestFinished } from "vitest";
import { openPage } from "../open-page.ts";

/** Opens a page and waits until its service worker answers its requests. */
export async function openInstalled(url: string, options: Parameters<typeof openPage>[1] = {}): Promise<Page> {
  const page = await openPage(url, { serviceWorkers: "allow", ...options });
  // Its settings cannot be reset while its service worker waits for a server that is gone.
  onTestFinished(() => page.context().close());
  await expect.poll(() => page.evaluate("navigator.serviceWorker.controller !== null")).toBe(true);
  return page;
}

export type CachedFile = { readonly cache: string; readonly path: string; readonly text: string };

/** Everything that the origin has cached. */
export const listCached = (page: Page): Promise<readonly CachedFile[]> =>
  page.evaluate(`(async () => {
    const found = [];
    for (const cache of await caches.keys()) {
      for (const request of await (await caches.open(cache)).keys()) {
        const response = await caches.match(request, { cacheName: cache });
        found.push({ cache, path: new URL(request.url).pathname, text: (await response.text()).slice(0, 500_000) });
      }
    }
    return found;
  })()`);

export async function seeNote(page: Page, text: string | RegExp): Promise<void> {
  const read = () => page.getByRole("status").allInnerTexts();
  await expect.poll(async () => (await read()).join("\n")).toMatch(text);
}
