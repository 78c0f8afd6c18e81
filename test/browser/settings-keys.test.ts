import { expect, test } from "vitest";
import { createClient } from "../../protocol/client.ts";
import { startInstance } from "../support/instance.ts";
import { checkAccess, devicesOf } from "./check-access.ts";
import { noBrowser, openPage, seeText } from "./open-page.ts";

const env = { STONECHAT_TOKEN: "a-token-for-tests-only" };

for (const [name, options] of devicesOf(1))
  test.skipIf(noBrowser)(`a key is created, shown once, copied, used by a program and revoked on ${name}`, async () => {
    const { url } = await startInstance({ env });
    const page = await openPage(`${url}/settings/keys`, {
      ...options,
      permissions: ["clipboard-read", "clipboard-write"],
      allowErrors: true,
    });
    await page.getByLabel("Access token").fill(env.STONECHAT_TOKEN);
    await page.getByRole("button", { name: "Sign in" }).click();
    await page.getByText("No API keys yet.").waitFor();

    await page.getByRole("button", { name: "New key" }).click();
    const form = page.getByRole("form", { name: "New key" });
    const create = form.getByRole("button", { name: "Create key" });
    expect(await create.isDisabled()).toBe(true);
    await form.getByLabel("Name").fill("Editor on my laptop");
    for (const scope of [/^Read/, /^Chat/]) await form.getByRole("checkbox", { name: scope }).uncheck();
    await form.getByText("Choose at least one.").waitFor();
    expect(await create.isDisabled()).toBe(true);
    await form.getByRole("checkbox", { name: /^Read/ }).check();
    await form.getByLabel("Expires").selectOption("In 30 days");
    await checkAccess(page, "new key");
    await create.click();

    const shown = page.getByRole("textbox", { name: "API key" });
    const token = await shown.inputValue();
    expect(token).toMatch(/^sc_[\w-]{43}$/);
    await checkAccess(page, "created key");
    await page.getByRole("button", { name: "Copy key" }).click();
    await page.getByRole("button", { name: "Copied" }).waitFor();
    expect(await page.evaluate("navigator.clipboard.readText()")).toBe(token);

    const list = page.getByRole("list", { name: "API keys" });
    await seeText(() => list.innerText(), /Editor on my laptop[\s\S]*Not used yet[\s\S]*Expires[\s\S]*Read/);
    const client = createClient({ baseUrl: url, key: token });
    await client.listThreads({});
    await expect(client.createThread({ body: { id: "t" } })).rejects.toThrow('"chat"');
    await page.reload();
    await seeText(() => list.innerText(), /Last used just now/);
    expect(await page.content()).not.toContain(token);
    await checkAccess(page, "keys");

    await page.getByRole("button", { name: "Revoke Editor on my laptop" }).click();
    await page.getByRole("alertdialog").getByRole("button", { name: "Cancel" }).click();
    await client.listThreads({});
    await page.getByRole("button", { name: "Revoke Editor on my laptop" }).click();
    await page.getByRole("alertdialog").getByRole("button", { name: "Revoke" }).click();
    await page.getByText("No API keys yet.").waitFor();
    await expect(client.listThreads({})).rejects.toMatchObject({ status: 401 });

    // A key that is created elsewhere appears.
    const owner = createClient({ baseUrl: url, key: env.STONECHAT_TOKEN });
    await owner.createKey({ body: { id: "other", name: "From elsewhere", scopes: ["admin"] } });
    await seeText(() => list.innerText(), /From elsewhere[\s\S]*Doesn't expire[\s\S]*Administration/);
  });
