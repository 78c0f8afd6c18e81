import { AxeBuilder } from "@axe-core/playwright";
import type { Page } from "playwright-core";
import { afterAll, beforeAll, expect, test } from "vitest";
import { openHouses, type Houses } from "./access/houses.ts";
import { views, type View } from "./access/views.ts";
import { noBrowser, openPage } from "./open-page.ts";

const devices = [
  ["a desk", { viewport: { width: 1440, height: 900 } }],
  ["a phone", { viewport: { width: 390, height: 844 }, hasTouch: true, isMobile: true }],
] as const;

let houses: Houses | undefined;
beforeAll(async () => {
  if (!noBrowser) houses = await openHouses();
});
afterAll(() => houses?.close());

/** The other theme has the same elements in other colours: only what depends on them can be another. All of it when deep. */
const ofColours = ["color-contrast", "link-in-text-block"];
const isDeep = process.env["STONECHAT_DEEP"] === "1";

/** What axe finds, in both themes; the page changes from one to the other as it does for a person. */
async function findIn(page: Page, where: string): Promise<readonly string[]> {
  const found: string[] = [];
  for (const colorScheme of ["light", "dark"] as const) {
    await page.emulateMedia({ colorScheme });
    await page.evaluate(
      "Promise.allSettled(document.getAnimations().filter((a) => a.effect?.getTiming().iterations === 1).map((a) => a.finished))",
    );
    // What axe would finish in a page of its own it can finish here.
    const axe = new AxeBuilder({ page }).setLegacyMode(true);
    const { violations } = await (colorScheme === "light" || isDeep ? axe : axe.withRules(ofColours)).analyze();
    for (const { id, nodes } of violations)
      for (const { html, any } of nodes) found.push(`${where}, ${colorScheme}: ${id} ${any[0]?.message ?? ""} ${html}`);
  }
  if ((await page.evaluate("document.documentElement.scrollWidth <= innerWidth")) !== true)
    found.push(`${where}: it is wider than the screen`);
  return found;
}

async function look(view: View, houseOf: Houses): Promise<readonly string[]> {
  const { url } = houseOf[view.house];
  const found = await Promise.all(
    devices.map(async ([device, options]) => {
      // The page itself is loaded by the view.
      const page = await openPage("about:blank", { ...options, expectTrouble: view.isRefused ?? false });
      await view.open({ page, url, isPhone: device === "a phone", sharePath: houseOf.lived.sharePath });
      return findIn(page, `${view.name} on ${device}`);
    }),
  );
  return found.flat();
}

test.skipIf(noBrowser).each(views.map((view) => [view.name, view] as const))(
  "%s: nothing stands in anyone's way, at a desk and on a phone, light and dark",
  async (_, view) => {
    expect(await look(view, houses as Houses)).toEqual([]);
  },
);
