import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import type { Page } from "playwright-core";
import { expect } from "vitest";

/** The other theme has the same elements in other colours: only what depends on them can be another. All of it when deep. */
const ofColours = ["color-contrast", "link-in-text-block"];
const isDeep = process.env["STONECHAT_DEEP"] === "1";

/**
 * `AxeBuilder` compiles 1.4 MB of source twice for every analysis and returns every element that passes: that takes five
 * times as long as the analysis. Here the minified source is loaded once per document, and only violations come back.
 */
const axeSource = readFileSync(
  createRequire(import.meta.resolve("@axe-core/playwright")).resolve("axe-core/axe.min.js"),
  "utf8",
);
type Violation = { readonly id: string; readonly message: string; readonly html: string };

/** Violations that axe finds on the current page, in the dark and the light theme. */
export async function findBarriers(page: Page, where: string): Promise<readonly string[]> {
  const found: string[] = [];
  for (const colorScheme of ["dark", "light"] as const) {
    await page.emulateMedia({ colorScheme });
    // The colours of an element that is fading in are not final.
    await page.evaluate(
      "for (const one of document.getAnimations()) if (one.effect?.getTiming().iterations === 1) one.finish()",
    );
    const rules = colorScheme === "light" || isDeep ? undefined : ofColours;
    for (const { id, message, html } of await runAxe(page, rules))
      found.push(`${where}, ${colorScheme}: ${id} ${message} ${html}`);
  }
  return found;
}

/** Frames of the same origin are part of the analysis if axe is loaded in them. */
async function runAxe(page: Page, rules: readonly string[] | undefined): Promise<readonly Violation[]> {
  for (const frame of page.frames()) {
    const load = async (): Promise<void> => {
      if (await frame.evaluate("typeof axe === 'undefined'")) await frame.evaluate(axeSource);
    };
    await load().catch((error: unknown) => {
      if (frame === page.mainFrame()) throw error;
    });
  }
  const options = { resultTypes: ["violations"], ...(rules ? { runOnly: { type: "rule", values: rules } } : {}) };
  return page.evaluate<readonly Violation[]>(
    `axe.run(document, ${JSON.stringify(options)}).then(({ violations }) => violations.flatMap(({ id, nodes }) =>
      nodes.map(({ html, any }) => ({ id, html, message: any[0]?.message ?? "" }))))`,
  );
}

export const checkAccess = async (page: Page, where: string): Promise<void> =>
  expect(await findBarriers(page, where)).toEqual([]);
