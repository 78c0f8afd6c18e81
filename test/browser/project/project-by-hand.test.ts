import { expect, test } from "vitest";
import { noBrowser, openPage, seeText } from "../open-page.ts";
import { panelOf, startProject } from "./start-project.ts";

const desktop = { viewport: { width: 1440, height: 900 } };

test.skipIf(noBrowser)("a project can be created, described and filled by hand", async () => {
  const { url, client } = await startProject();
  const page = await openPage(url, desktop);
  const projects = page.getByRole("navigation", { name: "Projects" });
  await projects.getByRole("button", { name: "New project" }).click();
  await page.getByRole("textbox", { name: "Project name" }).fill("Tide atlas");
  await page.keyboard.press("Enter");
  await page.getByRole("heading", { name: "Tide atlas", level: 1 }).waitFor();
  await projects.getByRole("link", { name: "Tide atlas", exact: true }).waitFor();
  const projectId = /\/p\/([\w-]+)$/.exec(page.url())?.[1] ?? "";

  await page.getByRole("textbox", { name: "Description" }).fill("Every harbour of the north coast.");
  await page.getByRole("textbox", { name: "Instructions" }).fill("Heights above chart datum.");
  await page.getByRole("textbox", { name: "Add a goal" }).fill("Forty harbours");
  await page.keyboard.press("Enter");
  await page.getByRole("progressbar", { name: "Goals completed" }).waitFor();
  await expect
    .poll(async () => (await client.getProject({ params: { projectId } })).project)
    .toMatchObject({ description: "Every harbour of the north coast.", instructions: "Heights above chart datum." });

  await page.getByRole("link", { name: "Tasks", exact: true }).first().click();
  const add = page.getByRole("textbox", { name: "Add a task: open" });
  for (const title of ["Measure Roscoff", "Measure Cancale"]) {
    await add.fill(title);
    await add.press("Enter");
  }
  await page.getByRole("link", { name: "Measure Cancale" }).click();
  const panel = panelOf(page, "Task");
  await panel.getByRole("combobox", { name: "Priority" }).selectOption("high");
  await panel.getByLabel("Due", { exact: true }).fill("2020-03-04");
  await panel.getByRole("button", { name: "Link", exact: true }).click();
  await panel.getByRole("combobox", { name: "Relation" }).selectOption("supports");
  await panel.getByRole("combobox", { name: "Link to" }).fill("Forty");
  await panel.getByRole("option", { name: /Forty harbours/ }).click();
  await panel.getByRole("link", { name: "Forty harbours" }).waitFor();
  await panel.getByRole("button", { name: "Close" }).click();

  await page.getByRole("link", { name: "Timeline" }).click();
  await page.getByRole("button", { name: "Today", exact: true }).click();
  await page.getByRole("button", { name: /\(today\)$/ }).press("ArrowRight");
  await page.keyboard.press("Enter");
  await page.getByRole("textbox", { name: "Title" }).fill("14:30 Boat to the isles");
  await page.keyboard.press("Enter");
  await seeText(() => page.getByRole("region", { name: "Weeks" }).innerText(), /14:30\s*Boat to the isles/);

  await page.getByRole("link", { name: "Overview" }).click();
  await seeText(
    () => page.getByRole("region", { name: "Overdue" }).innerText(),
    /Measure Cancale[^]*High[^]*Mar 4, 2020/,
  );
  await seeText(() => page.getByRole("region", { name: "Upcoming" }).innerText(), "Boat to the isles");
  const { entities } = await client.listEntities({ params: { projectId }, query: { sort: "title" } });
  expect(entities.map(({ kind, title }) => `${kind} ${title}`)).toEqual([
    "event Boat to the isles",
    "goal Forty harbours",
    "task Measure Cancale",
    "task Measure Roscoff",
  ]);
  const { edges } = await client.getGraph({ params: { projectId } });
  expect(edges.map(({ relation }) => relation)).toEqual(["supports"]);
});

test.skipIf(noBrowser)("all overdue items can be shown, beyond the first seven and the first page", async () => {
  const tasks = Array.from({ length: 230 }, (_, index) => ({
    kind: "task" as const,
    title: `Task ${index}`,
    endsAt: Date.UTC(2020, 0, 1 + index),
  }));
  const { toUrl } = await startProject(tasks);
  const page = await openPage(toUrl(), desktop);
  const overdue = page.getByRole("region", { name: "Overdue" });
  const links = overdue.getByRole("link");
  await overdue.getByRole("button", { name: "and 223 more" }).click();
  await expect.poll(() => links.count()).toBe(200);
  expect(await links.nth(7).evaluate((link) => link.matches(":focus"))).toBe(true);
  await overdue.getByRole("button", { name: "and 30 more" }).click();
  await expect.poll(() => links.count()).toBe(230);
  await expect.poll(() => overdue.getByRole("button").count()).toBe(0);
});

test.skipIf(noBrowser)("activity shows changes from elsewhere at once, with author and undo", async () => {
  const { toUrl, act, ids, read } = await startProject([{ kind: "task", title: "Order granite" }]);
  const page = await openPage(toUrl("activity"), desktop);
  await page.getByText('Created task "Order granite"').waitFor();
  await act({ do: "update", id: ids[0]!, version: 1, state: "blocked" });
  const row = page
    .getByRole("article")
    .filter({ hasText: /blocked/i })
    .last();
  await seeText(() => row.innerText(), /You/);
  await row.getByRole("button", { name: /^Undo/ }).click();
  await expect.poll(async () => (await read("task"))[0]?.state).toBe("open");
  await row.getByText("undone").waitFor();
});

test.skipIf(noBrowser)("a kind without its own page has a list and a form", async () => {
  const { toUrl, read } = await startProject();
  const page = await openPage(toUrl("risks"), desktop);
  const add = page.getByRole("textbox", { name: "Add a risk" });
  await add.fill("An early storm");
  await add.press("Enter");
  await page.getByRole("link", { name: /An early storm/ }).click();
  const panel = panelOf(page, "Risk");
  await expect
    .poll(() => panel.getByRole("combobox", { name: "State" }).locator("option").allInnerTexts())
    .toEqual(["Open", "Watched", "Happened", "Closed"]);
  await panel.getByRole("combobox", { name: "State" }).selectOption("closed");
  await page.getByText("No matching risks.").waitFor();
  expect((await read("risk"))[0]?.state).toBe("closed");
});

test.skipIf(noBrowser)("a project can be archived, restored, and deleted after confirmation", async () => {
  const { toUrl, client, projectId } = await startProject();
  const page = await openPage(toUrl("settings"), desktop);
  const link = page.getByRole("navigation", { name: "Projects" }).getByRole("link", { name: "Harbour", exact: true });
  await link.waitFor();
  await page.getByRole("button", { name: "Archive this project" }).click();
  await link.waitFor({ state: "detached" });
  await page.getByRole("button", { name: "Restore this project" }).click();
  await link.waitFor();
  await page.getByRole("button", { name: "Delete this project" }).click();
  await page.getByRole("alertdialog").getByRole("button", { name: "Delete" }).click();
  await link.waitFor({ state: "detached" });
  expect(new URL(page.url()).pathname).toBe("/");
  await expect(client.getProject({ params: { projectId } })).rejects.toMatchObject({ status: 404 });
});
