import { expect, test } from "vitest";
import { mintId } from "../../support/instance.ts";
import { noBrowser, openPage } from "../open-page.ts";
import { panelOf, startProject } from "./start-project.ts";

/** Browsers log conflicts (409) as errors although the page handles them. */
const desktop = { viewport: { width: 1440, height: 900 }, allowErrors: true };

async function openTask() {
  const project = await startProject([{ kind: "task", title: "Order granite", body: "Twelve blocks." }]);
  const { client, projectId, ids, toUrl } = project;
  const page = await openPage(toUrl("tasks", ids[0]), desktop);
  const panel = panelOf(page, "Task");
  const state = panel.getByRole("combobox", { name: "State" });
  await state.waitFor();
  const read = async () => (await client.getEntity({ params: { projectId, entityId: ids[0]! } })).entity;
  return {
    ...project,
    id: ids[0]!,
    page,
    panel,
    state,
    read,
    sheet: page.getByRole("dialog", { name: /has changed/ }),
  };
}

test.skipIf(noBrowser)(
  "notes that were changed elsewhere during editing are not overwritten without asking",
  async () => {
    const { act, id, panel, state, sheet, read } = await openTask();
    await panel.getByRole("button", { name: "Edit", exact: true }).click();
    await panel.getByRole("textbox", { name: "Notes" }).fill("Ten blocks.");
    await act({ do: "update", id, version: 1, body: "Twenty blocks.", state: "blocked" });
    await expect.poll(() => state.inputValue()).toBe("blocked");
    await panel.getByRole("button", { name: "Save" }).click();
    await sheet.getByText("Twenty blocks.").waitFor();
    expect((await read()).body).toBe("Twenty blocks.");
    await sheet.getByRole("button", { name: "Keep mine" }).click();
    await expect.poll(async () => (await read()).body).toBe("Ten blocks.");
  },
);

test.skipIf(noBrowser)("a draft of notes survives Escape, its panel and a reload; Cancel discards it", async () => {
  const { page, panel, read } = await openTask();
  const field = panel.getByRole("textbox", { name: "Notes" });
  await panel.getByRole("button", { name: "Edit", exact: true }).click();
  await field.fill("Ten blocks, or eleven.");
  await field.press("Escape");
  expect(await field.inputValue()).toBe("Ten blocks, or eleven.");
  await page.reload();
  await expect.poll(() => field.inputValue()).toBe("Ten blocks, or eleven.");
  await panel.getByRole("button", { name: "Cancel" }).click();
  await panel.getByText("Twelve blocks.").waitFor();
  await panel.getByRole("button", { name: "Edit", exact: true }).click();
  expect(await field.inputValue()).toBe("Twelve blocks.");
  await field.press("Escape");
  await panel.getByText("Twelve blocks.").waitFor();
  expect((await read()).body).toBe("Twelve blocks.");
});

test.skipIf(noBrowser)("editing a title shows a conflict only if the title changed", async () => {
  const { act, id, panel, state, sheet, read } = await openTask();
  const title = panel.getByRole("textbox", { name: "Title" });
  await title.fill("Order slate");
  await act({ do: "update", id, version: 1, state: "blocked" });
  await expect.poll(() => state.inputValue()).toBe("blocked");
  await title.press("Enter");
  await expect.poll(async () => (await read()).title).toBe("Order slate");

  await title.fill("Order sand");
  await act({ do: "update", id, version: 3, title: "Order gravel", state: "active" });
  await expect.poll(() => state.inputValue()).toBe("active");
  await title.press("Enter");
  await sheet.getByText("Order gravel", { exact: true }).waitFor();
  await sheet.getByRole("button", { name: "Take theirs" }).click();
  await expect.poll(() => title.inputValue()).toBe("Order gravel");
  expect((await read()).title).toBe("Order gravel");
});

test.skipIf(noBrowser)("instructions that were changed elsewhere are not overwritten without asking", async () => {
  const { client, projectId, toUrl } = await startProject();
  const page = await openPage(toUrl(), desktop);
  const instructions = page.getByRole("textbox", { name: "Instructions" });
  await instructions.fill("In metres.");
  const theirs = { version: 1, instructions: "In feet.", description: "Of tides." };
  await client.changeProject({ params: { projectId }, body: { id: mintId("act"), ...theirs } });
  await expect.poll(() => page.getByRole("textbox", { name: "Description" }).inputValue()).toBe("Of tides.");
  await instructions.blur();
  await page
    .getByRole("dialog", { name: /has changed/ })
    .getByText("In feet.")
    .waitFor();
  expect((await client.getProject({ params: { projectId } })).project.instructions).toBe("In feet.");
});

test.skipIf(noBrowser)("a typed date is saved once when complete, and an incomplete year is not saved", async () => {
  const { page, panel, read } = await openTask();
  const sent: unknown[] = [];
  page.on("request", (request) => {
    if (request.method() === "POST" && request.url().endsWith("/acts")) sent.push(request.postDataJSON());
  });
  const due = panel.getByLabel("Due", { exact: true });
  await due.focus();
  await page.keyboard.type("05012027");
  await page.keyboard.press("Enter");
  await expect.poll(async () => (await read()).endsAt).toBe(Date.parse("2027-05-01T23:59:59.999Z"));
  expect(await due.inputValue()).toBe("2027-05-01");
  expect(sent).toHaveLength(1);

  await panel.getByRole("textbox", { name: "Title" }).focus();
  await due.focus();
  await page.keyboard.type("06020002");
  await due.blur();
  await expect.poll(() => due.inputValue()).toBe("2027-05-01");
  await due.focus();
  await page.keyboard.press("Backspace");
  await due.blur();
  await expect.poll(() => due.inputValue()).toBe("2027-05-01");
  expect(sent).toHaveLength(1);

  await panel.getByRole("button", { name: "Due: clear" }).click();
  await expect.poll(async () => (await read()).endsAt).toBeNull();
});

test.skipIf(noBrowser)("changes are shown before the server has answered", async () => {
  const { page, panel, state, read } = await openTask();
  const { promise, resolve } = Promise.withResolvers<undefined>();
  await page.route("**/acts", async (route) => {
    await promise;
    await route.continue();
  });
  const title = panel.getByRole("textbox", { name: "Title" });
  await state.selectOption("blocked");
  await title.fill("Order slate");
  await title.press("Enter");
  await panel.getByLabel("Due", { exact: true }).fill("2027-05-01");
  expect(await state.inputValue()).toBe("blocked");
  expect(await title.inputValue()).toBe("Order slate");
  expect(await panel.getByLabel("Due", { exact: true }).inputValue()).toBe("2027-05-01");
  expect(await read()).toMatchObject({ state: "open", title: "Order granite", endsAt: null });
  resolve(undefined);
  await expect.poll(read).toMatchObject({ version: 4, state: "blocked", title: "Order slate" });
});

test.skipIf(noBrowser)("the next undo toast disappears automatically after one was dismissed", async () => {
  const { toUrl } = await startProject([
    { kind: "task", title: "Order granite" },
    { kind: "task", title: "Fetch sand" },
  ]);
  const page = await openPage(toUrl("tasks"), desktop);
  const dismiss = page.getByRole("button", { name: "Dismiss" });
  await page.getByRole("link", { name: "Order granite" }).press("Alt+ArrowRight");
  await dismiss.press("Enter");
  await dismiss.waitFor({ state: "detached" });
  await page.getByRole("link", { name: "Fetch sand" }).press("Alt+ArrowRight");
  await dismiss.waitFor();
  await dismiss.waitFor({ state: "detached" });
});
