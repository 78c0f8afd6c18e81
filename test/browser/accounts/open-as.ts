import type { Page } from "playwright-core";
import type { Person } from "../../support/accounts/accounts-instance.ts";
import { password } from "../../support/accounts/accounts-instance.ts";
import { openPage } from "../open-page.ts";

type Options = Parameters<typeof openPage>[1];

/** Opens a page of a browser that is signed in. */
export async function openAs(url: string, { cookie }: Person, path = "/", options: Options = {}): Promise<Page> {
  const page = await openPage("about:blank", options);
  const [name = "", value = ""] = cookie.split("=");
  await page.context().addCookies([{ name, value, url }]);
  await page.goto(url + path);
  return page;
}

/** Fills in the sign-in form and presses Enter. */
export async function signInAs(page: Page, email: string, secret = password): Promise<void> {
  await page.getByLabel("Email address").fill(email);
  await page.getByLabel("Password", { exact: true }).fill(secret);
  await page.getByLabel("Password", { exact: true }).press("Enter");
}

export const focusedName = (page: Page): Promise<string> => page.evaluate<string>("document.activeElement?.name ?? ''");
