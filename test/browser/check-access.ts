import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import type { Page } from "playwright-core";
import { expect } from "vitest";

/** Deep runs check everything on both devices and in both themes. Other runs check it once, and alternate between them. */
const isDeep = process.env["STONECHAT_DEEP"] === "1";

export const devices = [
  ["desktop", { viewport: { width: 1440, height: 900 } }],
  ["phone", { viewport: { width: 390, height: 844 }, hasTouch: true, isMobile: true }],
] as const;
export type Device = (typeof devices)[number];

/** The devices on which the check with this number runs. */
export const devicesOf = (turn: number): readonly Device[] =>
  isDeep ? devices : devices.slice(turn % devices.length, (turn % devices.length) + 1);

const themes = ["dark", "light"] as const;
type Theme = (typeof themes)[number];
const themesOf = (where: string): readonly Theme[] => {
  if (isDeep) return themes;
  let sum = 0;
  for (const letter of where) sum += letter.codePointAt(0) ?? 0;
  return [themes[sum % 2] ?? "dark"];
};

/**
 * `AxeBuilder` compiles 1.4 MB of source twice for every analysis and returns every element that passes: that takes five
 * times as long as the analysis. Here the minified source is loaded once per document, and only violations come back.
 */
const axeSource = readFileSync(
  createRequire(import.meta.resolve("@axe-core/playwright")).resolve("axe-core/axe.min.js"),
  "utf8",
);

/** The colors during a transition are not final. A change of the theme starts its transitions within two frames. */
const finishAnimations = `(async () => {
  for (let round = 0; round < 2; round += 1) {
    await new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)));
    for (const one of document.getAnimations()) if (one.effect?.getTiming().iterations === 1) one.finish();
  }
})()`;

type Violation = { readonly id: string; readonly message: string; readonly html: string };

/** Violations that axe finds on the current page. */
export async function findBarriers(
  page: Page,
  where: string,
  chosen: readonly Theme[] = themesOf(where),
): Promise<readonly string[]> {
  const found: string[] = [];
  for (const colorScheme of chosen) {
    await page.emulateMedia({ colorScheme });
    await page.evaluate(finishAnimations);
    for (const { id, message, html } of await runAxe(page))
      found.push(`${where}, ${colorScheme}: ${id} ${message} ${html}`);
  }
  return found;
}

/** Frames of the same origin are part of the analysis if axe is loaded in them. */
async function runAxe(page: Page): Promise<readonly Violation[]> {
  for (const frame of page.frames()) {
    const load = async (): Promise<void> => {
      if (await frame.evaluate("typeof axe === 'undefined'")) await frame.evaluate(axeSource);
    };
    await load().catch((error: unknown) => {
      if (frame === page.mainFrame()) throw error;
    });
  }
  return page.evaluate<readonly Violation[]>(
    `axe.run(document, { resultTypes: ["violations"] }).then(({ violations }) => violations.flatMap(({ id, nodes }) =>
      nodes.map(({ html, any }) => ({ id, html, message: any[0]?.message ?? "" }))))`,
  );
}

/** Fails on violations, and if the page is wider than the screen. */
export async function checkAccess(page: Page, where: string): Promise<void> {
  expect(await findBarriers(page, where)).toEqual([]);
  expect(await page.evaluate("document.documentElement.scrollWidth <= innerWidth"), `${where} fits the width`).toBe(
    true,
  );
}
