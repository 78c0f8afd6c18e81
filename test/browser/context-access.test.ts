import { test } from "vitest";
import { checkAccess, devicesOf } from "./check-access.ts";
import { composerOf, noBrowser, openPage } from "./open-page.ts";
import { createContext } from "./stub-context.ts";
import { stubMemoryAndCosts } from "./stub-memory-costs.ts";
import { stubThread } from "./stub-thread.ts";
import * as stub from "./stub-parts.ts";
import { startWithScriptedModel } from "./scripted-model.ts";

const recalled = [
  { messageId: "stub-question", depth: 1, role: "user", at: 0, score: 0.9, text: "My sister lives at Dinard." },
];

for (const [name, options] of devicesOf(0))
  test.skipIf(noBrowser)(`receipts, compactions and pins pass axe on ${name}`, async () => {
    const { url } = await startWithScriptedModel();
    const page = await openPage("about:blank", options);
    await stubThread(page, url, {
      parts: [
        { id: "ctx", v: 1, n: 0, step: 1, kind: "context", text: "<now/>", recalled },
        stub.text(1, "Twelve metres at spring tide."),
      ],
      run: { state: "ended", outcome: "done", endedAt: stub.at },
      replies: createContext().replies,
    });
    const close = () => page.getByRole("button", { name: "Close", exact: true }).click();
    await page.getByText("Recalled one passage").click();
    await page.getByRole("list", { name: "Recalled passages" }).waitFor();
    await page.getByRole("note", { name: "Conversation compacted" }).waitFor();
    await checkAccess(page, "thread");

    await page.getByRole("button", { name: "What the model saw" }).click();
    await page.getByRole("tab", { name: /^In/ }).waitFor();
    await page.locator("summary", { hasText: "Answer 26" }).click();
    await page.getByText("by the sea wall").nth(1).waitFor();
    await checkAccess(page, "in");
    for (const tab of [/^Left out/, "Cache & cost", "Compare"]) {
      await page.getByRole("tab", { name: tab }).click();
      await page.getByRole("tabpanel").waitFor();
      await checkAccess(page, String(tab));
    }
    await page.getByRole("region", { name: "Added" }).waitFor();
    await checkAccess(page, "compared");
    await close();

    await composerOf(page).fill("And in winter?");
    await page.getByRole("button", { name: "Preview what the model would see" }).click();
    await page.getByRole("tab", { name: /^In/ }).waitFor();
    await checkAccess(page, "preview");
    await close();

    await page.getByRole("button", { name: "Open compaction" }).click();
    await page.getByRole("button", { name: "Edit", exact: true }).first().click();
    await page.getByRole("textbox", { name: "Overview" }).waitFor();
    await checkAccess(page, "compaction");
    await close();

    await page.getByRole("button", { name: "Context of this thread" }).click();
    await page.getByRole("radio", { name: /^Stone/ }).waitFor();
    await checkAccess(page, "context");
    await close();

    await page.getByRole("button", { name: "Summary of this thread" }).click();
    await page.getByRole("region", { name: "Latest" }).waitFor();
    await checkAccess(page, "summary");
    await close();

    await page.getByRole("button", { name: "More for this message" }).last().click();
    await page.getByRole("menuitem", { name: "Keep in context" }).waitFor();
    await checkAccess(page, "menu");
    await page.getByRole("menuitem", { name: "Keep in context" }).click();
    await page.getByRole("textbox", { name: "Text to keep" }).waitFor();
    await checkAccess(page, "pin");
  });

for (const [name, options] of devicesOf(1))
  test.skipIf(noBrowser)(`memory and usage pass axe on ${name}`, async () => {
    const { url } = await startWithScriptedModel();
    const page = await openPage("about:blank", options);
    await stubThread(page, url, { run: { state: "ended", outcome: "done" }, replies: stubMemoryAndCosts().replies });
    const open = async (label: string) => {
      if (name === "phone") await page.getByRole("button", { name: "Threads", exact: true }).click();
      await page.getByRole("button", { name: label, exact: true }).click();
      await page.getByRole("dialog", { name: label }).waitFor();
    };
    await open("Memory");
    await page.getByText(/^History/).click();
    await page.getByRole("button", { name: "Edit location" }).click();
    await checkAccess(page, "memory");
    await page.getByRole("button", { name: "Forget everything" }).click();
    await page.getByRole("alertdialog").waitFor();
    await checkAccess(page, "forget");
    await page.keyboard.press("Escape");
    await page.getByRole("button", { name: "Close", exact: true }).click();
    await open("Usage");
    await page.getByRole("list", { name: "Costs" }).waitFor();
    await page.getByRole("button", { name: "Set limit per month" }).click();
    await checkAccess(page, "usage");
  });
