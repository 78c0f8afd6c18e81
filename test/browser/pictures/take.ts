import { mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { chromium, type Page } from "playwright-core";
import { createClient } from "../../../protocol/client.ts";
import { readConfig } from "../../../server/config/config.ts";
import type { Script } from "../../../server/model/scripted.ts";
import { serve } from "../../../server/serve.ts";
import { findChromium } from "../../support/chromium.ts";
import { answer, furnish, projectId, questions, threadId } from "./sample.ts";

/**
 * `npm run pictures`: starts Stonechat with a scripted model, plays the sample, and writes what a person sees to docs/pictures,
 * light and dark, at a desk and on a phone.
 */
const found = findChromium();
if (!found) throw new Error("No Chromium is here: install one, or name it with TEST_CHROMIUM.");
const folder = new URL("../../../docs/pictures/", import.meta.url).pathname;
mkdirSync(folder, { recursive: true });
const dataDir = mkdtempSync(join(tmpdir(), "stonechat-pictures-"));
const config = readConfig({
  STONECHAT_DATA: dataDir,
  STONECHAT_PORT: "0",
  STONECHAT_SCRIPTED: "1",
  STONECHAT_MODEL: "scripted/script",
  STONECHAT_FALLBACKS: ",",
  STONECHAT_LOG: "silent",
});
const models = { ...config.models, scripted: answer as Script };
const server = await serve({ ...config, models } as unknown as typeof config);
const client = createClient({ baseUrl: server.url });
const browser = await chromium.launch({ executablePath: found.executablePath, args: [...found.args, "--disable-gpu"] });

const sizes = { desk: { width: 1280, height: 940 }, phone: { width: 390, height: 780 } } as const;

/** Draws the same thing in both themes. */
async function take(name: string, path: string, size: keyof typeof sizes, act: (page: Page) => Promise<void>) {
  for (const theme of ["light", "dark"] as const) {
    const context = await browser.newContext({ viewport: sizes[size], colorScheme: theme, reducedMotion: "reduce" });
    const page = await context.newPage();
    await page.goto(`${server.url}${path}`);
    await act(page);
    // Fonts, formulas and frames come by themselves; nothing says when the last of them is drawn.
    await page.waitForTimeout(1500);
    await page.screenshot({ path: join(folder, `${name}-${theme}.png`) });
    await context.close();
  }
}

async function ask(text: string): Promise<void> {
  const page = await browser.newPage();
  await page.goto(`${server.url}/t/${threadId}`);
  const box = page.getByRole("textbox", { name: "Message", exact: true });
  await box.fill(text);
  await box.press("Enter");
  await page
    .getByText(text === questions[0] ? "const pull" : "high water.")
    .last()
    .waitFor();
  await page.close();
}

try {
  await furnish(client);
  for (const question of questions) await ask(question);
  const settled = (page: Page): Promise<void> => page.getByRole("article").last().waitFor();
  await take("thread", `/t/${threadId}`, "desk", settled);
  await take("phone", `/t/${threadId}`, "phone", settled);
  await take("seen", `/t/${threadId}`, "desk", async (page) => {
    await settled(page);
    await page.getByRole("button", { name: "What the model saw" }).last().click();
  });
  await take("project", `/p/${projectId}`, "desk", (page) => page.getByText("Order granite").first().waitFor());
} finally {
  await browser.close();
  await server.close();
  rmSync(dataDir, { recursive: true, force: true });
}
