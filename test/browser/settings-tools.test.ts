import { expect, test } from "vitest";
import { startInstance } from "../support/instance.ts";
import { agree, startHttpServer } from "../support/mcp/http-server.ts";
import { composerOf, noBrowser, openPage, seeText } from "./open-page.ts";
import { stubSettings } from "./settings/stub-settings.ts";
import { startWithScriptedModel } from "./scripted-model.ts";

const env = { STONECHAT_ALLOW_PRIVATE: "mcp=127.0.0.1" };

test.skipIf(noBrowser)("a server is added by its address, brings its tools, and is removed", async () => {
  const mcp = await startHttpServer();
  const { url, client } = await startInstance({ env });
  const page = await openPage(`${url}/settings/tools`);
  await page.getByText("There is none yet.").waitFor();
  await page.getByRole("button", { name: "Add a server" }).click();
  const form = page.getByRole("form", { name: "Add a server" });
  await form.getByLabel("Name", { exact: true }).fill("echoes");
  await form.getByLabel("Address", { exact: true }).fill(mcp.url);
  await form.getByRole("button", { name: "Add", exact: true }).click();
  const card = page.getByRole("listitem", { name: "echoes" });
  await seeText(() => card.innerText(), "One tool");
  const tools = page.getByRole("list", { name: "Tools of echoes" });
  const wordsOf = async () => (await tools.textContent()) ?? "";
  await seeText(wordsOf, /Echo\s*mcp__echoes__echo[\s\S]*says it again/);

  await card.getByRole("button", { name: "Remove echoes" }).click();
  await page.getByRole("alertdialog").getByRole("button", { name: "Remove" }).click();
  await page.getByText("echoes was removed.").waitFor();
  await expect.poll(() => tools.count()).toBe(0);
  expect((await client.listServers({})).servers).toEqual([]);
});

test.skipIf(noBrowser)("what a server brings is offered after an @ at once, and no more when it is gone", async () => {
  const mcp = await startHttpServer();
  const { url, client } = await startInstance({ env });
  const page = await openPage(url);
  const offers = page.getByRole("listbox", { name: "Suggestions" }).getByRole("option");
  const ask = async (word: string) => {
    await page.getByRole("link", { name: "New thread" }).click();
    await composerOf(page).fill("");
    await composerOf(page).pressSequentially(`@${word}`);
  };
  const openTools = async () => {
    await page.getByRole("link", { name: "Settings" }).click();
    await page.getByRole("link", { name: "Tools and servers" }).click();
  };
  await ask("calc");
  await offers.filter({ hasText: "calculate" }).waitFor();
  await client.addServer({ body: { name: "echoes", url: mcp.url } });
  await openTools();
  const card = page.getByRole("listitem", { name: "echoes" });
  await seeText(() => card.innerText(), "One tool");
  await page.getByRole("list", { name: "Tools of echoes" }).waitFor();
  await ask("mcp");
  await offers.filter({ hasText: "mcp__echoes__echo" }).waitFor();

  await openTools();
  await card.getByRole("button", { name: "Remove echoes" }).click();
  await page.getByRole("alertdialog").getByRole("button", { name: "Remove" }).click();
  await expect.poll(() => page.getByRole("list", { name: "Tools of echoes" }).count()).toBe(0);
  await ask("calc");
  await offers.filter({ hasText: "calculate" }).waitFor();
  await ask("mcp");
  expect(await offers.filter({ hasText: "mcp__echoes__echo" }).count()).toBe(0);
});

test.skipIf(noBrowser)("signing in happens at the server's own address, and is seen when one comes back", async () => {
  const mcp = await startHttpServer({ signIn: true });
  const { url, client } = await startInstance({ env });
  await client.addServer({ body: { name: "notes", url: mcp.url } });
  const page = await openPage(`${url}/settings/tools`, { allowErrors: true });
  const card = page.getByRole("listitem", { name: "notes" });
  await seeText(() => card.innerText(), "Asks you to sign in");
  await page.context().route(`${mcp.origin}/authorize?**`, (route) => route.fulfill({ body: "Do you agree?" }));
  const opening = page.context().waitForEvent("page");
  await card.getByRole("button", { name: "Sign in to notes" }).click();
  const opened = await opening;
  await opened.waitForURL(`${mcp.origin}/authorize?**`);
  await seeText(() => card.innerText(), `Sign in at ${new URL(mcp.origin).host}`);

  const answer = agree(mcp, opened.url());
  await opened.goto(`${url}/api/mcp/callback?${new URLSearchParams(answer)}`);
  await opened.getByText("You are signed in.").waitFor();
  await opened.close();
  await page.bringToFront();
  await page.evaluate("dispatchEvent(new Event('focus'))");
  await seeText(() => card.innerText(), "One tool");
  await card.getByRole("button", { name: "Sign out of notes" }).click();
  await seeText(() => card.innerText(), "Asks you to sign in");
});

test.skipIf(noBrowser)("how a tool changed is read whole before it is accepted", async () => {
  const { url } = await startWithScriptedModel();
  const page = await openPage(url);
  const told = await stubSettings(page, url);
  await page.goto(`${url}/settings/tools`);
  const card = page.getByRole("listitem", { name: "notes" });
  await seeText(() => card.innerText(), "Changed: look at it");
  const change = card.getByRole("region", { name: "What changed in Find notes" });
  await seeText(() => change.innerText(), /removed:\s*description: Finds notes by their words\./);
  expect(await change.evaluate((box) => box.scrollWidth <= box.clientWidth)).toBe(true);
  await card.getByRole("button", { name: "Accept the change of Find notes" }).click();
  await seeText(() => card.innerText(), "One tool");
  expect(told.asked.find(({ name }) => name === "acceptTool")?.body).toEqual({
    tool: "find_notes",
    hash: "hash-of-the-other",
  });
});

test.skipIf(noBrowser)("tools are told with what they do and what asks", async () => {
  const { url } = await startWithScriptedModel();
  const page = await openPage(`${url}/settings/tools`);
  const list = page.getByRole("list", { name: "Built-in tools" });
  const deletes = list.getByRole("listitem").filter({ hasText: "delete_entities" });
  await seeText(async () => (await deletes.textContent()) ?? "", "Asks first: it deletes");
  await page.getByRole("textbox", { name: "Filter tools" }).fill("exact arithmetic");
  await expect.poll(() => list.getByRole("listitem").count()).toBe(1);
  await seeText(() => list.innerText(), "calculate");
});
