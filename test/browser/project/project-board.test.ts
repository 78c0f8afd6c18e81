import { expect, test } from "vitest";
import { noBrowser, openPage, seeText } from "../open-page.ts";
import { cardsOf, columnOf, focused, startProject, titlesOf } from "./start-project.ts";

const desktop = { viewport: { width: 1440, height: 900 } };

test.skipIf(noBrowser)("the board works with the keyboard alone", async () => {
  const { toUrl, read } = await startProject([
    // Not in the order of their priority, so that the sort is seen to be applied.
    { kind: "task", title: "Paint the bollards" },
    { kind: "task", title: "Order granite", priority: "high" },
    { kind: "task", title: "Fetch sand", priority: "low" },
  ]);
  const page = await openPage(toUrl("tasks"), desktop);
  await page.getByRole("combobox", { name: "Sort" }).selectOption("priority");
  await expect.poll(() => titlesOf(page, "Open")).toEqual(["Order granite", "Fetch sand", "Paint the bollards"]);
  const add = page.getByRole("textbox", { name: "Add a task: open" });
  await add.focus();
  await page.keyboard.press("Tab");
  await expect.poll(() => focused(page)).toContain("Order granite");
  await page.keyboard.press("ArrowDown");
  await expect.poll(() => focused(page)).toContain("Fetch sand");
  // The list is loaded again while a card has the focus.
  await page.evaluate(`{
    const sort = document.querySelector("select[aria-label=Sort]");
    sort.value = "title";
    sort.dispatchEvent(new Event("change", { bubbles: true }));
  }`);
  await expect.poll(() => titlesOf(page, "Open")).toEqual(["Fetch sand", "Order granite", "Paint the bollards"]);
  await expect.poll(() => focused(page)).toContain("Fetch sand");
  await page.getByRole("combobox", { name: "Sort" }).selectOption("priority");
  await expect.poll(() => titlesOf(page, "Open")).toEqual(["Order granite", "Fetch sand", "Paint the bollards"]);
  await cardsOf(page, "Open").filter({ hasText: "Fetch sand" }).focus();

  await page.keyboard.press("Alt+ArrowRight");
  await expect.poll(() => titlesOf(page, "Active")).toEqual(["Fetch sand"]);
  await expect.poll(() => focused(page)).toContain("Fetch sand");
  await page.keyboard.press("Alt+ArrowRight");
  await expect.poll(() => titlesOf(page, "Blocked")).toEqual(["Fetch sand"]);
  await expect.poll(() => focused(page)).toContain("Fetch sand");
  await page.keyboard.press("Alt+ArrowRight");
  await expect.poll(() => titlesOf(page, "Done")).toEqual(["Fetch sand"]);
  await page.keyboard.press("Alt+ArrowUp");
  await expect
    .poll(async () => (await read("task")).find(({ title }) => title === "Fetch sand"))
    .toMatchObject({ state: "done", priority: "medium" });

  await expect.poll(() => focused(page)).toContain("Fetch sand");
  await page.keyboard.press("Control+z");
  await expect.poll(async () => (await read("task")).find(({ title }) => title === "Fetch sand")?.priority).toBe("low");
  await expect.poll(() => focused(page)).toContain("Fetch sand");
  await page.keyboard.press("ArrowLeft");
  await expect.poll(() => focused(page)).toContain("Order granite");
  await page.keyboard.press("Delete");
  await expect.poll(() => titlesOf(page, "Open")).toEqual(["Paint the bollards"]);
  await page.getByRole("button", { name: "Undo", exact: true }).press("Enter");
  await expect.poll(() => titlesOf(page, "Open")).toEqual(["Order granite", "Paint the bollards"]);
  await cardsOf(page, "Open").first().press("Enter");
  await page.getByRole("textbox", { name: "Title" }).waitFor();
  await page.keyboard.press("Escape");
  await page.getByRole("textbox", { name: "Title" }).waitFor({ state: "detached" });
});

test.skipIf(noBrowser)("a card can be dragged to another state, and cards filtered by text and priority", async () => {
  const { toUrl, read } = await startProject([
    { kind: "task", title: "Order granite", priority: "urgent" },
    { kind: "task", title: "Fetch sand" },
  ]);
  const page = await openPage(toUrl("tasks"), desktop);
  await cardsOf(page, "Open").filter({ hasText: "Fetch sand" }).dragTo(columnOf(page, "Blocked"));
  await expect.poll(() => titlesOf(page, "Blocked")).toEqual(["Fetch sand"]);
  await expect.poll(async () => (await read("task")).map(({ state }) => state).toSorted()).toEqual(["blocked", "open"]);
  await page.getByRole("searchbox", { name: "Filter by text" }).fill("granite");
  await expect.poll(() => titlesOf(page, "Blocked")).toEqual([]);
  expect(await titlesOf(page, "Open")).toEqual(["Order granite"]);
  await page.getByRole("searchbox", { name: "Filter by text" }).fill("");
  await expect.poll(() => titlesOf(page, "Blocked")).toEqual(["Fetch sand"]);
  await page.getByRole("combobox", { name: "Minimum priority" }).selectOption("high");
  await expect.poll(() => titlesOf(page, "Blocked")).toEqual([]);
  expect(await titlesOf(page, "Open")).toEqual(["Order granite"]);
});

test.skipIf(noBrowser)(
  "of thousands of cards only visible ones are rendered, and the last one is reachable",
  async () => {
    const many = Array.from({ length: 2400 }, (_, index) => ({
      kind: "task",
      title: `Stone ${String(index + 1).padStart(4, "0")}`,
    }));
    const { toUrl } = await startProject(many);
    const page = await openPage(toUrl("tasks"), desktop);
    await seeText(() => columnOf(page, "Open").innerText(), /2,400[^]*Stone 0001/);
    expect(await cardsOf(page, "Open").count()).toBeLessThan(60);
    await cardsOf(page, "Open").first().focus();
    await expect
      .poll(async () => {
        await page.keyboard.press("End");
        return focused(page);
      })
      .toContain("Stone 2400");
    expect(await cardsOf(page, "Open").count()).toBeLessThan(60);
  },
);

test.skipIf(noBrowser)("a conflicting move shows both states, and the user chooses one", async () => {
  const { toUrl, act, ids, read } = await startProject([{ kind: "task", title: "Order granite" }]);
  const page = await openPage(toUrl("tasks"), { ...desktop, allowErrors: true });
  await cardsOf(page, "Open").first().focus();
  // The page gets no more updates and shows an old state.
  await page.route("**/stream*", (route) => route.abort());
  await page.route("**/entities*", (route) => route.abort());
  await page.context().setOffline(true);
  await act({ do: "update", id: ids[0]!, version: 1, state: "blocked" });
  await page.context().setOffline(false);
  await cardsOf(page, "Open").first().focus();
  await page.keyboard.press("Alt+ArrowRight");
  const sheet = page.getByRole("dialog", { name: "This has changed" });
  await seeText(() => sheet.innerText(), /Theirs\s*blocked\s*Yours\s*active/);
  expect((await read("task"))[0]?.state).toBe("blocked");
  await sheet.getByRole("button", { name: "Keep mine" }).click();
  await expect.poll(async () => (await read("task"))[0]?.state).toBe("active");
});
