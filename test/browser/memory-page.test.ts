import { expect, test } from "vitest";
import { noBrowser, openPage, seeText } from "./open-page.ts";
import { createHouse } from "./stub-memory-costs.ts";
import { stubThread, type StubThread } from "./stub-thread.ts";
import * as told from "./stub-parts.ts";
import { startWithScriptedModel } from "./scripted-model.ts";

async function openHouse() {
  const { url } = await startWithScriptedModel();
  const page = await openPage(url, { viewport: { width: 1440, height: 900 } });
  const thread = await stubThread(page, url, {
    parts: [told.text(1, "Noted.")],
    run: { state: "ended", outcome: "done", endedAt: told.at },
    replies: createHouse().replies,
  });
  return { page, thread };
}

const askedOf = ({ asked }: StubThread, name: string) =>
  asked.filter((one) => one.name === name).map(({ body }) => body);

test.skipIf(noBrowser)("a memory is read with its source, corrected, undone and forgotten", async () => {
  const { page, thread } = await openHouse();
  await page.getByRole("button", { name: "Memory" }).click();
  const sheet = page.getByRole("dialog", { name: "Memory" });
  const list = sheet.getByRole("list", { name: "Remembered" });
  await expect.poll(() => list.getByRole("listitem").count()).toBe(8);
  const location = list.getByRole("listitem").filter({ hasText: "Location" });
  await seeText(() => location.innerText(), /Saint-Malo[\s\S]*2026[\s\S]*from a thread[\s\S]*they said so/);
  expect(await location.getByRole("link").getAttribute("href")).toBe("/t/told-thread#told-question");
  await seeText(() => list.getByRole("listitem").filter({ hasText: "Name" }).innerText(), /Maud[\s\S]*by you/);

  await location.getByRole("button", { name: "Edit location" }).click();
  await location.getByRole("textbox", { name: "Location" }).fill("Cancale");
  await location.getByRole("button", { name: "Save" }).click();
  await location.getByRole("button", { name: "Edit location" }).waitFor();
  await location.getByText("Cancale").waitFor();
  expect(askedOf(thread, "setMemory")).toMatchObject([{ field: "location", value: "Cancale", was: "change-2" }]);

  await sheet.getByText(/^History/).click();
  const history = sheet.getByRole("list", { name: "History" });
  await seeText(() => history.innerText(), /Saint-Malo[\s\S]*Cancale/);
  await history.getByRole("button", { name: "Undo the change of location" }).click();
  await location.getByText("Saint-Malo").waitFor();

  await location.getByRole("button", { name: "Forget location" }).click();
  await page.getByRole("alertdialog").getByRole("button", { name: "Forget" }).click();
  await location.getByText("Nothing").waitFor();
  expect(askedOf(thread, "forgetMemory")).toMatchObject([{ field: "location" }]);
});

test.skipIf(noBrowser)("what is remembered is carried away as a file", async () => {
  const { page } = await openHouse();
  await page.getByRole("button", { name: "Memory" }).click();
  const saving = page.waitForEvent("download");
  await page.getByRole("button", { name: "Export" }).click();
  const saved = await saving;
  expect(saved.suggestedFilename()).toBe("stonechat-memory.json");
  const chunks: Buffer[] = [];
  for await (const chunk of await saved.createReadStream()) chunks.push(chunk as Buffer);
  expect(JSON.parse(Buffer.concat(chunks).toString())).toMatchObject({ memory: { name: { value: "Maud" } } });
});

test.skipIf(noBrowser)("deleting a thread offers to forget what came from it", async () => {
  const { page } = await openHouse();
  await page.route("**/api/threads?*", (route) =>
    route.fulfill({ json: { seq: 0, nextCursor: null, threads: [told.listed] } }),
  );
  await page.reload();
  await page.getByRole("navigation", { name: "Threads" }).getByRole("link").first().focus();
  await page.keyboard.press("Delete");
  const dialog = page.getByRole("alertdialog");
  await dialog.getByText("1 thing is remembered from this thread.").waitFor();
  await dialog.getByRole("checkbox", { name: /Also forget/ }).check();
  const deleting = page.waitForRequest((request) => request.method() === "DELETE");
  await dialog.getByRole("button", { name: "Delete" }).click();
  expect(new URL((await deleting).url()).search).toBe("?forget=true");
});

test.skipIf(noBrowser)(
  "costs are told by day, model, thread and purpose, and budgets are set and removed",
  async () => {
    const { page, thread } = await openHouse();
    await page.getByRole("button", { name: "Usage" }).click();
    const sheet = page.getByRole("dialog", { name: "Usage" });
    const costs = sheet.getByRole("list", { name: "Costs" });
    await seeText(() => costs.innerText(), /2026-09-21[\s\S]*\$0\.21[\s\S]*182,400 in, 82 % of it from the cache/);
    await sheet.getByRole("button", { name: "By model" }).click();
    await seeText(() => costs.innerText(), /offline\/stone[\s\S]*3 without a price/);
    await sheet.getByRole("button", { name: "By purpose" }).click();
    await seeText(() => costs.innerText(), /Answers[\s\S]*Summaries/);
    await sheet.getByRole("button", { name: "By thread" }).click();
    await costs.getByRole("link", { name: "Tides at the coast" }).waitFor();

    const budgets = sheet.getByRole("region", { name: "Budgets" });
    await seeText(() => budgets.innerText(), /A day\s*\$2\.00\s*\$0\.21 spent/);
    await budgets.getByRole("button", { name: "Set a limit for a month" }).click();
    const field = budgets.getByRole("textbox", { name: "Limit for a month, in US dollars" });
    await field.fill("ten");
    expect(await budgets.getByRole("button", { name: "Save" }).isDisabled()).toBe(true);
    await field.fill("10,50");
    await field.press("Enter");
    await seeText(() => budgets.innerText(), /A month\s*\$10\.50/);
    await budgets.getByRole("button", { name: "Remove the limit for a day" }).click();
    await seeText(() => budgets.innerText(), /A day\s*no limit/);
    expect(askedOf(thread, "setBudget")).toMatchObject([
      { scope: "month", limitUsd: 10.5 },
      { scope: "day", limitUsd: null },
    ]);
  },
);
