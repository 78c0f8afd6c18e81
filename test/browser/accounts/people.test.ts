import { expect, test } from "vitest";
import { startInstance } from "../../support/instance.ts";
import { accountsOn, join, setUp, signIn } from "../../support/accounts/accounts-instance.ts";
import { checkAccess, devices, devicesOf } from "../check-access.ts";
import { composerOf, noBrowser, openPage } from "../open-page.ts";
import { openAs, signInAs } from "./open-as.ts";

const [, [, phone]] = devices;

for (const [name, options] of devicesOf(1))
  test.skipIf(noBrowser)(`an admin manages people on ${name}`, async () => {
    const instance = await startInstance({ env: accountsOn });
    const { url } = instance;
    const ada = await setUp(instance);
    const bob = await join(url, ada, { email: "bob@example.com", name: "Bob" });
    const bobs = await openAs(url, bob, "/", { allowErrors: true });
    await composerOf(bobs).waitFor();
    const page = await openAs(url, ada, "/settings/people", { ...options, allowErrors: true });
    const rowOf = (who: string) => page.getByRole("listitem", { name: who });
    const choose = async (who: string, action: string, confirm?: string) => {
      await page.getByRole("button", { name: `More for ${who}` }).click();
      await page.getByRole("menuitem", { name: action }).click();
      if (confirm) await page.getByRole("alertdialog").getByRole("button", { name: confirm }).click();
    };
    await rowOf("Bob").getByText("bob@example.com").waitFor();
    await page.getByRole("button", { name: "More for Bob" }).click();
    await checkAccess(page, "menu of an account");
    await page.keyboard.press("Escape");

    // The only admin stays one, and the message of the server says so.
    await choose("Ada", "Make member…", "Make member");
    await rowOf("Ada").getByText("This is the only active admin.").waitFor();
    await checkAccess(page, "people with an error");
    await choose("Bob", "Make admin…", "Make admin");
    await rowOf("Bob").getByText("Admin", { exact: true }).waitFor();
    await choose("Bob", "Make member…", "Make member");
    await expect.poll(() => rowOf("Bob").getByText("Admin", { exact: true }).count()).toBe(0);

    await choose("Bob", "Suspend…", "Suspend");
    await rowOf("Bob").getByText("Suspended").waitFor();
    await bobs.getByText("Your session has ended.").waitFor();
    await checkAccess(page, "suspended account");
    await signInAs(bobs, bob.email);
    await bobs.getByText("Wrong email or password.").waitFor();
    await choose("Bob", "Restore");
    await page.getByText("Bob can sign in again.").waitFor();
    await signInAs(bobs, bob.email);
    await composerOf(bobs).waitFor();

    await signIn(url, bob.email);
    await choose("Bob", "Sign out everywhere…", "Sign out");
    await page.getByText("2 sessions of Bob ended.").waitFor();

    await choose("Bob", "Create password reset link…", "Create link");
    const link = await page.getByRole("textbox", { name: "Password reset link" }).inputValue();
    await checkAccess(page, "reset link");
    const reset = await openPage(link, { ...phone, allowErrors: true });
    await reset.getByLabel("New password", { exact: true }).fill("a password after the reset");
    expect(reset.url()).toBe(`${url}/reset`);
    await checkAccess(reset, "password reset");
    await reset.getByRole("button", { name: "Set password" }).click();
    await composerOf(reset).waitFor();
    const again = await openPage(link, { ...phone, allowErrors: true });
    await again.getByLabel("New password", { exact: true }).fill("a password after the reset");
    await again.getByRole("button", { name: "Set password" }).click();
    await again.getByRole("alert").filter({ hasText: "This link is not valid." }).waitFor();

    await page.goto(`${url}/settings/activity`);
    const activity = page.getByRole("list", { name: "Activity" });
    for (const sentence of [
      "Ada set up this instance",
      "Bob joined",
      "Ada made Bob an admin",
      "Ada suspended Bob",
      "Ada restored Bob",
      "Ada signed out Bob everywhere (2 sessions)",
      "Ada created a password reset link for Bob",
      "Bob set a new password with a reset link",
    ])
      await activity.getByText(sentence, { exact: true }).waitFor();
    await checkAccess(page, "activity");
  });

test.skipIf(noBrowser)("the activity is loaded in pages", async () => {
  const instance = await startInstance({ env: accountsOn });
  const ada = await setUp(instance);
  for (let index = 0; index < 52; index += 1)
    await ada.client.createKey({ body: { id: `k${index}`, name: `Key ${index}`, scopes: ["read"] } });
  const page = await openAs(instance.url, ada, "/settings/activity");
  const entries = page.getByRole("list", { name: "Activity" }).getByRole("listitem");
  await expect.poll(() => entries.count()).toBe(50);
  await page.getByRole("button", { name: "Show more" }).click();
  await expect.poll(() => entries.count()).toBe(53);
  await page.getByText("Ada set up this instance").waitFor();
  expect(await page.getByRole("button", { name: "Show more" }).count()).toBe(0);
});

test.skipIf(noBrowser)("the settings of an account work with the keyboard alone", async () => {
  const instance = await startInstance({ env: accountsOn });
  const { url } = instance;
  const ada = await setUp(instance);
  await join(url, ada, { email: "bob@example.com", name: "Bob" });
  const page = await openAs(url, ada, "/");
  const menu = page.getByRole("button", { name: "Account of Ada" });
  await menu.focus();
  const press = async (key: string, focused: string) => {
    await page.keyboard.press(key);
    await expect.poll(() => page.evaluate("document.activeElement?.textContent")).toBe(focused);
  };
  await press("Enter", "Account");
  await press("ArrowDown", "People");
  await page.keyboard.press("Enter");
  await page.getByRole("heading", { name: "Invitations" }).waitFor();
  const more = page.getByRole("button", { name: "More for Bob" });
  await more.focus();
  await press("Enter", "Make admin…");
  await press("End", "Suspend…");
  await page.keyboard.press("Enter");
  await page.getByRole("alertdialog", { name: "Suspend Bob?" }).waitFor();
  await page.keyboard.press("Escape");
  const focused = () => page.evaluate("document.activeElement?.getAttribute('aria-label')");
  await expect.poll(focused).toBe("More for Bob");
});
