import { expect, test } from "vitest";
import { startInstance } from "../support/instance.ts";
import { agree, startHttpServer } from "../support/mcp/http-server.ts";
import { composerOf, noBrowser, openPage, seeText } from "./open-page.ts";
import { stubSettings } from "./settings/stub-settings.ts";
import { startWithScriptedModel } from "./scripted-model.ts";

const env = { STONECHAT_ALLOW_PRIVATE: "mcp=127.0.0.1" };

test.skipIf(noBrowser)("an MCP server can be added by its address and removed, with its tools", async () => {
  const mcp = await startHttpServer();
  const { url, client } = await startInstance({ env });
  const page = await openPage(`${url}/settings/tools`);
  await page.getByText("No servers yet.").waitFor();
  await page.getByRole("button", { name: "Add server" }).click();
  const form = page.getByRole("form", { name: "Add server" });
  await form.getByLabel("Name", { exact: true }).fill("echoes");
  await form.getByLabel("Address", { exact: true }).fill(mcp.url);
  await form.getByRole("button", { name: "Add", exact: true }).click();
  const card = page.getByRole("listitem", { name: "echoes" });
  await seeText(() => card.innerText(), "1 tool");
  const tools = page.getByRole("list", { name: "Tools from echoes" });
  const readText = async () => (await tools.textContent()) ?? "";
  await seeText(readText, /Echo\s*mcp__echoes__echo[\s\S]*says it again/);

  await card.getByRole("button", { name: "Remove echoes" }).click();
  await page.getByRole("alertdialog").getByRole("button", { name: "Remove" }).click();
  await page.getByText("echoes was removed.").waitFor();
  await expect.poll(() => tools.count()).toBe(0);
  expect((await client.listServers({})).servers).toEqual([]);
});

test.skipIf(noBrowser)("tools of an MCP server are suggested after @ until it is removed", async () => {
  const mcp = await startHttpServer();
  const { url, client } = await startInstance({ env });
  const page = await openPage(url);
  const offers = page.getByRole("listbox", { name: "Suggestions" }).getByRole("option");
  const typeCommand = async (word: string) => {
    await page.getByRole("link", { name: "New thread" }).click();
    await composerOf(page).fill("");
    await composerOf(page).pressSequentially(`@${word}`);
  };
  const openTools = async () => {
    await page.getByRole("link", { name: "Settings" }).click();
    await page.getByRole("link", { name: "Tools and servers" }).click();
  };
  await typeCommand("calc");
  await offers.filter({ hasText: "Calculator" }).waitFor();
  await client.addServer({ body: { name: "echoes", url: mcp.url } });
  await openTools();
  const card = page.getByRole("listitem", { name: "echoes" });
  await seeText(() => card.innerText(), "1 tool");
  await page.getByRole("list", { name: "Tools from echoes" }).waitFor();
  await typeCommand("mcp");
  await offers.filter({ hasText: "says it again" }).waitFor();

  await openTools();
  await card.getByRole("button", { name: "Remove echoes" }).click();
  await page.getByRole("alertdialog").getByRole("button", { name: "Remove" }).click();
  await expect.poll(() => page.getByRole("list", { name: "Tools from echoes" }).count()).toBe(0);
  await typeCommand("calc");
  await offers.filter({ hasText: "Calculator" }).waitFor();
  await typeCommand("mcp");
  expect(await offers.filter({ hasText: "says it again" }).count()).toBe(0);
});

test.skipIf(noBrowser)("sign-in happens on the server's site and is noticed when the user returns", async () => {
  const mcp = await startHttpServer({ signIn: true });
  const { url, client } = await startInstance({ env });
  await client.addServer({ body: { name: "notes", url: mcp.url } });
  const page = await openPage(`${url}/settings/tools`, { allowErrors: true });
  const card = page.getByRole("listitem", { name: "notes" });
  await seeText(() => card.innerText(), "Sign-in required");
  await page.context().route(`${mcp.origin}/authorize?**`, (route) => route.fulfill({ body: "Do you agree?" }));
  const opening = page.context().waitForEvent("page");
  await card.getByRole("button", { name: "Sign in to notes" }).click();
  const opened = await opening;
  await opened.waitForURL(`${mcp.origin}/authorize?**`);
  await seeText(() => card.innerText(), `after you sign in at ${new URL(mcp.origin).host}`);

  const answer = agree(mcp, opened.url());
  await opened.goto(`${url}/api/mcp/callback?${new URLSearchParams(answer)}`);
  await opened.getByText("You are signed in.").waitFor();
  await opened.close();
  await page.bringToFront();
  await page.evaluate("dispatchEvent(new Event('focus'))");
  await seeText(() => card.innerText(), "1 tool");
  await card.getByRole("button", { name: "Sign out of notes" }).click();
  await seeText(() => card.innerText(), "Sign-in required");
});

test.skipIf(noBrowser)("the complete changes of a tool are shown before it is accepted", async () => {
  const { url } = await startWithScriptedModel();
  const page = await openPage("about:blank");
  const stub = await stubSettings(page, url);
  await page.goto(`${url}/settings/tools`);
  const card = page.getByRole("listitem", { name: "notes" });
  await seeText(() => card.innerText(), "Changed: review needed");
  const change = card.getByRole("region", { name: "Changes to Find notes" });
  await seeText(() => change.innerText(), /removed:\s*description: Finds notes by their words\./);
  expect(await change.evaluate((box) => box.scrollWidth <= box.clientWidth)).toBe(true);
  await card.getByRole("button", { name: "Accept changes to Find notes" }).click();
  await seeText(() => card.innerText(), "1 tool");
  expect(stub.asked.find(({ name }) => name === "acceptTool")?.body).toEqual({
    tool: "find_notes",
    hash: "hash-of-the-other",
  });
});

test.skipIf(noBrowser)("tools are listed with their effects and approvals", async () => {
  const { url } = await startWithScriptedModel();
  const page = await openPage(`${url}/settings/tools`);
  const list = page.getByRole("list", { name: "Built-in tools" });
  const deletes = list.getByRole("listitem").filter({ hasText: "delete_entities" });
  await seeText(async () => (await deletes.textContent()) ?? "", "Needs approval: deletes data");
  await page.getByRole("textbox", { name: "Filter tools" }).fill("calculates exactly");
  await expect.poll(() => list.getByRole("listitem").count()).toBe(1);
  await seeText(() => list.innerText(), "Calculator");
});
