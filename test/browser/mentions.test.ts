import type { Page } from "playwright-core";
import { expect, test } from "vitest";
import { mintId } from "../support/instance.ts";
import { checkAccess } from "./check-access.ts";
import { composerOf, noBrowser, openPage, questionsOf, seeText } from "./open-page.ts";
import { startProject } from "./project/start-project.ts";

async function openThread(options: Parameters<typeof openPage>[1] = {}) {
  const project = await startProject([
    { kind: "task", title: "Repair the boat" },
    { kind: "task", title: "Paint the hull" },
    { kind: "document", title: "Ангар" },
  ]);
  const { client, projectId, url } = project;
  const ops = ["src/app.tsx", "my notes.md"].map((path) => ({ do: "write" as const, path, text: "one\n", was: null }));
  await client.writeFiles({ params: { projectId }, body: { id: mintId("act"), ops } });
  const threadId = await project.start({ projectId, title: "Boats" });
  const requests: string[] = [];
  const page = await openPage(`${url}/t/${threadId}`, options);
  page.on("request", (request) => requests.push(new URL(request.url()).pathname));
  await composerOf(page).focus();
  return { page, requests, threadId, ...project };
}

const listOf = (page: Page) => page.getByRole("listbox", { name: "Suggestions" });
const type = async (page: Page, text: string) => {
  await page.keyboard.type(text);
  await listOf(page).waitFor();
};

test.skipIf(noBrowser)(
  "inserts entities, files and projects by keyboard in a form that the model can resolve",
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
    const text = `Is “Repair the boat” (task ${ids[0]}) like src/app.tsx and “my notes.md” of “Harbour” (project ${projectId}) `;
    await expect.poll(() => composerOf(page).inputValue()).toBe(text);
    await page.keyboard.press("Enter");
    await seeText(() => questionsOf(page).innerText(), text.trim());
  },
);

test.skipIf(noBrowser)("finds titles in any script and hides suggestions that no longer match", async () => {
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

test.skipIf(noBrowser)("loads nothing before an @ is typed", async () => {
  const { page, requests, projectId } = await openThread();
  await page.keyboard.type("plain words, me@example.org ");
  const paths = [`/api/projects/${projectId}/entities`, `/api/projects/${projectId}/files`, "/api/tools"];
  for (const path of paths) expect(requests).not.toContain(path);
  await type(page, "@");
  await expect.poll(() => paths.every((path) => requests.includes(path))).toBe(true);
});

test.skipIf(noBrowser)("suggests only projects outside of a project and loads none of their contents", async () => {
  const { page, requests, url, projectId } = await openThread();
  await page.goto(url);
  await composerOf(page).focus();
  requests.length = 0;
  await type(page, "@Harb");
  await listOf(page)
    .getByRole("option", { name: /Harbour/ })
    .waitFor();
  await page.keyboard.press("Enter");
  await expect.poll(() => composerOf(page).inputValue()).toBe(`“Harbour” (project ${projectId}) `);
  expect(requests.filter((path) => /entities|files/.test(path))).toEqual([]);
});

test.skipIf(noBrowser)(`inserts an entity by a tap on a phone, light and dark`, async () => {
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
