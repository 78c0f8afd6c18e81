import { expect, test } from "vitest";
import { accountsOn } from "../../support/accounts/accounts-instance.ts";
import { ask, shareProject } from "../../support/accounts/shared-project.ts";
import { say, startInstance } from "../../support/instance.ts";
import { checkAccess, devicesOf } from "../check-access.ts";
import { noBrowser, openPage } from "../open-page.ts";
import { openAs } from "./open-as.ts";

for (const [name, options] of devicesOf(0))
  test.skipIf(noBrowser)(`a link for people with an account asks others to sign in on ${name}`, async () => {
    const instance = await startInstance({ env: accountsOn, script: () => say("An answer.") });
    const { bob, dee } = await shareProject(instance);
    await bob.client.createThread({ body: { id: "bobs", title: "Herons" } });
    await ask(bob, "bobs", "m1", "Which birds wade?");
    const page = await openAs(instance.url, bob, "/t/bobs", { ...options, allowErrors: true });
    await page.getByRole("article", { name: "Stonechat" }).getByText("An answer.").waitFor();
    await page.getByRole("button", { name: "More for this thread" }).press("Enter");
    await page.getByRole("menuitem", { name: "Share…" }).press("Enter");
    const sheet = page.getByRole("dialog", { name: "Share this thread" });
    await sheet.getByLabel("Who can open the link").selectOption("people");
    await sheet.getByRole("button", { name: "Create link" }).press("Enter");
    const link = await sheet.getByRole("textbox", { name: "Link" }).inputValue();
    await sheet.getByText("for people with an account here").waitFor();
    await checkAccess(page, "link for people with an account");

    const reader = await openAs(instance.url, dee, new URL(link).pathname, { allowErrors: true });
    await reader.getByText("Which birds wade?").waitFor();
    const stranger = await openPage(link, { ...options, allowErrors: true });
    await stranger.getByRole("heading", { name: "Sign in to read this thread" }).waitFor();
    expect(await stranger.getByText("Which birds wade?").count()).toBe(0);
    await checkAccess(stranger, "a link that needs a sign-in");
    await stranger.getByRole("link", { name: "Sign in" }).press("Enter");
    await stranger.getByLabel("Email address").waitFor();
  });
