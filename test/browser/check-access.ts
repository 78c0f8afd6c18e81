import { AxeBuilder } from "@axe-core/playwright";
import type { Page } from "playwright-core";
import { expect } from "vitest";

/** No finding of axe, of any kind, in what the page shows now. */
export async function checkAccess(page: Page, where: string): Promise<void> {
  // An element that is still fading in has colours of its own; one that went meanwhile has none.
  await page.evaluate(
    "Promise.allSettled(document.getAnimations().filter((a) => a.effect?.getTiming().iterations === 1).map((a) => a.finished))",
  );
  const { violations } = await new AxeBuilder({ page }).analyze();
  const found = violations.flatMap(({ id, nodes }) =>
    nodes.map(({ html, any }) => `${where}: ${id} ${any[0]?.message ?? ""} ${html}`),
  );
  expect(found).toEqual([]);
}
