import type { Page } from "playwright-core";
import { expect, test } from "vitest";
import type { Catalog } from "../../web/languages/catalog.ts";
import ar from "../../web/languages/ar.ts";
import de from "../../web/languages/de.ts";
import { say, startInstance } from "../support/instance.ts";
import { checkAccess } from "./check-access.ts";
import { noBrowser, openPage, seeText } from "./open-page.ts";

const fieldOf = (page: Page, { composer }: Catalog) => page.getByRole("textbox", { name: composer.field, exact: true });
const readDirection = (page: Page) => page.evaluate("[document.documentElement.lang, document.documentElement.dir]");

test.skipIf(noBrowser)("the page speaks the browser's language, or the one chosen in the settings", async () => {
  const { url, client } = await startInstance({ script: () => say("Ebbe und Flut.") });
  await client.createProject({ body: { id: "wall", name: "Mauer" } });
  const page = await openPage(url, { locale: "de-CH" });
  await fieldOf(page, de).fill("Was tut das Meer?");
  await fieldOf(page, de).press("Enter");
  await seeText(() => page.getByRole("article", { name: "Stonechat" }).innerText(), "Ebbe und Flut.");
  expect(await readDirection(page)).toEqual(["de", "ltr"]);
  await page.getByRole("button", { name: de.message.regenerate, exact: true }).waitFor();

  await page.goto(`${url}/p/wall/tasks`);
  await page.getByRole("region", { name: "Offen", exact: true }).waitFor();
  await page.getByRole("textbox", { name: "Aufgabe hinzufügen: blockiert" }).waitFor();

  await page.goto(`${url}/settings/appearance`);
  const { language } = de.settings.appearance;
  await page.getByRole("combobox", { name: language, exact: true }).selectOption("ar");
  await page.getByRole("combobox", { name: ar.settings.appearance.language, exact: true }).waitFor();
  expect(await readDirection(page)).toEqual(["ar", "rtl"]);
  await page.goto(url);
  await fieldOf(page, ar).waitFor();
  // An empty field has the direction of the page, and a name in another script begins where the others do.
  await fieldOf(page, ar).waitFor();
  const direction = 'getComputedStyle(document.querySelector("#message")).direction';
  expect(await page.evaluate(direction)).toBe("rtl");
  const name = page.getByRole("link", { name: "Mauer", exact: true });
  const [nameBox, linkBox] = [await name.locator("bdi").boundingBox(), await name.boundingBox()];
  expect((nameBox?.x ?? 0) + (nameBox?.width ?? 0)).toBeGreaterThan((linkBox?.x ?? 0) + (linkBox?.width ?? 0) - 40);
  await page.getByRole("link", { name: /Was tut das Meer/ }).click();
  await seeText(() => page.getByRole("article", { name: "Stonechat" }).innerText(), "Ebbe und Flut.");
  // The sidebar is at the right, and the page does not scroll sideways.
  const sidebar = await page.getByRole("navigation", { name: ar.list.threads, exact: true }).boundingBox();
  expect((sidebar?.x ?? 0) + (sidebar?.width ?? 0)).toBeGreaterThan(1000);
  await checkAccess(page, "Arabic");
});
