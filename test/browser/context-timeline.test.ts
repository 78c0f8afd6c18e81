import type { Page } from "playwright-core";
import { expect, test } from "vitest";
import type { ReceiptLine } from "../../protocol/context/context-api.ts";
import { checkAccess, devicesOf } from "./check-access.ts";
import { noBrowser, openPage, seeText } from "./open-page.ts";
import { createContext, toLine } from "./stub-context.ts";
import * as stub from "./stub-parts.ts";
import { stubThread } from "./stub-thread.ts";
import { startWithScriptedModel } from "./scripted-model.ts";

/** A growing thread with a compaction every 40 calls and one cache miss. */
function toLines(count: number): readonly ReceiptLine[] {
  const newest = toLine("receipt-3");
  const earlier = Array.from({ length: count - 1 }, (_, index): ReceiptLine => {
    const isCompaction = index > 0 && index % 40 === 0;
    const promptTokens = 1500 + (index % 40) * 130;
    const call = newest.call && { ...newest.call, id: `call-${index}`, runId: `run-${Math.floor(index / 2)}` };
    return {
      ...newest,
      id: `old-${index}`,
      createdAt: stub.at - (count - index) * 60_000,
      promptTokens,
      shared: isCompaction ? 900 : index === count - 12 ? 300 : promptTokens - 130,
      opened: isCompaction ? "full" : null,
      broke: isCompaction ? "epoch:full" : index === count - 12 ? "tools" : null,
      call,
    };
  });
  return [newest, ...earlier.toReversed()];
}

async function openTimeline(count: number, options: Parameters<typeof openPage>[1] = {}) {
  const { url } = await startWithScriptedModel();
  const page = await openPage("about:blank", { viewport: { width: 1440, height: 900 }, ...options });
  const thread = await stubThread(page, url, {
    parts: [stub.text(1, "Twelve metres at spring tide.")],
    run: { state: "ended", outcome: "done", endedAt: stub.at },
    replies: createContext({}, toLines(count)).replies,
  });
  await page.getByRole("button", { name: "Context of this thread" }).click();
  await callsOf(page).waitFor();
  return { page, thread };
}

const callsOf = (page: Page) => page.getByRole("listbox", { name: /^Model calls of this thread/ });
const activeOf = async (page: Page) => {
  const id = await callsOf(page).getAttribute("aria-activedescendant");
  return (await page.locator(`[id="${id}"]`).getAttribute("aria-label")) ?? "";
};

test.skipIf(noBrowser)("shows prompt sizes, compactions and cache misses, and moves by keyboard", async () => {
  const { page } = await openTimeline(50);
  const timeline = page.getByRole("region", { name: "Timeline", exact: true }).last();
  await seeText(
    () => timeline.innerText(),
    "50 calls. The last prompt has 3,071 tokens, the longest 6,570. 1 compaction, 1 cache miss.",
  );
  expect(await callsOf(page).getByRole("option").count()).toBe(50);
  await callsOf(page).focus();
  await expect.poll(() => activeOf(page)).toMatch(/^Call 50 of 50, .*3,071 tokens, 1,807 unchanged, \$0\.0005\.$/);
  for (let step = 0; step < 9; step += 1) await page.keyboard.press("ArrowLeft");
  await expect.poll(() => activeOf(page)).toMatch(/^Call 41 of 50.*Compacted\. The conversation had grown/);
  for (let step = 0; step < 2; step += 1) await page.keyboard.press("ArrowLeft");
  await expect.poll(() => activeOf(page)).toMatch(/^Call 39 of 50.*Cache miss\. The offered tools changed/);
  await page.keyboard.press("Home");
  await expect.poll(() => activeOf(page)).toMatch(/^Call 1 of 50/);
  await page.keyboard.press("PageDown");
  await expect.poll(() => activeOf(page)).toMatch(/^Call 11 of 50/);
  await page.keyboard.press("End");
  await expect.poll(() => activeOf(page)).toMatch(/^Call 50 of 50/);
  await page.keyboard.press("Enter");
  const panel = page.getByRole("complementary", { name: "What the model saw" });
  await seeText(() => panel.innerText(), /3,071\s*tokens of 128,000/);
});

test.skipIf(noBrowser)("opens a call by a click and continues from there", async () => {
  const { page } = await openTimeline(20);
  const box = (await callsOf(page).getByRole("option").nth(4).boundingBox())!;
  await page.mouse.click(box.x + box.width / 2, box.y + box.height - 4);
  const panel = page.getByRole("complementary", { name: "What the model saw" });
  await panel.getByRole("tab", { name: /^In/ }).waitFor();
  await expect
    .poll(() => callsOf(page).getByRole("option", { selected: true }).getAttribute("aria-label"))
    .toMatch(/^Call 5 of 20/);
  await panel.getByRole("button", { name: "Next call" }).click();
  await panel.getByText(/^Call 6 of 20/).waitFor();
  await panel.getByRole("button", { name: "Open", exact: true }).click();
  await expect
    .poll(() => callsOf(page).getByRole("option", { selected: true }).getAttribute("aria-label"))
    .toMatch(/^Call 6 of 20/);
});

test.skipIf(noBrowser)("shows the newest calls of a long thread, and earlier ones on request", async () => {
  const { page } = await openTimeline(150);
  expect(await callsOf(page).getByRole("option").count()).toBe(60);
  await page.getByText(/^The last 60 calls\./).waitFor({ state: "attached" });
  await expect.poll(() => activeOf(page)).toMatch(/^Call 60 of 60/);
  const more = page.getByRole("button", { name: "Earlier calls" });
  await more.click();
  await expect.poll(() => callsOf(page).getByRole("option").count()).toBe(150);
  await expect.poll(() => more.count()).toBe(0);
  await page.getByText(/^150 calls\..* 3 compactions, 1 cache miss\.$/).waitFor({ state: "attached" });
});

test.skipIf(noBrowser)("counts and marks search hits in the prompt", async () => {
  const { page } = await openTimeline(3);
  await callsOf(page).focus();
  await page.keyboard.press("Enter");
  const panel = page.getByRole("complementary", { name: "What the model saw" });
  await panel.getByRole("textbox", { name: "Search inside" }).fill("saint-malo");
  await seeText(() => panel.getByRole("tabpanel").innerText(), "2 matches in 2 items");
  await expect.poll(() => panel.locator("summary mark").allInnerTexts()).toEqual(["Saint-Malo", "Saint-Malo"]);
  await panel.locator("summary").first().click();
  await expect.poll(() => panel.locator("pre mark").allInnerTexts()).toEqual(["Saint-Malo"]);
});

for (const [name, { viewport }] of devicesOf(1)) {
  test.skipIf(noBrowser)(`the timeline passes axe on ${name}`, async () => {
    const { page } = await openTimeline(90, { viewport });
    await checkAccess(page, "context");
    await callsOf(page).focus();
    await page.keyboard.press("Enter");
    await page.getByRole("tab", { name: /^In/ }).waitFor();
    await checkAccess(page, "receipt");
  });
}
