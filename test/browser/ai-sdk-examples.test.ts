import { fileURLToPath } from "node:url";
import react from "@vitejs/plugin-react";
import type { BrowserContext, Page } from "playwright-core";
import { build } from "vite";
import { describe, expect, test } from "vitest";
import { z } from "zod";
import { defineTool } from "../../server/tools/tool.ts";
import { startInstance, type Instance } from "../support/instance.ts";
import { noBrowser, openPage } from "./open-page.ts";

/** The apps in examples/, built as they are and opened at the server's origin. */
const apps = ["ai-sdk-react", "assistant-ui"] as const;
const BASE = "/example/";

type Output = {
  readonly output: readonly { readonly fileName: string; readonly code?: string; readonly source?: string }[];
};

async function buildExample(name: string): Promise<ReadonlyMap<string, string>> {
  const root = fileURLToPath(new URL(`../../examples/${name}`, import.meta.url));
  const options = { write: false, minify: false, target: "es2023", reportCompressedSize: false };
  const built = await build({
    ...{ root, base: BASE, configFile: false, logLevel: "silent", plugins: [react()], build: options },
  });
  const { output } = built as unknown as Output;
  return new Map(output.map(({ fileName, code, source }) => [fileName, code ?? String(source)]));
}

const toType = (file: string): string => (file.endsWith(".html") ? "text/html" : "text/javascript");

async function serveExample(context: BrowserContext, url: string, files: ReadonlyMap<string, string>): Promise<void> {
  await context.route(`${url}${BASE}**`, async (route) => {
    const file = new URL(route.request().url()).pathname.slice(BASE.length) || "index.html";
    await route.fulfill({ contentType: toType(file), body: files.get(file) ?? "" });
  });
}

const start = async () => {
  const removed: string[] = [];
  const remove = defineTool({
    name: "remove",
    description: "Removes something, for a test.",
    input: z.object({ q: z.string() }),
    repeat: "keyed",
    effects: ["write", "destructive"],
    limits: { timeoutMs: 5000 },
    describe: ({ q }) => `Remove ${q}`,
    execute: async ({ q }) => ({ output: { removed: removed.push(q) } }),
  });
  const instance = await startInstance({ tools: [remove], env: { STONECHAT_MODEL: "scripted/script" } });
  return { ...instance, removed };
};

const answer = (page: Page) => page.getByRole("article").last();
const send = async (page: Page, text: string): Promise<void> => {
  await page.getByLabel("Message").fill(text);
  await page.getByLabel("Message").press("Enter");
};
const hasWord = (page: Page, n: number) =>
  answer(page)
    .filter({ hasText: new RegExp(`\\bw${n}\\b`) })
    .waitFor();
const isReady = (page: Page) => page.getByRole("status").filter({ hasText: "ready" }).waitFor();
const outcomeOf = async ({ client }: Pick<Instance, "client">, chatId: string): Promise<unknown> => {
  const { messages } = await client.getChat({ params: { chatId } });
  return (messages.at(-1)?.metadata as { outcome?: unknown } | undefined)?.outcome;
};

describe.skipIf(noBrowser)("examples", () => {
  test.each(apps)("%s: send, reload, second tab, stop and approval", async (name) => {
    const [files, instance] = await Promise.all([buildExample(name), start()]);
    const page = await openPage("about:blank");
    await serveExample(page.context(), instance.url, files);
    await page.goto(`${instance.url}${BASE}#${name}`);
    await isReady(page);

    await send(page, "say 60 words every 60ms");
    await hasWord(page, 5);
    await page.reload();
    await hasWord(page, 6);
    const tab = await page.context().newPage();
    await tab.goto(`${instance.url}${BASE}#${name}`);
    await Promise.all([hasWord(page, 60), hasWord(tab, 60)]);
    await Promise.all([isReady(page), isReady(tab)]);
    expect(await page.getByRole("article").allInnerTexts()).toEqual(await tab.getByRole("article").allInnerTexts());
    expect(await page.getByRole("article").count()).toBe(2);
    await tab.close();

    await send(page, "say 5 words then hang");
    await hasWord(page, 5);
    await page.getByRole("button", { name: "Stop" }).click();
    await isReady(page);
    await expect.poll(() => outcomeOf(instance, name)).toBe("stopped");

    await send(page, `call remove {"q":"x"} then say finished`);
    await page.getByRole("button", { name: "Approve" }).click();
    await answer(page).filter({ hasText: "finished" }).waitFor();
    await isReady(page);
    expect(instance.removed).toEqual(["x"]);
    expect(await outcomeOf(instance, name)).toBe("done");
    expect(await page.getByRole("article").count()).toBe(6);
  });
});
