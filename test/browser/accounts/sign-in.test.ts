import { expect, test } from "vitest";
import { startInstance } from "../../support/instance.ts";
import { accountsOn, join, password, setUp } from "../../support/accounts/accounts-instance.ts";
import { checkAccess, devicesOf } from "../check-access.ts";
import { composerOf, noBrowser, openPage } from "../open-page.ts";
import { focusedName, openAs, signInAs } from "./open-as.ts";

for (const [name, options] of devicesOf(1))
  test.skipIf(noBrowser)(`a user signs in to the thread that was opened before on ${name}`, async () => {
    const instance = await startInstance({ env: accountsOn });
    const { url } = instance;
    const ada = await setUp(instance);
    await ada.client.createThread({ body: { id: "harbour" } });
    const page = await openPage(`${url}/t/harbour`, { ...options, allowErrors: true });
    await page.getByLabel("Email address").waitFor();
    expect(await focusedName(page)).toBe("username");
    expect(await page.getByLabel("Password", { exact: true }).getAttribute("autocomplete")).toBe("current-password");
    await checkAccess(page, "sign-in");

    await page.keyboard.press("Enter");
    await page.getByText("Enter an email address").waitFor();
    await signInAs(page, "ada@example.com", "something else");
    await page.getByRole("alert").filter({ hasText: "Wrong email or password." }).waitFor();
    expect(await focusedName(page)).toBe("password");
    await checkAccess(page, "wrong password");

    await signInAs(page, " ADA@example.com ", password);
    await composerOf(page).waitFor();
    expect(page.url()).toBe(`${url}/t/harbour`);
  });

test.skipIf(noBrowser)("too many attempts are answered with a countdown", async () => {
  const instance = await startInstance({ env: accountsOn });
  const ada = await setUp(instance);
  const page = await openPage(instance.url, { allowErrors: true });
  const submit = page.getByRole("button", { name: "Sign in" });
  const throttled = page.getByText(/Too many attempts\. Try again in \d+ seconds?\./).first();
  for (let attempt = 0; attempt < 12 && (await throttled.count()) === 0; attempt += 1) {
    await signInAs(page, "nobody@example.com", `guess number ${attempt}`);
    await page.getByRole("alert").waitFor();
    await expect.poll(async () => (await throttled.count()) > 0 || (await submit.isEnabled())).toBe(true);
  }
  await throttled.waitFor();
  expect(await submit.isDisabled()).toBe(true);
  await checkAccess(page, "throttled");
  await page.getByText("You can try again now.").first().waitFor();
  expect(await submit.isEnabled()).toBe(true);
  await signInAs(page, ada.email);
  await composerOf(page).waitFor();
});

test.skipIf(noBrowser)("a second user of a browser does not see the drafts of the first", async () => {
  const instance = await startInstance({ env: accountsOn });
  const ada = await setUp(instance);
  const bob = await join(instance.url, ada, { email: "bob@example.com", name: "Bob" });
  const page = await openPage(instance.url, { allowErrors: true });
  const signOut = async (name: string) => {
    await page.getByRole("button", { name: `Account of ${name}` }).click();
    await page.getByRole("menuitem", { name: "Sign out" }).click();
    await page.getByLabel("Email address").waitFor();
  };
  await signInAs(page, ada.email);
  await composerOf(page).pressSequentially("Ada's idea");
  await expect.poll(() => ada.client.listDrafts({ params: {} }).then(({ drafts }) => drafts.length)).toBe(1);
  const tab = await page.context().newPage();
  await tab.goto(instance.url);
  await tab.getByRole("button", { name: "Account of Ada" }).waitFor();
  await signOut("Ada");
  await signInAs(page, bob.email);
  await page.getByRole("button", { name: "Account of Bob" }).waitFor();
  expect(await composerOf(page).inputValue()).toBe("");
  // The tab that was open as Ada has the cookie of Bob now.
  await tab.getByRole("button", { name: "Account of Bob" }).waitFor();
  expect(await composerOf(tab).inputValue()).toBe("");
  await tab.close();
  await signOut("Bob");
  await signInAs(page, ada.email);
  await expect.poll(() => composerOf(page).inputValue()).toBe("Ada's idea");
});

const translations = [
  ["de-DE", "ltr", "E-Mail-Adresse", "Passwort", "Anmelden", "E-Mail-Adresse oder Passwort ist falsch."],
  ["ar", "rtl", "البريد الإلكتروني", "كلمة المرور", "تسجيل الدخول", "البريد الإلكتروني أو كلمة المرور غير صحيحة."],
] as const;
for (const [locale, direction, email, secret, submit, wrong] of translations)
  test.skipIf(noBrowser)(`sign-in and the settings of accounts are shown in ${locale}`, async () => {
    const instance = await startInstance({ env: accountsOn });
    const ada = await setUp(instance);
    const [, phone] = devicesOf(1)[0] ?? [];
    const page = await openPage(instance.url, { ...phone, locale, allowErrors: true });
    await page.getByLabel(email).fill(ada.email);
    await page.getByLabel(secret, { exact: true }).fill("something else");
    await page.getByRole("button", { name: submit, exact: true }).click();
    await page.getByRole("alert").filter({ hasText: wrong }).waitFor();
    expect(await page.evaluate("document.documentElement.dir")).toBe(direction);
    await checkAccess(page, `sign-in in ${locale}`);
    const settings = await openAs(instance.url, ada, "/settings/account", { ...phone, locale });
    for (const section of ["account", "people", "activity"]) {
      await settings.goto(`${instance.url}/settings/${section}`);
      await settings.locator("main li").first().waitFor();
      await checkAccess(settings, `${section} in ${locale}`);
    }
  });

test.skipIf(noBrowser)("an instance without accounts shows none of their settings", async () => {
  const { url } = await startInstance();
  const page = await openPage(`${url}/settings/account`);
  await page.getByText("This settings page doesn't exist.").waitFor();
  const tabs = page.getByRole("navigation", { name: "Settings" });
  for (const section of ["Account", "People", "Activity"])
    expect(await tabs.getByRole("link", { name: section, exact: true }).count()).toBe(0);
  expect(await page.getByRole("button", { name: /^Account of/ }).count()).toBe(0);
  await page.keyboard.press("Control+k");
  await page.getByRole("combobox").fill("invite");
  await page.getByText("Search", { exact: false }).first().waitFor();
  expect(await page.getByRole("option", { name: /People/ }).count()).toBe(0);
  await page.goto(`${url}/invite#${"a".repeat(43)}`);
  await page.getByRole("heading", { name: "No accounts" }).waitFor();
});
