import { expect, test } from "vitest";
import { startInstance } from "../../support/instance.ts";
import { accountsOn, password, setUp } from "../../support/accounts/accounts-instance.ts";
import { checkAccess, devices } from "../check-access.ts";
import { composerOf, noBrowser, openPage } from "../open-page.ts";
import { openAs } from "./open-as.ts";

const [[, desktop], [, phone]] = devices;

test.skipIf(noBrowser)("an invitation is created, copied, accepted on a phone and works once", async () => {
  const instance = await startInstance({ env: accountsOn });
  const { url } = instance;
  const ada = await setUp(instance);
  const page = await openAs(url, ada, "/settings/people", {
    ...desktop,
    permissions: ["clipboard-read", "clipboard-write"],
  });
  await page.getByRole("button", { name: "Invite people" }).click();
  const form = page.getByRole("form", { name: "Invite people" });
  await form.getByLabel("Email address (optional)").fill("bob");
  await form.getByRole("button", { name: "Create invitation" }).click();
  await form.getByText("Enter an email address").waitFor();
  await checkAccess(page, "invitation form");
  await form.getByLabel("Email address (optional)").fill("bob@example.com");
  await form.getByRole("button", { name: "Create invitation" }).click();
  const link = await page.getByRole("textbox", { name: "Invitation link" }).inputValue();
  expect(link).toMatch(new RegExp(`^${url}/invite#[\\w-]{43}$`));
  await page.getByRole("button", { name: "Copy link" }).click();
  await page.getByRole("button", { name: "Copied" }).waitFor();
  expect(await page.evaluate("navigator.clipboard.readText()")).toBe(link);
  await page.getByRole("list", { name: "Open invitations" }).getByText("bob@example.com").waitFor();
  await checkAccess(page, "created invitation");

  const member = await openPage(link, { ...phone, allowErrors: true });
  const email = member.getByLabel("Email address");
  await email.waitFor();
  expect(member.url()).toBe(`${url}/invite`);
  expect([await email.inputValue(), await email.getAttribute("readonly")]).toEqual(["bob@example.com", ""]);
  await checkAccess(member, "invitation");
  await member.getByLabel("Your name").fill("Bob");
  await member.getByLabel("New password").fill(password);
  await member.getByLabel("New password").press("Enter");
  await composerOf(member).waitFor();

  // Members see the models, but neither providers nor the sections for admins.
  await member.goto(`${url}/settings/models`);
  await member.getByText("Only an admin can connect providers and change models.").waitFor();
  expect(await member.getByRole("button", { name: /^(Favorite|Make default|Settings)/ }).count()).toBe(0);
  expect(await member.getByRole("link", { name: "People" }).count()).toBe(0);
  await checkAccess(member, "models of a member");
  await member.goto(`${url}/settings/people`);
  await member.getByText("Only an admin can change this.").waitFor();

  const again = await openPage(link, { ...phone, allowErrors: true });
  await again.getByRole("heading", { name: "This invitation is not valid" }).waitFor();
  await checkAccess(again, "used invitation");
});

test.skipIf(noBrowser)("an open invitation can be revoked, and warns a user who is signed in", async () => {
  const instance = await startInstance({ env: accountsOn });
  const { url } = instance;
  const ada = await setUp(instance);
  const { path } = await ada.client.createInvitation({ body: { id: "i1", role: "admin" } });
  const page = await openAs(url, ada, path, { allowErrors: true });
  await page.getByText("You are signed in as Ada.").waitFor();
  await page.getByText("You are invited as an admin").waitFor();
  await page.goto(`${url}/settings/people`);
  const revoke = page.getByRole("button", { name: "Revoke invitation: Anyone with the link" });
  await revoke.click();
  await page.getByRole("alertdialog").getByRole("button", { name: "Cancel" }).click();
  await revoke.click();
  await page.getByRole("alertdialog").getByRole("button", { name: "Revoke" }).click();
  await expect.poll(() => revoke.count()).toBe(0);
  await page.goto(url + path);
  await page.getByRole("heading", { name: "This invitation is not valid" }).waitFor();
});
