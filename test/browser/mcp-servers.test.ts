import { expect, test } from "vitest";
import type { Script } from "../../server/model/scripted.ts";
import { call, say, startInstance } from "../support/instance.ts";
import { startModernServer } from "../support/mcp/modern-server.ts";
import { checkAccess } from "./check-access.ts";
import { composerOf, noBrowser, openPage, seeText } from "./open-page.ts";

const script: Script = ({ messages }) =>
  messages.at(-1)?.role === "tool" ? say("Booked.") : call({ name: "mcp__table__book", input: '{"name":"Ada"}' });

test.skipIf(noBrowser)(
  "a server is added with a key, its prompt is inserted by /, and its question is answered in the thread",
  async () => {
    const server = await startModernServer();
    const { url } = await startInstance({
      script,
      env: { STONECHAT_ALLOW_PRIVATE: "mcp=127.0.0.1", STONECHAT_MODEL: "scripted/script", STONECHAT_FALLBACKS: "," },
    });
    const page = await openPage(`${url}/settings/tools`);
    await page.getByRole("button", { name: "Add server" }).click();
    const form = page.getByRole("form", { name: "Add server" });
    await form.getByLabel("Name", { exact: true }).fill("table");
    await form.getByLabel("Address", { exact: true }).fill(server.url);
    await form.getByLabel("Keys and headers (optional)").fill("no header");
    await form.getByText("Write each header as Name: value").waitFor();
    expect(await form.getByRole("button", { name: "Add", exact: true }).isDisabled()).toBe(true);
    await form.getByLabel("Keys and headers (optional)").fill("Authorization: Bearer the-secret-key");
    await checkAccess(page, "adding a server with a key");
    await form.getByRole("button", { name: "Add", exact: true }).click();
    const card = page.getByRole("listitem", { name: "table" });
    await seeText(() => card.innerText(), /2 tools/);
    await seeText(() => card.innerText(), "Sends the headers: Authorization");
    expect(server.headers.every((headers) => headers.get("authorization") === "Bearer the-secret-key")).toBe(true);
    expect(await page.content()).not.toContain("the-secret-key");

    await page.goto(url);
    await composerOf(page).focus();
    await page.keyboard.type("/inv");
    const suggestions = page.getByRole("listbox", { name: "Suggestions" });
    await seeText(() => suggestions.innerText(), /invite[\s\S]*table · Writes an invitation\./);
    await page.keyboard.press("Enter");
    await page.getByRole("group", { name: "Fill in “invite”" }).getByLabel("guest").fill("Ada");
    await page.keyboard.press("Enter");
    await expect.poll(() => composerOf(page).inputValue()).toBe("Invite Ada to the quarry. ");
    await page.keyboard.press("Enter");

    await page.getByRole("button", { name: "Allow once", exact: true }).first().click();
    const question = page.getByRole("form", { name: "How many for Ada?" });
    await question.waitFor();
    await seeText(() => page.locator("main").innerText(), "The MCP server table asks you");
    await checkAccess(page, "a question of a server");
    await question.getByLabel("seats").fill("4");
    await question.getByRole("button", { name: "Answer", exact: true }).click();
    await seeText(() => page.locator("main").innerText(), "Booked.");
    expect(server.calls).toEqual(["book Ada first", "book Ada accept"]);
  },
);
