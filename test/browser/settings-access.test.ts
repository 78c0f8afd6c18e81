import { expect, test } from "vitest";
import { startInstance } from "../support/instance.ts";
import { checkAccess, devicesOf } from "./check-access.ts";
import { noBrowser, openPage } from "./open-page.ts";
import { stubSettings } from "./settings/stub-settings.ts";

async function openSettings(options: Parameters<typeof openPage>[1]) {
  const { url, client } = await startInstance();
  await client.createProfile({ body: { id: "mine", name: "Mine", from: "research" } });
  const page = await openPage("about:blank", options);
  await stubSettings(page, url);
  return {
    page,
    url,
    open: async (section: string) => {
      await page.goto(`${url}/settings/${section}`);
      await page.getByRole("navigation", { name: "Settings" }).waitFor();
    },
    check: (where: string) => checkAccess(page, where),
  };
}

// test/browser/access-all.test.ts checks the sections as they open.
for (const [name, options] of devicesOf(0))
  test.skipIf(noBrowser)(`models, keys, tools and servers are accessible on ${name}`, async () => {
    const { page, open, check } = await openSettings(options);
    await open("models");
    await page.getByRole("button", { name: "Add key: OpenAI", exact: true }).click();
    await page.getByRole("button", { name: /^Change address/ }).click();
    await page.getByRole("group", { name: "Ready to use" }).waitFor();
    await check("models");

    await open("tools");
    await page.getByRole("button", { name: "Add server" }).click();
    await page.getByLabel("Name", { exact: true }).fill("not a name");
    await page.getByRole("button", { name: "Sign in to calendar" }).waitFor();
    await page.getByRole("list", { name: "Built-in tools" }).waitFor();
    await page.getByText("3 tools").last().click();
    await check("tools");
  });

for (const [name, options] of devicesOf(1))
  test.skipIf(noBrowser)(`profiles and data are accessible on ${name}`, async () => {
    const { page, url, open, check } = await openSettings(options);
    await open("profiles");
    await page.getByRole("link", { name: "Mine", exact: true }).click();
    await page.getByRole("checkbox", { name: /search_web/ }).waitFor();
    await page.getByRole("textbox", { name: "Steps" }).fill("1000000");
    await page.getByRole("textbox", { name: "Name" }).focus();
    const toErrors = page.getByRole("button", { name: "Fix the errors above to save." });
    await toErrors.click();
    const steps = page.getByRole("textbox", { name: "Steps" });
    await expect.poll(() => steps.evaluate((field) => field.matches(":focus"))).toBe(true);
    const [field, bar] = [await steps.boundingBox(), await toErrors.boundingBox()];
    expect((field?.y ?? 0) + (field?.height ?? 0)).toBeLessThan(bar?.y ?? 0);
    await check("profile");
    await page.goto(`${url}/settings/profiles#research`);
    await page.reload();
    await page.getByRole("form", { name: "Research" }).waitFor();
    await check("built-in profile");

    await open("data");
    await page.getByRole("button", { name: "Delete everything…" }).click();
    await page.getByRole("alertdialog").getByRole("textbox").waitFor();
    await check("data");
  });
