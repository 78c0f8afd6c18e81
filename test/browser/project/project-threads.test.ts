import { expect, test } from "vitest";
import type { ModelRequest } from "../../../protocol/model.ts";
import { call, say } from "../../support/instance.ts";
import { answersOf, noBrowser, openPage, seeText, sendMessage } from "../open-page.ts";
import { panelOf, startProject } from "./start-project.ts";

const desktop = { viewport: { width: 1440, height: 900 } };
const promptOf = ({ messages, system }: ModelRequest & { readonly system?: unknown }): string =>
  JSON.stringify([system, messages]);

test.skipIf(noBrowser)("a thread started from an entity has it as its focus and in its prompt", async () => {
  const prompts: string[] = [];
  const { toUrl, ids, client, projectId } = await startProject(
    [
      { kind: "task", title: "Order granite", body: "From the quarry at Perros." },
      { kind: "task", title: "Fetch sand", body: "By the barge Marie." },
    ],
    (request) => {
      prompts.push(promptOf(request));
      return say(`Answer ${prompts.length}.`);
    },
  );
  const page = await openPage(toUrl("tasks", ids[0]!), desktop);
  await page.getByRole("link", { name: "New thread about Order granite" }).click();
  await page.getByRole("button", { name: "Focus: Order granite. Change" }).waitFor();
  await sendMessage(page, "Where from?");
  await answersOf(page).getByText("Answer 1.").waitFor();
  const threadId = /\/t\/([\w-]+)/.exec(page.url())?.[1] ?? "";
  const threadOf = async () => (await client.getThread({ params: { threadId } })).thread;
  expect(await threadOf()).toMatchObject({ projectId, focusId: ids[0], profile: "project" });
  expect(prompts.at(-1)).toContain("From the quarry at Perros.");

  await page.getByRole("button", { name: "Focus: Order granite. Change" }).click();
  await page.getByRole("combobox", { name: "Find an item to focus on" }).fill("sand");
  await page.getByRole("option", { name: /Fetch sand/ }).click();
  await page.getByRole("button", { name: "Focus: Fetch sand. Change" }).waitFor();
  await expect.poll(threadOf).toMatchObject({ focusId: ids[1] });
  await sendMessage(page, "And this?");
  await answersOf(page).getByText("Answer 2.").waitFor();
  expect(prompts.at(-1)).toContain("By the barge Marie.");

  await page.getByRole("button", { name: /^Context for the model/ }).click();
  await page.getByRole("menuitemradio", { name: /All projects/ }).click();
  await expect.poll(threadOf).toMatchObject({ mode: "global" });
  await page.getByRole("button", { name: "Clear focus" }).click();
  await expect.poll(threadOf).toMatchObject({ focusId: null });
  const row = page.getByRole("navigation", { name: "Projects" }).getByRole("link", { name: /Where from/ });
  await row.waitFor();
});

const toInput = (kind: string, title: string) => JSON.stringify({ entities: [{ kind, title }] });
const inputs = [
  toInput("task", "Order granite"),
  toInput("milestone", "Wall at full height"),
  toInput("goal", "The mole stands"),
];

test.skipIf(noBrowser)(
  "the changes of an answer are listed below it and can be undone one by one or all at once",
  async () => {
    const { url, projectId, client, read } = await startProject(
      [{ kind: "task", title: "Old task" }],
      ({ messages }) => {
        const done = messages.filter(({ role }) => role === "tool").length;
        const input = inputs[done];
        return input === undefined ? say("Done.") : call({ name: "create_entities", input, id: `c${done}` });
      },
    );
    const threadId = "changes";
    await client.createThread({ body: { id: threadId, projectId, profile: "project" } });
    const page = await openPage(`${url}/t/${threadId}`, desktop);
    await sendMessage(page, "Plan it");
    await answersOf(page).getByText("Done.").waitFor();
    const counts = async () => [
      (await read("task")).length,
      (await read("milestone")).length,
      (await read("goal")).length,
    ];
    expect(await counts()).toEqual([2, 1, 1]);
    const changes = page.getByRole("group", { name: "What this answer changed" });
    await changes.getByRole("button", { name: /What this answer changed/ }).click();
    await seeText(() => changes.innerText(), /3 changes[^]*granite[^]*Wall[^]*mole/);
    await changes.getByRole("button", { name: /^Undo: .*Wall at full height/ }).click();
    await expect.poll(counts).toEqual([2, 0, 1]);
    await changes.getByText("Undone", { exact: true }).waitFor();
    const cards = answersOf(page).locator('[aria-label="Tool create_entities"]');
    const textIn = async (title: string) => (await cards.filter({ hasText: title }).textContent()) ?? "";
    await seeText(() => textIn("Wall at full height"), "Undone");
    expect(await textIn("Wall at full height")).not.toContain("Open");
    expect(await textIn("The mole stands")).not.toContain("Undone");
    await changes.getByRole("button", { name: "Undo all" }).click();
    await expect.poll(counts).toEqual([1, 0, 0]);
    await seeText(() => changes.innerText(), "3 changes, undone");
    expect(await changes.getByRole("button", { name: /^Undo/ }).count()).toBe(0);
  },
);

test.skipIf(noBrowser)("an entity that an answer created is a card with a link to it", async () => {
  const { url, projectId, client } = await startProject([], ({ messages }) =>
    messages.at(-1)?.role === "tool" ? say("Done.") : call({ name: "create_entities", input: inputs[0] ?? "" }),
  );
  await client.createThread({ body: { id: "cards", projectId, profile: "project" } });
  const page = await openPage(`${url}/t/cards`, desktop);
  await sendMessage(page, "Plan it");
  const card = answersOf(page).getByRole("group", { name: "Tool create_entities" });
  // The project is named only in threads of other projects.
  await card.locator("summary").waitFor();
  expect(await card.locator("summary").innerText()).not.toContain("Harbour");
  await card.getByRole("link", { name: /Order granite/ }).click();
  await panelOf(page, "Task").getByRole("textbox", { name: "Title" }).waitFor();
});

test.skipIf(noBrowser)("a thread can be moved into a project and out of it", async () => {
  const { url, client, projectId } = await startProject();
  await client.createThread({ body: { id: "loose", title: "Loose talk" } });
  const page = await openPage(`${url}/t/loose`, desktop);
  await page.getByRole("button", { name: "Add to project" }).click();
  await page.getByRole("menuitemradio", { name: "Harbour" }).click();
  const projectOf = async () => (await client.getThread({ params: { threadId: "loose" } })).thread.projectId;
  await expect.poll(projectOf).toBe(projectId);
  const projects = page.getByRole("navigation", { name: "Projects" });
  await projects.getByRole("link", { name: /Loose talk/ }).waitFor();
  await page.getByRole("button", { name: "Change project" }).click();
  await page.getByRole("menuitemradio", { name: "No project" }).click();
  await expect.poll(projectOf).toBeNull();
  await page
    .getByRole("navigation", { name: "Threads", exact: true })
    .getByRole("link", { name: /Loose talk/ })
    .waitFor();
});
