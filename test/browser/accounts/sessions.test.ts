import { expect, test } from "vitest";
import { startInstance } from "../../support/instance.ts";
import { accountsOn, password, setUp, signIn } from "../../support/accounts/accounts-instance.ts";
import { createTestClock } from "../../support/accounts/second-factors.ts";
import { checkAccess, devicesOf } from "../check-access.ts";
import { composerOf, noBrowser, openPage } from "../open-page.ts";
import { openAs, signInAs } from "./open-as.ts";

test.skipIf(noBrowser)("a revoked session shows the sign-in form, and keeps the draft and the thread", async () => {
  const instance = await startInstance({ env: accountsOn });
  const { url } = instance;
  const ada = await setUp(instance);
  await ada.client.createThread({ body: { id: "harbour" } });
  const other = await openPage(`${url}/t/harbour`, { allowErrors: true });
  await signInAs(other, ada.email);
  await composerOf(other).pressSequentially("half a sentence");

  const page = await openAs(url, ada, "/settings/account");
  const sessions = page.getByRole("list", { name: "Sessions" });
  await sessions.getByText("This device").waitFor();
  await sessions.getByRole("button", { name: "Sign out Chrome on Linux" }).click();
  const endedAt = performance.now();
  const notice = other.getByText("Your session has ended.");
  await notice.waitFor();
  expect(performance.now() - endedAt).toBeLessThan(8_000);
  expect(await other.getByLabel("Email address").inputValue()).toBe(ada.email);
  expect(await composerOf(other).count()).toBe(0);
  await checkAccess(other, "ended session");
  await expect.poll(() => sessions.getByRole("listitem").count()).toBe(1);

  await other.getByLabel("Password", { exact: true }).fill(password);
  await other.getByLabel("Password", { exact: true }).press("Enter");
  await expect.poll(() => composerOf(other).inputValue()).toBe("half a sentence");
  expect(other.url()).toBe(`${url}/t/harbour`);
});

for (const [name, options] of devicesOf(0))
  test.skipIf(noBrowser)(`name, email and password are changed on ${name}`, async () => {
    const clock = createTestClock();
    const instance = await startInstance({ env: accountsOn, clock });
    const { url } = instance;
    const ada = await setUp(instance);
    await signIn(url, ada.email);
    await signIn(url, ada.email);
    const page = await openAs(url, ada, "/settings/account", { ...options, allowErrors: true });
    const profile = page.getByRole("form", { name: "Profile" });
    const save = profile.getByRole("button", { name: "Save" });
    await profile.getByLabel("Name", { exact: true }).fill("Ada Lovelace");
    clock.pass(10 * 60_000);
    await save.click();
    await profile.getByText("Saved").waitFor();
    // A new address needs a proof after ten minutes, a new name does not.
    await profile.getByLabel("Email address").fill("Lovelace@Example.com");
    await save.click();
    const dialog = page.getByRole("dialog", { name: "Confirm that it's you" });
    await dialog.getByLabel("Password", { exact: true }).fill("not the password");
    await dialog.getByRole("button", { name: "Confirm" }).click();
    await dialog.getByRole("alert").waitFor();
    await checkAccess(page, "proof for a new address");
    await dialog.getByLabel("Password", { exact: true }).fill(password);
    await dialog.getByRole("button", { name: "Confirm" }).click();
    await expect.poll(() => profile.getByLabel("Email address").inputValue()).toBe("lovelace@example.com");
    expect((await ada.client.getMe({})).account).toMatchObject({ name: "Ada Lovelace", email: "lovelace@example.com" });

    const form = page.getByRole("form", { name: "Change password" });
    const change = form.getByRole("button", { name: "Change password" });
    await form.getByLabel("Current password").fill(password);
    await form.getByLabel("New password").fill("short");
    await change.click();
    await form.getByText("Use at least 10 characters.").waitFor();
    await form.getByLabel("New password").fill("another quiet harbour");
    await change.click();
    await form.getByText("Password changed. 2 other sessions ended.").waitFor();
    await expect.poll(() => page.getByRole("list", { name: "Sessions" }).getByRole("listitem").count()).toBe(1);
    await checkAccess(page, "changed password");

    await signIn(url, "lovelace@example.com", "another quiet harbour");
    await page.reload();
    await page.getByRole("button", { name: "Sign out all other devices" }).click();
    await page.getByRole("alertdialog").getByRole("button", { name: "Sign out" }).click();
    await page.getByText("1 session ended.").waitFor();
    await page.getByRole("button", { name: "Sign out", exact: true }).click();
    await page.getByRole("button", { name: "Sign in" }).waitFor();
    expect(page.url()).toBe(`${url}/`);
  });
