import { expect, test } from "vitest";
import { startInstance } from "../../support/instance.ts";
import { accountsOn, password, setUp } from "../../support/accounts/accounts-instance.ts";
import { checkAccess, devicesOf } from "../check-access.ts";
import { composerOf, noBrowser, openPage } from "../open-page.ts";
import { focusedName } from "./open-as.ts";

for (const [name, options] of devicesOf(0))
  test.skipIf(noBrowser)(`the printed link sets up an instance on ${name}`, async () => {
    const { url, server } = await startInstance({ env: accountsOn });
    const page = await openPage(url, { ...options, allowErrors: true });
    await page.getByRole("heading", { name: "Not set up yet" }).waitFor();
    await checkAccess(page, "not set up");

    await page.goto(server.setupUrl ?? "");
    const create = page.getByRole("button", { name: "Create account" });
    await create.waitFor();
    expect(page.url()).toBe(`${url}/setup`);
    expect(await focusedName(page)).toBe("name");
    await checkAccess(page, "set-up");

    const secret = page.getByLabel("New password");
    expect(await secret.getAttribute("autocomplete")).toBe("new-password");
    expect(await page.getByLabel("Email address").getAttribute("autocomplete")).toBe("username");
    await page.getByText("10 to 200 characters.").waitFor();
    await page.getByLabel("Your name").fill("Ada");
    await page.getByLabel("Email address").fill("not an address");
    await secret.fill("short");
    await create.click();
    await page.getByText("Enter an email address, such as name@example.com.").waitFor();
    await page.getByText("Use at least 10 characters.").waitFor();
    expect(await focusedName(page)).toBe("username");
    await checkAccess(page, "set-up with errors");

    await page.getByLabel("Email address").fill("ada@example.com");
    await secret.fill("password1234");
    await page.getByRole("button", { name: "Show password" }).click();
    expect(await secret.getAttribute("type")).toBe("text");
    await secret.press("Enter");
    await page
      .getByRole("alert")
      .filter({ hasText: /common/ })
      .waitFor();
    await secret.fill(password);
    await secret.press("Enter");

    await composerOf(page).waitFor();
    expect(page.url()).toBe(`${url}/`);
    await page.getByRole("complementary", { name: "Your instance is ready" }).waitFor();
    await checkAccess(page, "start after set-up");
    await page.getByRole("link", { name: "Invite people" }).click();
    await page.getByRole("heading", { name: "Invitations" }).waitFor();
    await page.goto(url);
    await composerOf(page).waitFor();
    expect(await page.getByText("Your instance is ready").count()).toBe(0);
  });

test.skipIf(noBrowser)("a used set-up link and an incomplete link say what to do", async () => {
  const instance = await startInstance({ env: accountsOn });
  const page = await openPage(`${instance.url}/setup`, { allowErrors: true });
  await page.getByRole("heading", { name: "Incomplete link" }).waitFor();
  await setUp(instance);
  await page.goto(instance.server.setupUrl ?? "");
  await page.getByRole("heading", { name: "Already set up" }).waitFor();
  await page.getByRole("link", { name: "Sign in" }).click();
  await page.getByLabel("Email address").waitFor();
  await page.goto(`${instance.url}/invite`);
  await page.getByRole("heading", { name: "Incomplete link" }).waitFor();
  await checkAccess(page, "incomplete link");
});
