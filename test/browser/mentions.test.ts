import type { Page } from "playwright-core";
import { expect, test } from "vitest";
import { mintId } from "../support/instance.ts";
import { checkAccess } from "./check-access.ts";
import { composerOf, noBrowser, openPage, questionsOf, seeText } from "./open-page.ts";
import { startProject } from "./project/start-project.ts";

async function openThread(options: Parameters<typeof openPage>[1] = {}) {
  const house = await startProject([
    { kind: "task", title: "Repair the boat" },
    { kind: "task", title: "Paint the hull" },
    { kind: "document", title: "Ангар" },
  ]);
  const { client, projectId, url } = house;
  const ops = ["src/app.tsx", "my notes.md"].map((path) => ({ do: "write" as const, path, text: "one\n", was: null }));
  await client.writeFiles({ params: { projectId }, body: { id: mintId("act"), ops } });
  const threadId = await house.start({ projectId, title: "Boats" });
  const asked: string[] = [];
  const page = await openPage(`${url}/t/${threadId}`, options);
  page.on("request", (request) => asked.push(new URL(request.url()).pathname));
  await composerOf(page).focus();
  return { page, asked, threadId, ...house };
}

const listOf = (page: Page) => page.getByRole("listbox", { name: "Suggestions" });
const type = async (page: Page, text: string) => {
  await page.keyboard.type(text);
  await listOf(page).waitFor();
};

test.skipIf(noBrowser)(
  "a thing, a file and a project are named by keyboard, so that a model can find them",
  async () => {
    const { page, ids, projectId } = await openThread();
    await type(page, "Is @repa");
    await listOf(page)
      .getByRole("option", { name: /Repair the boat/ })
      .waitFor();
    const active = await composerOf(page).getAttribute("aria-activedescendant");
    await seeText(() => page.locator(`[id="${active}"]`).innerText(), /Repair the boat[\s\S]*task/);
    await page.keyboard.press("Enter");
    await expect.poll(() => composerOf(page).inputValue()).toBe(`Is “Repair the boat” (task ${ids[0]}) `);
    await type(page, "like @app");
    await listOf(page)
      .getByRole("option", { name: /src\/app\.tsx/ })
      .waitFor();
    await page.keyboard.press("Tab");
    await type(page, "and @notes");
    await listOf(page)
      .getByRole("option", { name: /my notes\.md/ })
      .waitFor();
    await page.keyboard.press("Tab");
    await type(page, "of @Harb");
    await listOf(page)
      .getByRole("option", { name: /Harbour/ })
      .waitFor();
    await page.keyboard.press("Tab");
    const said = `Is “Repair the boat” (task ${ids[0]}) like src/app.tsx and “my notes.md” of “Harbour” (project ${projectId}) `;
    await expect.poll(() => composerOf(page).inputValue()).toBe(said);
    await page.keyboard.press("Enter");
    await seeText(() => questionsOf(page).innerText(), said.trim());
  },
);

test.skipIf(noBrowser)("titles of any script are found, and what fits no more goes", async () => {
  const { page, ids } = await openThread();
  await type(page, "@анг");
  await listOf(page).getByRole("option", { name: /Ангар/ }).waitFor();
  await page.keyboard.press("Enter");
  await expect.poll(() => composerOf(page).inputValue()).toBe(`“Ангар” (document ${ids[2]}) `);
  await type(page, "@pain");
  await listOf(page)
    .getByRole("option", { name: /Paint the hull/ })
    .waitFor();
  await page.keyboard.type("x");
  await expect.poll(() => listOf(page).count()).toBe(0);
});

test.skipIf(noBrowser)("nothing is asked for before an @ is typed", async () => {
  const { page, asked, projectId } = await openThread();
  await page.keyboard.type("plain words, me@example.org ");
  const sought = [`/api/projects/${projectId}/entities`, `/api/projects/${projectId}/files`, "/api/tools"];
  for (const path of sought) expect(asked).not.toContain(path);
  await type(page, "@");
  await expect.poll(() => sought.every((path) => asked.includes(path))).toBe(true);
});

test.skipIf(noBrowser)("outside of a project only projects are named, and nothing of one is asked for", async () => {
  const { page, asked, url, projectId } = await openThread();
  await page.goto(url);
  await composerOf(page).focus();
  asked.length = 0;
  await type(page, "@Harb");
  await listOf(page)
    .getByRole("option", { name: /Harbour/ })
    .waitFor();
  await page.keyboard.press("Enter");
  await expect.poll(() => composerOf(page).inputValue()).toBe(`“Harbour” (project ${projectId}) `);
  expect(asked.filter((path) => /entities|files/.test(path))).toEqual([]);
});

test.skipIf(noBrowser)(`on a phone a thing is named by a tap, light and dark`, async () => {
  const phone = { viewport: { width: 390, height: 844 }, hasTouch: true, isMobile: true };
  const { page, ids } = await openThread(phone);
  await composerOf(page).tap();
  await type(page, "@hull");
  const option = listOf(page).getByRole("option", { name: /Paint the hull/ });
  await option.waitFor();
  await checkAccess(page, "mentions");
  expect((await option.boundingBox())?.height).toBeGreaterThanOrEqual(44);
  await option.tap();
  await expect.poll(() => composerOf(page).inputValue()).toBe(`“Paint the hull” (task ${ids[1]}) `);
});
