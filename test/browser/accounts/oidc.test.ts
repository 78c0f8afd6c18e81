import type { Page } from "playwright-core";
import { expect, test } from "vitest";
import { setUp } from "../../support/accounts/accounts-instance.ts";
import { startWithOidc } from "../../support/accounts/oidc-instance.ts";
import { startInstance } from "../../support/instance.ts";
import { checkAccess, devices } from "../check-access.ts";
import { composerOf, noBrowser, openPage, seeText } from "../open-page.ts";
import { openAs, signInAs } from "./open-as.ts";

const [[, desktop], [, phone]] = devices;

const start = async (options: Parameters<typeof startInstance>[0]) => ({
  ...(await startInstance(options)),
  databaseUrl: "",
});

/** Fills in the provider's page. */
async function continueAs(page: Page, sub: string): Promise<void> {
  await page.getByLabel("User").fill(sub);
  await page.getByRole("button", { name: "Continue" }).click();
}

test.skipIf(noBrowser)("a user links the provider, signs in with it on another device, and removes it", async () => {
  const { url, oidc, ada } = await startWithOidc(start);
  oidc.users.set("u1", { sub: "u1", email: "ada@login.example", name: "Ada" });
  await ada.client.createThread({ body: { id: "harbour" } });
  const page = await openAs(url, ada, "/settings/account", { ...desktop, allowErrors: true });
  await page.getByRole("link", { name: "Link Example Login" }).click();
  await continueAs(page, "u1");
  const list = page.getByRole("list", { name: "Linked sign-ins" });
  await list.getByText("ada@login.example").waitFor();
  expect(page.url()).toBe(`${url}/settings/account`);
  await checkAccess(page, "linked sign-ins");

  const other = await openPage(`${url}/t/harbour`, { ...phone, allowErrors: true });
  const button = other.getByRole("link", { name: "Sign in with Example Login" });
  await button.waitFor();
  await checkAccess(other, "sign-in with a provider");
  await button.click();
  await continueAs(other, "u1");
  await composerOf(other).waitFor();
  expect(other.url()).toBe(`${url}/t/harbour`);
  expect(await other.evaluate("localStorage.getItem('stonechat.user')?.split(' ')[0]")).toBe("local");
  const cookies = await other.context().cookies();
  const ours = cookies.filter(({ name }) => name.startsWith("stonechat"));
  expect(ours.map(({ name, sameSite, httpOnly }) => ({ name, sameSite, httpOnly }))).toEqual([
    { name: "stonechat-session", sameSite: "Strict", httpOnly: true },
  ]);

  await page.getByRole("button", { name: "Remove ada@login.example" }).click();
  await page.getByRole("alertdialog").getByRole("button", { name: "Remove" }).click();
  await expect.poll(() => list.getByText("ada@login.example").count()).toBe(0);
});

test.skipIf(noBrowser)("sign-ins that are refused say why, and lead back to the sign-in page", async () => {
  const { url, oidc, ada } = await startWithOidc(start, { STONECHAT_OIDC_SIGN_UP: "on" });
  oidc.users.set("unverified", { sub: "unverified", email: "eve@example.com", verified: false });
  oidc.users.set("as-ada", { sub: "as-ada", email: ada.email });
  oidc.users.set("bob", { sub: "bob", email: "bob@example.com", name: "Bob" });
  const page = await openPage(url, { ...phone, allowErrors: true });
  for (const [sub, text] of [
    ["unverified", "has not verified your email address"],
    ["as-ada", "An account with the address ada@example.com exists"],
    ["denied", "The provider refused this sign-in"],
  ] as const) {
    await page.context().clearCookies();
    await page.goto(url);
    await page.getByRole("link", { name: "Sign in with Example Login" }).click();
    await continueAs(page, sub);
    await seeText(() => page.locator("main").innerText(), text);
    await checkAccess(page, sub);
    await page.getByRole("link", { name: "Go to your threads" }).click();
    await page.getByLabel("Email address").waitFor();
  }
  // A first sign-in creates the account. Its callback works neither twice nor in another browser.
  await page.context().clearCookies();
  await page.goto(url);
  const callbacks: string[] = [];
  page.on("request", (request) => {
    if (request.url().includes("/api/sign-in/oidc/callback")) callbacks.push(request.url());
  });
  await page.getByRole("link", { name: "Sign in with Example Login" }).click();
  await continueAs(page, "bob");
  await composerOf(page).waitFor();
  const other = await openPage(url, { ...desktop, allowErrors: true });
  await other.getByRole("link", { name: "Sign in with Example Login" }).click();
  await other.getByLabel("User").waitFor();
  for (const one of [page, other]) {
    await one.goto(callbacks[0] ?? "");
    await seeText(() => one.locator("main").innerText(), "was started in another browser, was completed already");
  }
  await other.goto(url);
  await other.getByLabel("Email address").waitFor();
  await page.goto(url);
  await composerOf(page).waitFor();
  const { people } = await ada.client.listPeople({ params: {} });
  const bob = people.find(({ name }) => name === "Bob");
  await ada.client.changePerson({ params: { userId: bob?.id ?? "" }, body: { state: "suspended" } });
  await other.getByRole("link", { name: "Sign in with Example Login" }).click();
  await continueAs(other, "bob");
  await seeText(() => other.locator("main").innerText(), "This account is suspended");
});

test.skipIf(noBrowser)("an invitation is accepted with the provider", async () => {
  const { url, oidc, ada } = await startWithOidc(start);
  oidc.users.set("bob", { sub: "bob", email: "bob@example.com", name: "Bob" });
  const { path } = await ada.client.createInvitation({ body: { id: "i1" } });
  const page = await openPage(url + path, { ...phone, allowErrors: true });
  await page.getByRole("button", { name: "Continue with Example Login" }).waitFor();
  await checkAccess(page, "invitation with a provider");
  await page.getByRole("button", { name: "Continue with Example Login" }).click();
  await continueAs(page, "bob");
  await composerOf(page).waitFor();
  const { people } = await ada.client.listPeople({ params: {} });
  expect(people.map(({ name }) => name)).toEqual(["Ada", "Bob"]);
});

test.skipIf(noBrowser)(
  "a second user who signs in with the provider does not see the drafts of the first",
  async () => {
    const { url, oidc, ada } = await startWithOidc(start, { STONECHAT_OIDC_SIGN_UP: "on" });
    oidc.users.set("bob", { sub: "bob", email: "bob@example.com", name: "Bob" });
    const page = await openPage(url, { allowErrors: true });
    await signInAs(page, ada.email);
    await composerOf(page).pressSequentially("Ada's idea");
    await expect.poll(() => ada.client.listDrafts({ params: {} }).then(({ drafts }) => drafts.length)).toBe(1);
    await page.context().clearCookies();
    await page.goto(url);
    await page.getByRole("link", { name: "Sign in with Example Login" }).click();
    await continueAs(page, "bob");
    await page.getByRole("button", { name: "Account of Bob" }).waitFor();
    expect(await composerOf(page).inputValue()).toBe("");
    expect(await page.evaluate("fetch('/api/drafts').then((response) => response.text())")).toBe('{"drafts":[]}');
  },
);

const translations = [
  ["de-DE", "Mit Example Login anmelden"],
  ["ar", "تسجيل الدخول عبر Example Login"],
] as const;
for (const [locale, name] of translations)
  test.skipIf(noBrowser)(`the button of the provider is shown in ${locale}`, async () => {
    const { url } = await startWithOidc(start);
    const page = await openPage(url, { ...phone, locale, allowErrors: true });
    await page.getByRole("link", { name }).waitFor();
    await checkAccess(page, `provider in ${locale}`);
  });

test.skipIf(noBrowser)("with a proxy's header there is nothing to sign out of", async () => {
  const instance = await startInstance({
    env: {
      STONECHAT_ACCOUNTS: "on",
      STONECHAT_TRUSTED_HEADER: "x-forwarded-user",
      STONECHAT_TRUSTED_PROXIES: "127.0.0.1",
    },
  });
  const ada = await setUp(instance);
  const page = await openPage("about:blank", { ...desktop });
  await page.context().setExtraHTTPHeaders({ "x-forwarded-user": ada.email });
  await page.goto(`${instance.url}/settings/account`);
  await page.getByText("A proxy in front of this server signs you in.").waitFor();
  expect(await page.getByRole("button", { name: "Sign out", exact: true }).count()).toBe(0);
  await checkAccess(page, "signed in by a proxy");
  // The page can change things, because it says that it is the page.
  await page.getByLabel("Name").fill("Ada Lovelace");
  await page.getByRole("button", { name: "Save" }).click();
  await page.getByRole("button", { name: "Account of Ada Lovelace" }).click();
  await page.getByRole("menuitem", { name: "Account" }).waitFor();
  expect(await page.getByRole("menuitem", { name: "Sign out" }).count()).toBe(0);
  await page.context().setExtraHTTPHeaders({});
});

test.skipIf(noBrowser)("another user of a proxy does not see the drafts of the first", async () => {
  const instance = await startInstance({
    env: {
      STONECHAT_ACCOUNTS: "on",
      STONECHAT_TRUSTED_HEADER: "x-forwarded-user",
      STONECHAT_TRUSTED_HEADER_SIGN_UP: "on",
      STONECHAT_TRUSTED_PROXIES: "127.0.0.1",
    },
  });
  const ada = await setUp(instance);
  const page = await openPage("about:blank", { ...desktop });
  await page.context().setExtraHTTPHeaders({ "x-forwarded-user": ada.email });
  await page.goto(instance.url);
  await page.getByRole("button", { name: "Account of Ada" }).waitFor();
  await composerOf(page).pressSequentially("Ada's idea");
  await expect.poll(() => ada.client.listDrafts({ params: {} }).then(({ drafts }) => drafts.length)).toBe(1);
  await page.context().setExtraHTTPHeaders({ "x-forwarded-user": "bob@example.com" });
  await page.goto(instance.url);
  await page.getByRole("button", { name: "Account of bob" }).waitFor();
  expect(await composerOf(page).inputValue()).toBe("");
  expect(await page.evaluate("fetch('/api/drafts').then((response) => response.text())")).toBe('{"drafts":[]}');
  await page.context().setExtraHTTPHeaders({});
});
