import { AxeBuilder } from "@axe-core/playwright";
import type { Page } from "playwright-core";
import { expect } from "vitest";

/** The other theme has the same elements in other colours: only what depends on them can be another. All of it when deep. */
const ofColours = ["color-contrast", "link-in-text-block"];
const isDeep = process.env["STONECHAT_DEEP"] === "1";

/** What axe finds in what the page shows now, in both themes; it changes from one to the other as it does for a person. */
export async function findBarriers(page: Page, where: string): Promise<readonly string[]> {
  const found: string[] = [];
  for (const colorScheme of ["dark", "light"] as const) {
    await page.emulateMedia({ colorScheme });
    // An element that is still fading in has colours of its own.
    await page.evaluate(
      "for (const one of document.getAnimations()) if (one.effect?.getTiming().iterations === 1) one.finish()",
    );
    // What axe would finish in a page of its own it can finish here.
    const axe = new AxeBuilder({ page }).setLegacyMode(true);
    const { violations } = await (colorScheme === "light" || isDeep ? axe : axe.withRules(ofColours)).analyze();
    for (const { id, nodes } of violations)
      for (const { html, any } of nodes) found.push(`${where}, ${colorScheme}: ${id} ${any[0]?.message ?? ""} ${html}`);
  }
  return found;
}

export const checkAccess = async (page: Page, where: string): Promise<void> =>
  expect(await findBarriers(page, where)).toEqual([]);
