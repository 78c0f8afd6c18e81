import type { Page } from "playwright-core";
import { expect, test } from "vitest";
import { call, mintId, say, startInstance } from "../support/instance.ts";
import { tool } from "../support/server/loop-tools.ts";
import { checkAccess } from "./check-access.ts";
import { answersOf, noBrowser, openPage, questionsOf } from "./open-page.ts";

const desktop = { viewport: { width: 1440, height: 900 } };

/** A thread that read a page, an archived thread, and a project with a document, a file and a thread. All mention olivine. */
async function startQuarry() {
  let step = 0;
  const text = `${"Of other stones. ".repeat(200)}Green **olivine** is in the [mantle](/m), and _olivine_ sinks. ${"Of others still. ".repeat(200)}`;
  const look = tool({
    name: "look",
    execute: async (_, context) => {
      context.saveArtifact({ kind: "page", title: "On minerals", type: "text/plain", text });
      return { output: "saved" };
    },
  });
  const instance = await startInstance({
    tools: [look],
    script: () => (step++ === 0 ? call({ name: "look", input: "{}" }) : say("It says that olivine is green.")),
    env: { STONECHAT_MODEL: "scripted/script", STONECHAT_FALLBACKS: "," },
  });
  const { client } = instance;
  await client.createProject({ body: { id: "quarry", name: "Quarry" } });
  const params = { projectId: "quarry" };
  const op = { do: "create" as const, id: "plan", kind: "document", title: "Where to dig", body: "olivine lies deep" };
  await client.act({ params, body: { id: mintId(), ops: [op] } });
  const file = { do: "write" as const, path: "src/stones.ts", was: null, text: "export const olivine = 1;\n" };
  await client.writeFiles({ params, body: { id: mintId(), ops: [file] } });
  const startThread = async (options: object, question: string) => {
    const threadId = await instance.start(options);
    const live = instance.follow(threadId);
    await instance.send(threadId, question);
    await live.ended();
    live.close();
    return threadId;
  };
  const read = await startThread({ title: "Green stones" }, "What is olivine?");
  const old = await startThread({ title: "Old talk" }, "Is olivine rare?");
  await client.changeThread({ params: { threadId: old }, body: { id: mintId(), archived: true } });
  const inProject = await startThread(
    { title: "Digging", projectId: "quarry", profile: "assistant" },
    "How deep is olivine?",
  );
  return { ...instance, read, old, inProject };
}

const fieldOf = (page: Page) => page.getByRole("textbox", { name: "Search text" });
const resultsOf = (page: Page) => page.getByRole("region", { name: "Results" });
const groupsOf = (page: Page) =>
  resultsOf(page)
    .getByRole("heading", { level: 2 })
    .evaluateAll((all) => all.map((one) => one.innerText.split("\n")[0]).toSorted());
const everything = ["Digging", "Green stones", "Old talk", "Quarry"];

test.skipIf(noBrowser)("finds and marks every match, and restores the results on Back", async () => {
  const { url } = await startQuarry();
  const page = await openPage(url, desktop);
  const quick = page.getByRole("textbox", { name: "Search threads" });
  await quick.fill("olivine");
  const hits = page.getByRole("navigation", { name: "Search results" });
  await hits.getByRole("link", { name: /Where to dig/ }).waitFor();
  await quick.press("Enter");
  await expect.poll(() => groupsOf(page)).toEqual(everything);
  const marked = await resultsOf(page).locator("mark").allInnerTexts();
  expect(new Set(marked.map((word) => word.toLowerCase()))).toEqual(new Set(["olivine"]));

  await fieldOf(page).fill("olivine rare");
  await expect.poll(() => groupsOf(page)).toEqual(["Old talk"]);
  await resultsOf(page)
    .getByRole("link", { name: /Is olivine rare/ })
    .click();
  await questionsOf(page).getByText("Is olivine rare?").waitFor();
  await page.goBack();
  await expect.poll(() => groupsOf(page)).toEqual(["Old talk"]);
  expect(await fieldOf(page).inputValue()).toBe("olivine rare");
});

test.skipIf(noBrowser)("filters narrow the results, are in the URL and can be cleared", async () => {
  const { url } = await startQuarry();
  const page = await openPage(`${url}/search#q=olivine`, desktop);
  await expect.poll(() => groupsOf(page)).toEqual(everything);
  await page.getByRole("radio", { name: "Documents" }).check();
  await expect.poll(() => groupsOf(page)).toEqual(["Quarry"]);
  await page.getByRole("radio", { name: "Web pages" }).check();
  await expect.poll(() => groupsOf(page)).toEqual(["Green stones"]);
  await page.getByRole("radio", { name: "All" }).check();
  await page.getByRole("button", { name: "Filters" }).click();
  await page.getByRole("combobox", { name: "Archive" }).selectOption({ label: "Only archived" });
  await expect.poll(() => groupsOf(page)).toEqual(["Old talk"]);
  await page.getByRole("combobox", { name: "Archive" }).selectOption({ label: "Include archived" });
  await page.getByRole("combobox", { name: "Project" }).selectOption({ label: "Quarry" });
  await expect.poll(() => groupsOf(page)).toEqual(["Digging", "Quarry"]);
  await page.getByRole("combobox", { name: "Profile" }).selectOption({ label: "Assistant" });
  await expect.poll(() => groupsOf(page)).toEqual(["Digging"]);
  await page.reload();
  await expect.poll(() => groupsOf(page)).toEqual(["Digging"]);
  await page.getByRole("button", { name: "Clear filters" }).click();
  await expect.poll(() => groupsOf(page)).toEqual(everything);
  await page.getByLabel("Until").fill("2020-01-01");
  await resultsOf(page).getByText("No results.").waitFor();
  await page.getByRole("button", { name: "Search everywhere" }).click();
  await expect.poll(() => groupsOf(page)).toEqual(everything);
});

test.skipIf(noBrowser)("a hit opens its artifact, document or file", async () => {
  const { url } = await startQuarry();
  const page = await openPage(`${url}/search#q=olivine`, desktop);
  await resultsOf(page)
    .getByRole("link", { name: /On minerals/ })
    .click();
  const panel = page.getByRole("complementary", { name: "Saved copy" });
  await panel.locator("mark").getByText("olivine** is in the").waitFor();
  await expect
    .poll(() =>
      panel
        .locator("mark")
        .evaluate((mark) => mark.getBoundingClientRect().top < mark.ownerDocument.documentElement.clientHeight),
    )
    .toBe(true);
  await answersOf(page).getByText("It says that olivine is green.").waitFor();
  await page.goBack();
  await resultsOf(page)
    .getByRole("link", { name: /Where to dig/ })
    .click();
  await page.getByText("olivine lies deep").waitFor();
  await page.goBack();
  await resultsOf(page)
    .getByRole("link", { name: /src\/stones\.ts/ })
    .click();
  await page.getByRole("region", { name: "Workspace" }).getByText("export const olivine").waitFor();
});

test.skipIf(noBrowser)("arrow keys move between the field and the hits", async () => {
  const { url } = await startQuarry();
  const page = await openPage(`${url}/search#q=olivine`, desktop);
  await expect.poll(() => groupsOf(page)).toEqual(everything);
  const rows = resultsOf(page).locator("[data-row]");
  const isAt = (index: number) => rows.nth(index).evaluate((row) => row.matches(":focus"));
  await fieldOf(page).focus();
  await page.keyboard.press("ArrowDown");
  expect(await isAt(0)).toBe(true);
  await page.keyboard.press("End");
  expect(await isAt((await rows.count()) - 1)).toBe(true);
  await page.keyboard.press("Home");
  await page.keyboard.press("ArrowDown");
  expect(await isAt(1)).toBe(true);
  await page.keyboard.press("ArrowUp");
  await page.keyboard.press("ArrowUp");
  expect(await fieldOf(page).evaluate((field) => field.matches(":focus"))).toBe(true);
  await page.keyboard.press("ArrowDown");
  await page.keyboard.press("Enter");
  await expect.poll(() => new URL(page.url()).pathname).not.toBe("/search");
});

test.skipIf(noBrowser)("a failed search shows an error and can be retried", async () => {
  const { url } = await startQuarry();
  const page = await openPage(`${url}/search`, { ...desktop, allowErrors: true });
  await page.route("**/api/search?*", (route) => route.abort(), { times: 1 });
  await fieldOf(page).fill("olivine");
  await resultsOf(page).getByText("Search failed. The server cannot be reached.").waitFor();
  await page.getByRole("button", { name: "Retry" }).click();
  await expect.poll(() => groupsOf(page)).toEqual(everything);
});

test.skipIf(noBrowser)("search is accessible on desktop and phone, light and dark", async () => {
  const { url } = await startQuarry();
  const page = await openPage(`${url}/search#q=olivine&profile=assistant`, { ...desktop });
  await expect.poll(() => groupsOf(page)).toEqual(["Digging"]);
  await checkAccess(page, "filtered");
  const viewport = { width: 390, height: 844 };
  const phone = await openPage(`${url}/search`, { viewport, hasTouch: true, isMobile: true });
  await fieldOf(phone).waitFor();
  await checkAccess(phone, "empty");
  await fieldOf(phone).fill("olivine");
  await expect.poll(() => groupsOf(phone)).toEqual(everything);
  await phone.getByRole("button", { name: "Filters" }).tap();
  await phone.getByRole("combobox", { name: "Project" }).waitFor();
  await checkAccess(phone, "phone");
});
