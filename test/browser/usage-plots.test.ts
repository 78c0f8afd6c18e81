import type { Page } from "playwright-core";
import { expect, test } from "vitest";
import { checkAccess, devicesOf } from "./check-access.ts";
import { noBrowser, openPage, seeText } from "./open-page.ts";
import { stubMemoryAndCosts } from "./stub-memory-costs.ts";
import { stubThread } from "./stub-thread.ts";
import { startWithScriptedModel } from "./scripted-model.ts";

async function openUsage(options: Parameters<typeof openPage>[1] = {}) {
  const { url } = await startWithScriptedModel();
  const page = await openPage("about:blank", options);
  await stubThread(page, url, { run: { state: "ended", outcome: "done" }, replies: stubMemoryAndCosts().replies });
  const asked: URLSearchParams[] = [];
  page.on("request", (request) => {
    const { pathname, searchParams } = new URL(request.url());
    if (pathname === "/api/costs") asked.push(searchParams);
  });
  if (options.viewport && options.viewport.width < 800)
    await page.getByRole("button", { name: "Threads", exact: true }).click();
  await page.getByRole("button", { name: "Usage", exact: true }).click();
  const sheet = page.getByRole("dialog", { name: "Usage" });
  await sheet.getByRole("listbox", { name: /by day$/ }).waitFor();
  return { page, sheet, asked };
}

const activeOf = async (page: Page, name: string) => {
  const id = await page.getByRole("listbox", { name }).getAttribute("aria-activedescendant");
  return (await page.locator(`[id="${id}"]`).getAttribute("aria-label")) ?? "";
};

test.skipIf(noBrowser)("the day plot includes empty days and can be read with the keyboard", async () => {
  const { page, sheet } = await openUsage();
  const plot = sheet.getByRole("listbox", { name: "Cost by day" });
  expect(await plot.getByRole("option").count()).toBe(30);
  await plot.focus();
  await expect
    .poll(() => activeOf(page, "Cost by day"))
    .toMatch(/21, 2026: \$0\.21\. 42 calls · 182,400 in, 82% cached/);
  await page.keyboard.press("ArrowLeft");
  await expect.poll(() => activeOf(page, "Cost by day")).toMatch(/20, 2026: \$0\.08\./);
  await page.keyboard.press("Home");
  await expect.poll(() => activeOf(page, "Cost by day")).toMatch(/: no usage$/);
  await sheet.getByRole("group", { name: "Measure" }).getByRole("button", { name: "Calls" }).click();
  await sheet.getByRole("listbox", { name: "Calls by day" }).focus();
  await page.keyboard.press("End");
  await expect.poll(() => activeOf(page, "Calls by day")).toMatch(/21, 2026: 42 calls\./);
  await seeText(() => sheet.innerText(), /\$0\.43\s*in 96 calls/);
});

test.skipIf(noBrowser)("the share plot of models and threads has a text alternative", async () => {
  const { sheet } = await openUsage();
  await sheet.getByRole("button", { name: "By model" }).click();
  await sheet.getByRole("img", { name: "Cost, $0.21 in total: kimi-k2 $0.21, 100%" }).waitFor();
  await sheet.getByRole("button", { name: "Tokens", exact: true }).click();
  await sheet
    .getByRole("img", {
      name: "Tokens, 389,000 tokens in total: kimi-k2 194,500 tokens, 50%; offline/stone 194,500 tokens, 50%",
    })
    .waitFor();
  await sheet.getByRole("button", { name: "By thread" }).click();
  await sheet.getByRole("img", { name: /Tides at the coast/ }).waitFor();
  await sheet.getByRole("list", { name: "Costs" }).getByRole("link", { name: "Tides at the coast" }).waitFor();
});

test.skipIf(noBrowser)("the period can be 7, 30 or 90 days", async () => {
  const { sheet, asked } = await openUsage();
  const toDays = (query: URLSearchParams | undefined) =>
    Math.ceil((Number(query?.get("to")) - Number(query?.get("from"))) / 86_400_000);
  await expect.poll(() => toDays(asked.at(-1))).toBe(30);
  await sheet.getByRole("button", { name: "7 days" }).click();
  await expect.poll(() => toDays(asked.at(-1))).toBe(7);
  expect(Number(asked.at(-1)?.get("from")) % 86_400_000).toBe(0);
  await sheet.getByRole("button", { name: "90 days" }).click();
  await expect.poll(() => toDays(asked.at(-1))).toBe(90);
});

test.skipIf(noBrowser)("a budget shows the spent and remaining amount", async () => {
  const { sheet } = await openUsage();
  const meter = sheet.getByRole("meter", { name: "Spent of the limit per day" });
  expect(await meter.getAttribute("aria-valuetext")).toBe("$0.21 of $2.00");
  await seeText(() => sheet.getByRole("region", { name: "Budgets" }).innerText(), "$0.21 spent, $1.79 left");
});

for (const [name, { viewport }] of devicesOf(0)) {
  test.skipIf(noBrowser)(`plots are accessible on ${name}`, async () => {
    const { page, sheet } = await openUsage({ viewport });
    await checkAccess(page, "days");
    await sheet.getByRole("button", { name: "By model" }).click();
    await sheet.getByRole("img", { name: /^Cost/ }).waitFor();
    await checkAccess(page, "models");
  });
}
