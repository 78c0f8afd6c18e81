import { expect, test } from "vitest";
import { startInstance } from "../../support/instance.ts";
import { accountsOn, join, password, setUp } from "../../support/accounts/accounts-instance.ts";
import { createTestClock } from "../../support/accounts/second-factors.ts";
import { checkAccess, devices } from "../check-access.ts";
import { composerOf, noBrowser, openPage, seeText } from "../open-page.ts";
import { openAs, signInAs } from "./open-as.ts";
import { addAuthenticator } from "./virtual-authenticator.ts";

/** There are no passkeys at an IP address. */
const toLocalhost = (url: string) => url.replace("127.0.0.1", "localhost");

for (const [name, options] of devices)
  test.skipIf(noBrowser)(`a passkey is added, renamed, used to sign in, and removed on ${name}`, async () => {
    const instance = await startInstance({ env: accountsOn });
    const ada = await setUp(instance);
    const url = toLocalhost(instance.url);
    await ada.client.createThread({ body: { id: "harbour" } });
    const page = await openAs(url, ada, "/settings/account", { ...options, allowErrors: true });
    const authenticator = await addAuthenticator(page);
    const form = page.getByRole("form", { name: "Add a passkey" });
    await form.getByLabel("Name of the passkey").fill("My laptop");
    await form.getByLabel("Name of the passkey").press("Enter");
    const list = page.getByRole("list", { name: "Passkeys" });
    await list.getByText("My laptop").waitFor();
    expect(await list.innerText()).toContain("never used");
    expect(await authenticator.listCredentials()).toMatchObject([{ rpId: "localhost", isResidentCredential: true }]);
    await checkAccess(page, "a passkey in the settings");
    // The same device a second time.
    await form.getByRole("button", { name: "Add a passkey" }).click();
    await form.getByRole("alert").filter({ hasText: "This device has a passkey" }).waitFor();
    await page.getByRole("button", { name: "Rename My laptop" }).click();
    await list.getByLabel("Name of the passkey").fill("Work laptop");
    await page.keyboard.press("Enter");
    await list.getByText("Work laptop").waitFor();

    await page.getByRole("button", { name: "Sign out", exact: true }).click();
    const button = page.getByRole("button", { name: "Sign in with a passkey" });
    await button.waitFor();
    await page.goto(`${url}/t/harbour`);
    await button.waitFor();
    await checkAccess(page, "sign-in with a passkey");
    await authenticator.verifyUser(false);
    await button.click();
    await page.getByRole("alert").filter({ hasText: "No passkey was used." }).waitFor();
    await checkAccess(page, "a passkey that was not used");
    await authenticator.verifyUser(true);
    await button.focus();
    await page.keyboard.press("Enter");
    await composerOf(page).waitFor();
    expect(page.url()).toBe(`${url}/t/harbour`);
    expect(await page.evaluate("localStorage.getItem('stonechat.user')?.split(' ')[0]")).toBe("local");

    await page.goto(`${url}/settings/account`);
    await list.getByText("last used").waitFor();
    await page.getByRole("button", { name: "Remove Work laptop" }).click();
    await page.getByRole("alertdialog").getByRole("button", { name: "Remove" }).click();
    await expect.poll(() => list.count()).toBe(0);
    await page.getByRole("button", { name: "Sign out", exact: true }).click();
    await button.click();
    await page.getByRole("alert").filter({ hasText: "This passkey cannot sign in here." }).waitFor();
    await authenticator.remove();
  });

test.skipIf(noBrowser)("after ten minutes a change asks for the password or a passkey first", async () => {
  const clock = createTestClock();
  const instance = await startInstance({ env: accountsOn, clock });
  const ada = await setUp(instance);
  const url = toLocalhost(instance.url);
  const page = await openAs(url, ada, "/settings/account", { ...devices[1][1], allowErrors: true });
  const authenticator = await addAuthenticator(page);
  const form = page.getByRole("form", { name: "Add a passkey" });
  const add = form.getByRole("button", { name: "Add a passkey" });
  await add.waitFor();
  clock.pass(10 * 60_000);
  const dialog = page.getByRole("dialog", { name: "Confirm that it's you" });
  await add.click();
  await dialog.waitFor();
  expect(await dialog.getByRole("button", { name: "Use a passkey" }).count()).toBe(0);
  await checkAccess(page, "confirmation");
  await page.keyboard.press("Escape");
  await form.getByRole("alert").filter({ hasText: "Nothing was changed." }).waitFor();
  await add.click();
  await dialog.getByLabel("Password", { exact: true }).fill("not the password");
  await page.keyboard.press("Enter");
  await dialog.getByRole("alert").filter({ hasText: "Wrong password." }).waitFor();
  await dialog.getByLabel("Password", { exact: true }).fill(password);
  await page.keyboard.press("Enter");
  const list = page.getByRole("list", { name: "Passkeys" });
  await list.getByRole("listitem").waitFor();
  expect(await dialog.count()).toBe(0);

  clock.pass(10 * 60_000);
  await list.getByRole("button", { name: /^Remove/ }).click();
  await page.getByRole("alertdialog").getByRole("button", { name: "Remove" }).click();
  await dialog.getByRole("button", { name: "Use a passkey" }).click();
  await expect.poll(() => list.count()).toBe(0);
  await authenticator.remove();
});

test.skipIf(noBrowser)("the page says why there are no passkeys, and an admin removes those of a user", async () => {
  const instance = await startInstance({ env: accountsOn });
  const ada = await setUp(instance);
  const bob = await join(instance.url, ada, { email: "bob@example.com", name: "Bob" });
  const page = await openPage(instance.url, { allowErrors: true });
  await signInAs(page, bob.email);
  await composerOf(page).waitFor();
  await page.goto(`${instance.url}/settings/account`);
  await page.getByText("Passkeys don't work at an IP address.").waitFor();
  expect(await page.getByRole("form", { name: "Add a passkey" }).count()).toBe(0);
  await page.getByRole("button", { name: "Sign out", exact: true }).click();
  await page.getByLabel("Email address").waitFor();
  expect(await page.getByRole("button", { name: "Sign in with a passkey" }).count()).toBe(0);

  const url = toLocalhost(instance.url);
  const bobs = await openAs(url, bob, "/settings/account", { ...devices[1][1], allowErrors: true });
  const authenticator = await addAuthenticator(bobs);
  await bobs.getByRole("button", { name: "Add a passkey" }).click();
  await bobs.getByRole("list", { name: "Passkeys" }).waitFor();
  await authenticator.remove();
  const people = await openAs(instance.url, ada, "/settings/people", { ...devices[0][1] });
  const row = people.getByRole("listitem", { name: "Bob" });
  await seeText(() => row.innerText(), "1 passkey");
  await row.getByRole("button", { name: "More for Bob" }).click();
  await people.getByRole("menuitem", { name: "Remove second factors…" }).click();
  await checkAccess(people, "removing second factors");
  await people.getByRole("alertdialog").getByRole("button", { name: "Remove" }).click();
  await row.getByText("Bob can sign in with the password alone").waitFor();
  expect(await row.innerText()).not.toContain("1 passkey");
  await people.goto(`${instance.url}/settings/activity`);
  await people.getByText("Ada removed the second factors of Bob").waitFor();
  await bobs.getByLabel("Email address").waitFor();
});
