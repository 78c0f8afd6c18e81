import type { Page } from "playwright-core";
import { afterAll, beforeAll, expect, test } from "vitest";
import { startAccessServers, type AccessServers } from "./access/access-servers.ts";
import { views, type View } from "./access/views.ts";
import { findBarriers } from "./check-access.ts";
import { noBrowser, openPage } from "./open-page.ts";

const devices = [
  ["desktop", { viewport: { width: 1440, height: 900 } }],
  ["phone", { viewport: { width: 390, height: 844 }, hasTouch: true, isMobile: true }],
] as const;

let servers: AccessServers | undefined;
beforeAll(async () => {
  if (!noBrowser) servers = await startAccessServers();
});
afterAll(() => servers?.close());

async function findIn(page: Page, where: string): Promise<readonly string[]> {
  const isTooWide = (await page.evaluate("document.documentElement.scrollWidth <= innerWidth")) !== true;
  return [...(await findBarriers(page, where)), ...(isTooWide ? [`${where}: wider than the screen`] : [])];
}

async function findInView(view: View, all: AccessServers): Promise<readonly string[]> {
  const { url } = all[view.server];
  const found = await Promise.all(
    devices.map(async ([device, options]) => {
      // The page itself is loaded by the view.
      const page = await openPage("about:blank", { ...options, allowErrors: view.hasFailedRequest ?? false });
      await view.open({ page, url, isPhone: device === "phone", sharePath: all.filled.sharePath });
      return findIn(page, `${view.name} on ${device}`);
    }),
  );
  return found.flat();
}

test.skipIf(noBrowser).each(views.map((view) => [view.name, view] as const))(
  "%s is accessible on desktop and phone, light and dark",
  async (_, view) => {
    expect(await findInView(view, servers as AccessServers)).toEqual([]);
  },
);
