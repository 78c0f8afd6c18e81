import { expect, test } from "vitest";
import { startInstance } from "../support/instance.ts";
import { checkAccess } from "./check-access.ts";
import { noBrowser, openPage } from "./open-page.ts";
import { stubSettings } from "./settings/stub-settings.ts";

const devices = [
  ["desktop", { viewport: { width: 1440, height: 900 } }],
  ["phone", { viewport: { width: 390, height: 844 }, hasTouch: true, isMobile: true }],
] as const;

async function openSettings(options: Parameters<typeof openPage>[1]) {
  const { url, client } = await startInstance();
  await client.createProfile({ body: { id: "mine", name: "Mine", from: "research" } });
  const page = await openPage(url, options);
  await stubSettings(page, url);
  return {
    page,
    url,
    open: async (section: string) => {
      await page.goto(`${url}/settings/${section}`);
      await page.getByRole("navigation", { name: "Settings" }).waitFor();
    },
    check: async (where: string) => {
      await checkAccess(page, where);
      expect(await page.evaluate("document.documentElement.scrollWidth <= innerWidth")).toBe(true);
    },
  };
}

for (const [name, options] of devices) {
  test.skipIf(noBrowser)(`models, keys, tools and servers are accessible on ${name}, light and dark`, async () => {
    const { page, open, check } = await openSettings(options);
    await open("models");
    await page.getByRole("button", { name: "Add key: OpenAI", exact: true }).click();
    await page.getByRole("button", { name: /^Change address/ }).click();
    await page.getByRole("list", { name: "Ready to use" }).waitFor();
    await check("models");

    await open("tools");
    await page.getByRole("button", { name: "Add server" }).click();
    await page.getByLabel("Name", { exact: true }).fill("not a name");
    await page.getByRole("button", { name: "Sign in to calendar" }).waitFor();
    await page.getByRole("list", { name: "Built-in tools" }).waitFor();
    await page.getByText("3 tools").last().click();
    await check("tools");
  });

  test.skipIf(noBrowser)(`profiles, appearance and data are accessible on ${name}, light and dark`, async () => {
    const { page, url, open, check } = await openSettings(options);
    await open("profiles");
    await page.getByRole("link", { name: "Mine" }).waitFor();
    await check("profiles");
    await page.getByRole("link", { name: "Mine" }).click();
    await page.getByRole("checkbox", { name: /search_web/ }).waitFor();
    await page.getByRole("textbox", { name: "Steps" }).fill("1000000");
    await page.getByText("Fix the errors above to save.").waitFor();
    await check("profile");
    await page.goto(`${url}/settings/profiles#research`);
    await page.reload();
    await page.getByRole("form", { name: "Research" }).waitFor();
    await check("built-in profile");

    await open("appearance");
    await check("appearance");
    await open("shortcuts");
    await check("shortcuts");
    await open("data");
    await page.getByRole("button", { name: "Delete everything…" }).click();
    await page.getByRole("alertdialog").getByRole("textbox").waitFor();
    await check("data");
  });
}
