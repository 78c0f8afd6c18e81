import type { Page } from "playwright-core";
import { expect, test } from "vitest";
import { startInstance } from "../support/instance.ts";
import { listOwn } from "./hostile/forms.ts";
import { expectQuiet, watch } from "./hostile/watch.ts";
import { noBrowser, openPage } from "./open-page.ts";
import { startCanary } from "./preview/attacks.ts";
import { startBareProxy } from "./preview/bare-proxy.ts";

/** What no page of ours does: takes the texts for markup. Not those that lead the whole page away. */
async function drawAsMarkup(page: Page, forms: readonly string[]): Promise<void> {
  const harmless = forms.filter((form) => !/refresh|<base/.test(form));
  // Some of them give an element the name of what is called here: each is asked for once, before any is drawn.
  await page.evaluate(`{
    const { body } = document;
    const create = document.createElement.bind(document);
    for (const text of ${JSON.stringify(harmless)}) {
      const place = create("div");
      body.append(place);
      place.innerHTML = text;
    }
  }`);
}

test.skipIf(noBrowser)("drawn as markup and without our policy they run and ask: the control", async () => {
  const canary = await startCanary();
  const instance = await startInstance();
  const bare = await startBareProxy(instance.url);
  const page = await openPage(bare.url, { allowErrors: true });
  const seen = await watch(page, bare.url);
  await page.reload();
  await drawAsMarkup(page, listOwn(canary.url));
  await expect.poll(() => seen.ran.length).toBeGreaterThan(8);
  await expect.poll(() => canary.seen.paths.size).toBeGreaterThan(15);
  expect(seen.markup.length).toBeGreaterThan(60);
  await expect(expectQuiet(page, seen, canary, "control")).rejects.toThrow(/control/);
  console.log(`the control: ${seen.ran.length} ran, ${canary.seen.paths.size} addresses were asked for`);
});

test.skipIf(noBrowser)("drawn as markup under our policy they are stopped and told of: its control", async () => {
  const canary = await startCanary();
  const { url } = await startInstance();
  const page = await openPage(url, { allowErrors: true });
  const seen = await watch(page, url);
  await page.reload();
  await drawAsMarkup(page, listOwn(canary.url));
  await expect.poll(() => seen.blocked.length).toBeGreaterThan(20);
  expect(seen.ran).toEqual([]);
  expect([...canary.seen.paths]).toEqual([]);
  await expect(expectQuiet(page, seen, canary, "control")).rejects.toThrow(/control/);
  console.log(`under the policy: ${seen.blocked.length} reports, 0 ran, 0 addresses were asked for`);
});
