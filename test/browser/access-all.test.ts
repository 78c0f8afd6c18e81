import type { Page } from "playwright-core";
import { afterAll, beforeAll, expect, test } from "vitest";
import { startAccessServers, type AccessServers } from "./access/access-servers.ts";
import { views, type View } from "./access/views.ts";
import { findBarriers } from "./check-access.ts";
import { noBrowser, openPage } from "./open-page.ts";

const devices = [
  ["a desk", { viewport: { width: 1440, height: 900 } }],
  ["a phone", { viewport: { width: 390, height: 844 }, hasTouch: true, isMobile: true }],
] as const;

let houses: AccessServers | undefined;
beforeAll(async () => {
  if (!noBrowser) houses = await startAccessServers();
});
afterAll(() => houses?.close());

async function findIn(page: Page, where: string): Promise<readonly string[]> {
  const isWider = (await page.evaluate("document.documentElement.scrollWidth <= innerWidth")) !== true;
  return [...(await findBarriers(page, where)), ...(isWider ? [`${where}: it is wider than the screen`] : [])];
}

async function look(view: View, houseOf: AccessServers): Promise<readonly string[]> {
  const { url } = houseOf[view.house];
  const found = await Promise.all(
    devices.map(async ([device, options]) => {
      // The page itself is loaded by the view.
      const page = await openPage("about:blank", { ...options, allowErrors: view.isRefused ?? false });
      await view.open({ page, url, isPhone: device === "a phone", sharePath: houseOf.lived.sharePath });
      return findIn(page, `${view.name} on ${device}`);
    }),
  );
  return found.flat();
}

test.skipIf(noBrowser).each(views.map((view) => [view.name, view] as const))(
  "%s: nothing stands in anyone's way, at a desk and on a phone, light and dark",
  async (_, view) => {
    expect(await look(view, houses as AccessServers)).toEqual([]);
  },
);
