import type { Page } from "playwright-core";
import { expect, test } from "vitest";
import { startInstance } from "../support/instance.ts";
import { listOwn } from "./hostile/payloads.ts";
import { expectQuiet, watch } from "./hostile/watch.ts";
import { noBrowser, openPage } from "./open-page.ts";
import { startCanary } from "./preview/attacks.ts";
import { startBareProxy } from "./preview/bare-proxy.ts";

/** Inserts the payloads as HTML, which our page never does. Payloads that navigate away are left out. */
async function insertAsHtml(page: Page, payloads: readonly string[]): Promise<void> {
  const inserted = payloads.filter((payload) => !/refresh|<base/.test(payload));
  // Some payloads shadow DOM properties by an element name, so these are read before any payload is inserted.
  await page.evaluate(`{
    const { body } = document;
    const create = document.createElement.bind(document);
    for (const text of ${JSON.stringify(inserted)}) {
      const box = create("div");
      body.append(box);
      box.innerHTML = text;
    }
  }`);
}

test.skipIf(noBrowser)(
  "control: inserted as HTML without our CSP, payloads run scripts and send requests",
  async () => {
    const canary = await startCanary();
    const instance = await startInstance();
    const bare = await startBareProxy(instance.url);
    const page = await openPage(bare.url, { allowErrors: true });
    const seen = await watch(page, bare.url);
    await page.reload();
    await insertAsHtml(page, listOwn(canary.url));
    await expect.poll(() => seen.ran.length).toBeGreaterThan(8);
    await expect.poll(() => canary.seen.paths.size).toBeGreaterThan(15);
    expect(seen.markup.length).toBeGreaterThan(60);
    await expect(expectQuiet(page, seen, canary, "control")).rejects.toThrow(/control/);
    console.log(`without CSP: ${seen.ran.length} scripts ran, ${canary.seen.paths.size} URLs were requested`);
  },
);

test.skipIf(noBrowser)("control: inserted as HTML under our CSP, payloads are blocked and reported", async () => {
  const canary = await startCanary();
  const { url } = await startInstance();
  const page = await openPage(url, { allowErrors: true });
  const seen = await watch(page, url);
  await page.reload();
  await insertAsHtml(page, listOwn(canary.url));
  await expect.poll(() => seen.blocked.length).toBeGreaterThan(20);
  expect(seen.ran).toEqual([]);
  expect([...canary.seen.paths]).toEqual([]);
  await expect(expectQuiet(page, seen, canary, "control")).rejects.toThrow(/control/);
  console.log(`with CSP: ${seen.blocked.length} reports, 0 scripts ran, 0 URLs were requested`);
});
