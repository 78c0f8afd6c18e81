import type { Page } from "playwright-core";
import { expect, test } from "vitest";
import type { Catalogue } from "../../web/languages/catalogue.ts";
import ar from "../../web/languages/ar.ts";
import de from "../../web/languages/de.ts";
import { say, startInstance } from "../support/instance.ts";
import { checkAccess } from "./check-access.ts";
import { noBrowser, openPage, seeText } from "./open-page.ts";

const fieldOf = (page: Page, { composer }: Catalogue) =>
  page.getByRole("textbox", { name: composer.field, exact: true });
const readDirection = (page: Page) => page.evaluate("[document.documentElement.lang, document.documentElement.dir]");

test.skipIf(noBrowser)("the page speaks the browser's language, or the one chosen in the settings", async () => {
  const { url } = await startInstance({ script: () => say("Ebbe und Flut.") });
  const page = await openPage(url, { locale: "de-CH" });
  await fieldOf(page, de).fill("Was tut das Meer?");
  await fieldOf(page, de).press("Enter");
  await seeText(() => page.getByRole("article", { name: "Stonechat" }).innerText(), "Ebbe und Flut.");
  expect(await readDirection(page)).toEqual(["de", "ltr"]);
  await page.getByRole("button", { name: de.message.regenerate, exact: true }).waitFor();

  await page.goto(`${url}/settings/appearance`);
  const { language } = de.settings.appearance;
  await page.getByRole("combobox", { name: language, exact: true }).selectOption("ar");
  await page.getByRole("combobox", { name: ar.settings.appearance.language, exact: true }).waitFor();
  expect(await readDirection(page)).toEqual(["ar", "rtl"]);
  await page.goto(url);
  await fieldOf(page, ar).waitFor();
  await page.getByRole("link", { name: /Was tut das Meer/ }).click();
  await seeText(() => page.getByRole("article", { name: "Stonechat" }).innerText(), "Ebbe und Flut.");
  // The sidebar is at the right, and the page does not scroll sideways.
  const sidebar = await page.getByRole("navigation", { name: ar.list.threads, exact: true }).boundingBox();
  expect((sidebar?.x ?? 0) + (sidebar?.width ?? 0)).toBeGreaterThan(1000);
  await checkAccess(page, "Arabic");
});
