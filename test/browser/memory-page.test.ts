import { expect, test } from "vitest";
import { noBrowser, openPage, seeText } from "./open-page.ts";
import { stubMemoryAndCosts } from "./stub-memory-costs.ts";
import { stubThread, type StubThread } from "./stub-thread.ts";
import * as stub from "./stub-parts.ts";
import { startWithScriptedModel } from "./scripted-model.ts";

async function openThread() {
  const { url } = await startWithScriptedModel();
  const page = await openPage("about:blank", { viewport: { width: 1440, height: 900 } });
  const thread = await stubThread(page, url, {
    parts: [stub.text(1, "Noted.")],
    run: { state: "ended", outcome: "done", endedAt: stub.at },
    replies: stubMemoryAndCosts().replies,
  });
  return { page, thread };
}

const askedOf = ({ requests }: StubThread, name: string) =>
  requests.filter((one) => one.name === name).map(({ body }) => body);

test.skipIf(noBrowser)("a memory is shown with its source and can be edited, undone and forgotten", async () => {
  const { page, thread } = await openThread();
  await page.getByRole("button", { name: "Memory" }).click();
  const sheet = page.getByRole("dialog", { name: "Memory" });
  const list = sheet.getByRole("list", { name: "Remembered" });
  await expect.poll(() => list.getByRole("listitem").count()).toBe(8);
  const location = list.getByRole("listitem").filter({ hasText: "Location" });
  await seeText(() => location.innerText(), /Saint-Malo[\s\S]*2026[\s\S]*from a thread[\s\S]*they said so/);
  expect(await location.getByRole("link").getAttribute("href")).toBe("/t/stub-thread#stub-question");
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
  await history.getByRole("button", { name: "Undo change to location" }).click();
  await location.getByText("Saint-Malo").waitFor();

  await location.getByRole("button", { name: "Forget location" }).click();
  await page.getByRole("alertdialog").getByRole("button", { name: "Forget" }).click();
  await location.getByText("Not set").waitFor();
  expect(askedOf(thread, "forgetMemory")).toMatchObject([{ field: "location" }]);

  const extra = list.getByRole("listitem").filter({ hasText: "Extra" });
  await extra.getByRole("button", { name: "Add extra" }).click();
  await extra.getByRole("textbox", { name: "Value 1" }).fill("Europe/Paris");
  await extra.getByRole("button", { name: "Save" }).click();
  const name = extra.getByRole("textbox", { name: "Name 1" });
  const isFocused = (field: { readonly ownerDocument: { readonly activeElement: unknown } }) =>
    field.ownerDocument.activeElement === field;
  await expect.poll(() => name.evaluate(isFocused)).toBe(true);
  expect(await name.evaluate((field) => (field as { validationMessage?: string }).validationMessage)).toBe(
    "Enter a name for this value.",
  );
  expect(askedOf(thread, "setMemory")).not.toContainEqual(expect.objectContaining({ field: "extra" }));
  await name.fill("time zone");
  await extra.getByRole("button", { name: "Save" }).click();
  await extra.getByText("time zone: Europe/Paris").waitFor();
  expect(askedOf(thread, "setMemory").at(-1)).toMatchObject({ field: "extra", value: '{"time zone":"Europe/Paris"}' });
});

test.skipIf(noBrowser)("memory can be exported as a file", async () => {
  const { page } = await openThread();
  await page.getByRole("button", { name: "Memory" }).click();
  const saving = page.waitForEvent("download");
  await page.getByRole("button", { name: "Export" }).click();
  const saved = await saving;
  expect(saved.suggestedFilename()).toBe("stonechat-memory.json");
  const chunks: Buffer[] = [];
  for await (const chunk of await saved.createReadStream()) chunks.push(chunk as Buffer);
  expect(JSON.parse(Buffer.concat(chunks).toString())).toMatchObject({ memory: { name: { value: "Maud" } } });
});

test.skipIf(noBrowser)("deleting a thread offers to forget the memory from it", async () => {
  const { page } = await openThread();
  await page.route("**/api/threads?*", (route) =>
    route.fulfill({ json: { seq: 0, nextCursor: null, threads: [stub.listed] } }),
  );
  await page.reload();
  await page.getByRole("navigation", { name: "Threads" }).getByRole("link").first().focus();
  await page.keyboard.press("Delete");
  const dialog = page.getByRole("alertdialog");
  await dialog.getByText("1 memory from this thread.").waitFor();
  await dialog.getByRole("checkbox", { name: /Also forget/ }).check();
  const deleting = page.waitForRequest((request) => request.method() === "DELETE");
  await dialog.getByRole("button", { name: "Delete" }).click();
  expect(new URL((await deleting).url()).search).toBe("?forget=true");
});

test.skipIf(noBrowser)(
  "costs are grouped by day, model, thread and purpose; budgets can be set and removed",
  async () => {
    const { page, thread } = await openThread();
    await page.getByRole("button", { name: "Usage" }).click();
    const sheet = page.getByRole("dialog", { name: "Usage" });
    const costs = sheet.getByRole("list", { name: "Costs" });
    await seeText(() => costs.innerText(), /Sep 21, 2026[\s\S]*\$0\.21[\s\S]*182,400 in, 82% cached/);
    await sheet.getByRole("button", { name: "By model" }).click();
    await seeText(() => costs.innerText(), /offline\/stone[\s\S]*3 without a price/);
    await sheet.getByRole("button", { name: "By purpose" }).click();
    await seeText(() => costs.innerText(), /Answers[\s\S]*Summaries/);
    await sheet.getByRole("button", { name: "By thread" }).click();
    await costs.getByRole("link", { name: "Tides at the coast" }).waitFor();

    const budgets = sheet.getByRole("region", { name: "Budgets" });
    await seeText(() => budgets.innerText(), /Per day\s*\$2\.00\s*\$0\.21 spent/);
    await budgets.getByRole("button", { name: "Set limit per month" }).click();
    const field = budgets.getByRole("textbox", { name: "Per month, in US dollars" });
    await field.fill("ten");
    expect(await budgets.getByRole("button", { name: "Save" }).isDisabled()).toBe(true);
    await field.fill("10,50");
    await field.press("Enter");
    await seeText(() => budgets.innerText(), /Per month\s*\$10\.50/);
    await budgets.getByRole("button", { name: "Remove limit per day" }).click();
    await seeText(() => budgets.innerText(), /Per day\s*No limit/);
    expect(askedOf(thread, "setBudget")).toMatchObject([
      { scope: "month", limitUsd: 10.5 },
      { scope: "day", limitUsd: null },
    ]);
  },
);
