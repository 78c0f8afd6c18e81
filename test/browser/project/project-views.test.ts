import { expect, test } from "vitest";
import { composerOf, noBrowser, openPage, seeText } from "../open-page.ts";
import { cardsOf, focused, startProject, titlesOf } from "./start-project.ts";

const desktop = { viewport: { width: 1280, height: 800 } };
const dayMs = 86_400_000;
const toDay = (at: number): string => new Date(at).toISOString().slice(0, 10);

test.skipIf(noBrowser)("cards stay in the order typed and are ordered by keyboard, dragging and menu", async () => {
  const { toUrl } = await startProject();
  const page = await openPage(toUrl("tasks"), desktop);
  const add = page.getByRole("textbox", { name: "Add a task: open" });
  for (const title of ["Measure", "Choose", "Call"]) {
    await add.fill(title);
    await add.press("Enter");
  }
  await expect.poll(() => titlesOf(page, "Open")).toEqual(["Measure", "Choose", "Call"]);
  const board = page.getByRole("group", { name: "Board" });
  expect(await board.evaluate((group) => group.scrollWidth <= group.clientWidth)).toBe(true);
  await cardsOf(page, "Open").last().focus();
  await page.keyboard.press("Alt+ArrowUp");
  await expect.poll(() => titlesOf(page, "Open")).toEqual(["Measure", "Call", "Choose"]);
  await expect.poll(() => focused(page)).toContain("Call");
  await page.keyboard.press("Control+z");
  await expect.poll(() => titlesOf(page, "Open")).toEqual(["Measure", "Choose", "Call"]);
  const first = cardsOf(page, "Open").first();
  await cardsOf(page, "Open")
    .last()
    .dragTo(first, { targetPosition: { x: 20, y: 3 } });
  await expect.poll(() => titlesOf(page, "Open")).toEqual(["Call", "Measure", "Choose"]);
  await page.getByRole("button", { name: "Move Call" }).click({ force: true });
  await page.getByRole("menuitem", { name: "Move down" }).click();
  await expect.poll(() => titlesOf(page, "Open")).toEqual(["Measure", "Call", "Choose"]);
  await page.reload();
  await expect.poll(() => titlesOf(page, "Open")).toEqual(["Measure", "Call", "Choose"]);
});

test.skipIf(noBrowser)("a new document takes typed text: first its title, after Enter its text", async () => {
  const { toUrl, read } = await startProject();
  const page = await openPage(toUrl("documents"), desktop);
  await page.getByRole("button", { name: "Create a document" }).click();
  const title = page.getByRole("textbox", { name: "Title" });
  await expect.poll(() => title.evaluate((field) => field.matches(":focus"))).toBe(true);
  await page.keyboard.type("Worktop");
  await page.keyboard.press("Enter");
  const text = page.getByRole("textbox", { name: "Text" });
  await expect.poll(() => text.evaluate((field) => field.matches(":focus"))).toBe(true);
  await page.keyboard.type("Oak, oiled.");
  await expect.poll(async () => (await read("document")).map((line) => line.title)).toEqual(["Worktop"]);
  expect([await title.inputValue(), await text.inputValue()]).toEqual(["Worktop", "Oak, oiled."]);
});

test.skipIf(noBrowser)("the timeline shows a task on all its days and goes from month to month", async () => {
  const today = Date.parse(toDay(Date.now()));
  const { toUrl } = await startProject([
    { kind: "task", title: "Tile the wall", startsAt: today, endsAt: today + 3 * dayMs - 1 },
  ]);
  const page = await openPage(toUrl("timeline"), desktop);
  const weeks = page.getByRole("region", { name: "Weeks" });
  await expect.poll(() => weeks.getByRole("link", { name: "Tile the wall" }).count()).toBe(3);
  const heading = page.getByRole("main").getByRole("heading", { level: 2 }).first();
  const monthOf = (by: number) => {
    const date = new Date(`${toDay(today).slice(0, 7)}-01T00:00:00Z`);
    date.setUTCMonth(date.getUTCMonth() + by);
    return date.toLocaleDateString("en-US", { month: "long", year: "numeric", timeZone: "UTC" });
  };
  const now = await heading.innerText();
  const first = [monthOf(0), monthOf(1)].indexOf(now);
  expect(first).toBeGreaterThanOrEqual(0);
  for (const by of [1, 2, 3]) {
    await page.getByRole("button", { name: "Next month" }).click();
    await seeText(() => heading.innerText(), monthOf(first + by));
  }
  await page.getByRole("button", { name: "Previous month" }).click();
  await seeText(() => heading.innerText(), monthOf(first + 2));
  expect(await composerOf(page).count()).toBe(0);
});
