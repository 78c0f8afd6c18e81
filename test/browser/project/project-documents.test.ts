import { expect, test } from "vitest";
import type { Page } from "playwright-core";
import { noBrowser, openPage, seeText } from "../open-page.ts";
import { startProject } from "./start-project.ts";

const desktop = { viewport: { width: 1440, height: 900 } };
const nodesOf = (page: Page) => page.getByRole("tree", { name: "Documents" }).getByRole("treeitem");
const outline = (page: Page): Promise<readonly string[]> =>
  nodesOf(page).evaluateAll((nodes) => nodes.map((node) => `${node.ariaLevel} ${node.ariaLabel}`));

test.skipIf(noBrowser)("a document is saved while typing, rendered, and restored to an earlier version", async () => {
  const { toUrl, read, client, projectId } = await startProject();
  const page = await openPage(toUrl("documents"), desktop);
  await page.getByRole("button", { name: "Create a document" }).click();
  await page.getByRole("textbox", { name: "Title" }).fill("Handbook");
  const text = page.getByRole("textbox", { name: "Text" });
  await text.fill("The mole stands.");
  await page.getByText("Saved", { exact: true }).waitFor();
  await text.fill("# Rules\n\nNo work in **swell**.");
  await expect
    .poll(async () => {
      const [line] = await read("document");
      return line && (await client.getEntity({ params: { projectId, entityId: line.id } })).entity;
    })
    .toMatchObject({ title: "Handbook", body: "# Rules\n\nNo work in **swell**." });
  await page.getByRole("button", { name: "Read", exact: true }).click();
  await page.getByRole("heading", { name: "Rules" }).waitFor();
  await page.getByRole("button", { name: "Versions" }).click();
  const versions = page.getByRole("list", { name: "Versions" }).getByRole("listitem");
  await expect.poll(() => versions.count()).toBeGreaterThan(1);
  await versions.nth(1).getByRole("button").first().click();
  await versions.nth(1).getByText("The mole stands.").waitFor();
  await versions.nth(1).getByRole("button", { name: "Restore this version" }).click();
  await page.getByRole("button", { name: "Read", exact: true }).click();
  await page.getByText("The mole stands.").waitFor();
  await page.reload();
  await page.getByText("The mole stands.").waitFor();
});

test.skipIf(noBrowser)("the tree works with the keyboard alone: navigate, move, rename, delete and undo", async () => {
  const { toUrl, ids, put } = await startProject([
    { kind: "document", title: "Handbook" },
    { kind: "document", title: "Letters" },
    { kind: "document", title: "Survey" },
  ]);
  await put([{ kind: "document", title: "Safety", parentId: ids[0]! }]);
  const page = await openPage(toUrl("documents"), desktop);
  await expect.poll(() => outline(page)).toEqual(["1 Handbook", "1 Letters", "1 Survey"]);
  await nodesOf(page).first().focus();
  await page.keyboard.press("ArrowRight");
  await expect.poll(() => outline(page)).toEqual(["1 Handbook", "2 Safety", "1 Letters", "1 Survey"]);
  await page.keyboard.press("End");
  await page.keyboard.press("Alt+ArrowUp");
  await expect.poll(() => outline(page)).toEqual(["1 Handbook", "2 Safety", "1 Survey", "1 Letters"]);
  await page.keyboard.press("Alt+ArrowRight");
  await expect.poll(() => outline(page)).toEqual(["1 Handbook", "2 Safety", "2 Survey", "1 Letters"]);
  await page.keyboard.press("F2");
  await page.locator("input:focus").waitFor();
  await page.keyboard.type("Soundings");
  await page.keyboard.press("Enter");
  await expect.poll(() => outline(page)).toEqual(["1 Handbook", "2 Safety", "2 Soundings", "1 Letters"]);
  await page.keyboard.press("Alt+ArrowLeft");
  await expect.poll(() => outline(page)).toEqual(["1 Handbook", "2 Safety", "1 Soundings", "1 Letters"]);
  await page.keyboard.press("Home");
  await page.keyboard.press("Delete");
  await expect.poll(() => outline(page)).toEqual(["1 Soundings", "1 Letters"]);
  await page.getByRole("button", { name: "Undo", exact: true }).press("Enter");
  await expect.poll(() => outline(page)).toEqual(["1 Handbook", "2 Safety", "1 Soundings", "1 Letters"]);
  await nodesOf(page)
    .first()
    .dragTo(nodesOf(page).last(), { targetPosition: { x: 80, y: 18 } });
  await expect.poll(() => outline(page)).toEqual(["1 Soundings", "1 Letters", "2 Handbook", "3 Safety"]);
});

for (const whose of ["Keep mine", "Take theirs"] as const) {
  test.skipIf(noBrowser)(`two pages edit one document and both versions are shown: ${whose}`, async () => {
    const { toUrl, ids, client, projectId } = await startProject([
      { kind: "document", title: "Plan", body: "One\nTwo" },
    ]);
    const bodyOf = async () => (await client.getEntity({ params: { projectId, entityId: ids[0]! } })).entity.body;
    const url = toUrl("documents", ids[0]!);
    const [one, other] = [await openPage(url, desktop), await openPage(url, { ...desktop, allowErrors: true })];
    for (const page of [one, other]) await page.getByRole("button", { name: "Write", exact: true }).click();
    await other.getByRole("textbox", { name: "Text" }).fill("One\nTwo, mine");
    // `one` saves first, while `other` is offline.
    await other.context().setOffline(true);
    await one.getByRole("textbox", { name: "Text" }).fill("One\nTwo, theirs");
    await expect.poll(bodyOf).toBe("One\nTwo, theirs");
    await other.context().setOffline(false);
    const both = other.getByRole("alertdialog", { name: "This document has changed" });
    await seeText(() => both.getByRole("region", { name: "Theirs" }).innerText(), "Two, theirs");
    await seeText(() => both.getByRole("region", { name: "Yours" }).innerText(), "Two, mine");
    expect(await bodyOf()).toBe("One\nTwo, theirs");
    await both.getByRole("button", { name: whose }).click();
    await expect.poll(bodyOf).toBe(whose === "Keep mine" ? "One\nTwo, mine" : "One\nTwo, theirs");
    await expect
      .poll(() => one.getByRole("textbox", { name: "Text" }).inputValue())
      .toBe(whose === "Keep mine" ? "One\nTwo, mine" : "One\nTwo, theirs");
  });
}
