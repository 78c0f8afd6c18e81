import type { Page } from "playwright-core";
import { expect, test } from "vitest";
import { inBatches, isDeep, listPayloads, takeEvery } from "./hostile/payloads.ts";
import { markOf, toParts, toReplies, toUserMessage } from "./hostile/stub-payloads.ts";
import { expectQuiet, seeMarks, settle, unfold, watch } from "./hostile/watch.ts";
import { noBrowser, openPage } from "./open-page.ts";
import { startCanary } from "./preview/attacks.ts";
import { at } from "./stub-parts.ts";
import { stubThread } from "./stub-thread.ts";
import { startWithScriptedModel } from "./scripted-model.ts";

const tall = { viewport: { width: 1440, height: 2000 } };
const ended = { state: "ended", outcome: "failed", endedAt: at } as const;

async function openPayloads(url: string, payloads: readonly string[]) {
  const page = await openPage("about:blank", tall);
  const seen = await watch(page, url);
  const title = payloads.join(" ").slice(0, 1000);
  const reason = { code: "failed" as const, text: title };
  const thread = await stubThread(page, url, {
    parts: toParts(payloads),
    run: { ...ended, reason, model: payloads[0] ?? "" },
    thread: { title, preview: title, model: payloads[1] ?? "", profile: payloads[2] ?? "" },
    replies: toReplies(payloads),
  });
  return { page, seen, thread };
}

const close = (page: Page) => page.getByRole("button", { name: "Close", exact: true }).click();
const panelOf = (page: Page, name: string) => page.getByRole("complementary", { name });

test.skipIf(noBrowser)(
  "hostile text anywhere in a thread runs no scripts and sends no requests",
  { timeout: 60 * 60_000 },
  async () => {
    const canary = await startCanary();
    const { url } = await startWithScriptedModel();
    const all = takeEvery(listPayloads(canary.url), isDeep ? 1 : 2);
    for (const payloads of inBatches(all, isDeep ? 40 : 60)) {
      const { page, seen, thread } = await openPayloads(url, payloads);
      const marks = payloads.map((_, index) => markOf(index));
      await unfold(page);
      await seeMarks(page, marks, "answer");
      await expectQuiet(page, seen, canary, "answer");

      await page.getByRole("button", { name: "What the model saw" }).first().click();
      await page.getByRole("tab", { name: /^In/ }).waitFor();
      for (const tab of [/^In/, /^Left out/, "Cache & cost", "Compare"]) {
        await page.getByRole("tab", { name: tab }).click();
        await unfold(page);
      }
      await close(page);
      await page.getByRole("button", { name: "Context of this thread" }).click();
      await panelOf(page, "Context").waitFor();
      await unfold(page);
      await seeMarks(page, marks, "pins");
      await close(page);
      await page.getByRole("button", { name: "Summary of this thread" }).click();
      await page.getByRole("dialog", { name: "Summary" }).waitFor();
      await unfold(page);
      await settle(page);
      await close(page);
      await expectQuiet(page, seen, canary, "context");

      thread.emit(...toUserMessage(payloads));
      await page.getByRole("button", { name: /^Open \(m0\)/ }).waitFor();
      await page.getByRole("button", { name: /^Open \(m0\)/ }).click();
      await panelOf(page, "Saved copy").waitFor();
      await seeMarks(page, [markOf(0), markOf(1)], "artifact");
      await expectQuiet(page, seen, canary, "question and artifact");
      await page.context().close();
    }
    console.log(`${all.length} payloads in every place of a thread: 0 scripts, 0 requests, 0 CSP reports`);
    expect(all.length).toBeGreaterThan(55);
  },
);
