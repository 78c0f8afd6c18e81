import { mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { chromium, type Page } from "playwright-core";
import { createClient } from "../../../protocol/client.ts";
import { readConfig } from "../../../server/config/config.ts";
import type { Script } from "../../../server/model/scripted.ts";
import { serve } from "../../../server/serve.ts";
import { findChromium } from "../../support/chromium.ts";
import { answer, createSampleProject, projectId, questions, threadId } from "./sample.ts";

/**
 * `npm run pictures`: starts Stonechat with a scripted model, plays the sample conversation and writes screenshots to
 * docs/pictures: light and dark, desktop and phone.
 */
const found = findChromium();
if (!found) throw new Error("Chromium was not found. Install it, or set TEST_CHROMIUM to its path.");
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

const sizes = { desktop: { width: 1280, height: 940 }, phone: { width: 390, height: 780 } } as const;

/** Takes a screenshot in both themes. */
async function take(name: string, path: string, size: keyof typeof sizes, act: (page: Page) => Promise<void>) {
  for (const theme of ["light", "dark"] as const) {
    const context = await browser.newContext({ viewport: sizes[size], colorScheme: theme, reducedMotion: "reduce" });
    const page = await context.newPage();
    await page.goto(`${server.url}${path}`);
    await act(page);
    // Fonts, formulas and frames load separately, without an event for the last one.
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
  await createSampleProject(client);
  for (const question of questions) await ask(question);
  const waitForAnswer = (page: Page): Promise<void> => page.getByRole("article").last().waitFor();
  await take("thread", `/t/${threadId}`, "desktop", waitForAnswer);
  await take("phone", `/t/${threadId}`, "phone", waitForAnswer);
  await take("seen", `/t/${threadId}`, "desktop", async (page) => {
    await waitForAnswer(page);
    await page.getByRole("button", { name: "What the model saw" }).last().click();
  });
  await take("project", `/p/${projectId}`, "desktop", (page) => page.getByText("Order granite").first().waitFor());
} finally {
  await browser.close();
  await server.close();
  rmSync(dataDir, { recursive: true, force: true });
}
