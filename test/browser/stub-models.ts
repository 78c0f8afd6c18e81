import type { Page } from "playwright-core";
import type { ModelInfo, Response } from "../../protocol/api.ts";

/** The server's models: one changed by the test, and others without a key. */
export async function stubModels(page: Page, change: Partial<ModelInfo>): Promise<void> {
  await page.route("**/api/models", async (route) => {
    const { models } = (await (await route.fetch()).json()) as Response<"listModels">;
    await route.fulfill({
      json: { models: models.map((model) => (model.id === "scripted/script" ? { ...model, ...change } : model)) },
    });
  });
  await page.reload();
}

export const paid: Partial<ModelInfo> = {
  name: "Basalt",
  provider: "openrouter",
  free: false,
  reasoning: true,
  windowTokens: 128_000,
  note: "hard and old",
  prices: { input: 2, output: 8, cacheRead: 0.2, cacheWrite: 2.5 },
};
