import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import type { Page } from "playwright-core";
import { expect } from "vitest";

/** Both themes have the same elements, so the second is checked only for rules that depend on colours. Deep runs check all. */
const colourRules = ["color-contrast", "link-in-text-block"];
const isDeep = process.env["STONECHAT_DEEP"] === "1";

/**
 * `AxeBuilder` compiles 1.4 MB of source twice for every analysis and returns every element that passes: that takes five
 * times as long as the analysis. Here the minified source is loaded once per document, and only violations come back.
 */
const axeSource = readFileSync(
  createRequire(import.meta.resolve("@axe-core/playwright")).resolve("axe-core/axe.min.js"),
  "utf8",
);

/** The colours during a transition are not final. A change of the theme starts its transitions within two frames. */
const finishAnimations = `(async () => {
  for (let round = 0; round < 2; round += 1) {
    await new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)));
    for (const one of document.getAnimations()) if (one.effect?.getTiming().iterations === 1) one.finish();
  }
})()`;

type Violation = { readonly id: string; readonly message: string; readonly html: string };

/** Violations that axe finds on the current page, in the dark and the light theme. */
export async function findBarriers(page: Page, where: string): Promise<readonly string[]> {
  const found: string[] = [];
  for (const colorScheme of ["dark", "light"] as const) {
    await page.emulateMedia({ colorScheme });
    await page.evaluate(finishAnimations);
    const rules = colorScheme === "light" || isDeep ? undefined : colourRules;
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
