import { expect, test } from "vitest";
import { accountsOn, join, setUp } from "../../support/accounts/accounts-instance.ts";
import { say, startInstance } from "../../support/instance.ts";
import { checkAccess, devicesOf } from "../check-access.ts";
import { noBrowser, openPage } from "../open-page.ts";
import { openAs } from "./open-as.ts";

const env = { STONECHAT_ARCHIVE_THREADS_DAYS: "60" };

for (const [name, options] of devicesOf(1))
  test.skipIf(noBrowser)(`an admin sees the storage by account and thread on ${name}`, async () => {
    const instance = await startInstance({ env: { ...accountsOn, ...env } });
    const ada = await setUp(instance);
    const bob = await join(instance.url, ada, { email: "bob@example.com", name: "Bob" });
    await ada.client.createThread({ body: { id: "adas", title: "A plan for the garden" } });
    await bob.client.createThread({ body: { id: "bobs", title: "Bob's secret plan" } });
    const page = await openAs(instance.url, ada, "/settings/storage", options);
    await page.getByText("bob@example.com", { exact: true }).waitFor();
    await page.getByText("Thread of bob@example.com").waitFor();
    await page.getByText("After 60 days").waitFor();
    await page.getByText("STONECHAT_ARCHIVE_THREADS_DAYS").waitFor();
    expect(await page.getByText("secret plan").count()).toBe(0);
    await checkAccess(page, "storage");
    if (process.env["SHOTS"] !== undefined) {
      await page.screenshot({ path: `${process.env["SHOTS"]}-storage-${name}.png` });
      await page.getByText("Can be freed").scrollIntoViewIfNeeded();
      await page.screenshot({ path: `${process.env["SHOTS"]}-storage-${name}-end.png` });
    }
    await page.getByRole("button", { name: "Refresh" }).click();
    await page.getByRole("link", { name: "A plan for the garden" }).last().click();
    await page.waitForURL("**/adas");

    const members = await openAs(instance.url, bob, "/settings/storage", { ...options, allowErrors: true });
    await members.getByText("Only an admin can change this.").waitFor();
    expect(await members.getByRole("link", { name: "Storage" }).count()).toBe(0);
  });

for (const [name, options] of devicesOf(0))
  test.skipIf(noBrowser)(`without accounts the user sees the storage on ${name}`, async () => {
    const instance = await startInstance({ env, script: () => say("an answer") });
    await instance.start({ title: "A plan for the garden" });
    const page = await openPage(`${instance.url}/settings/storage`, options);
    await page.getByText("Attached files").waitFor();
    await page.getByRole("navigation", { name: "Settings" }).getByRole("link", { name: "Storage" }).waitFor();
    await page.getByRole("region", { name: "Largest threads" }).getByText("A plan for the garden").waitFor();
    expect(await page.getByRole("region", { name: "By account" }).count()).toBe(0);
    await checkAccess(page, "storage without accounts");
    if (process.env["SHOTS"] !== undefined)
      await page.screenshot({ path: `${process.env["SHOTS"]}-storage-own-${name}.png` });
  });
