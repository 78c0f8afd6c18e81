import { expect, test } from "vitest";
import { inBatches, isDeep, listPayloads, takeEvery } from "./hostile/payloads.ts";
import { markOf } from "./hostile/stub-payloads.ts";
import { stubHostilePages } from "./hostile/stub-pages.ts";
import { expectQuiet, seeMarks, unfold, watch } from "./hostile/watch.ts";
import { composerOf, noBrowser, openPage, rowsOf } from "./open-page.ts";
import { startCanary } from "./preview/attacks.ts";
import { startWithScriptedModel } from "./scripted-model.ts";

/** Tall enough for all rows of a batch, because a virtual list does not render rows outside the viewport. */
const tall = { viewport: { width: 1440, height: 6300 } };

test.skipIf(noBrowser)(
  "hostile text in lists, search, models, settings, memory and shared pages runs no scripts and sends no requests",
  { timeout: 60 * 60_000 },
  async () => {
    const canary = await startCanary();
    const { url } = await startWithScriptedModel();
    const all = takeEvery(listPayloads(canary.url), isDeep ? 1 : 3);
    for (const payloads of inBatches(all, 40)) {
      const page = await openPage("about:blank", tall);
      const seen = await watch(page, url);
      await stubHostilePages(page, url, payloads);
      const marks = payloads.map((_, index) => markOf(index));
      const quiet = (where: string) => expectQuiet(page, seen, canary, where);

      await page.goto(url);
      await rowsOf(page).first().waitFor();
      await seeMarks(page, marks, "thread list");
      await quiet("thread list");

      await page.keyboard.press("Control+k");
      await page.getByRole("combobox", { name: "Type a command or search" }).fill("(m");
      await page.getByRole("listbox", { name: "Commands" }).getByText(markOf(1)).first().waitFor();
      await quiet("palette");
      await page.keyboard.press("Escape");

      await composerOf(page).focus();
      await page.keyboard.type("@");
      await page.getByRole("listbox", { name: "Suggestions" }).waitFor();
      await seeMarks(page, marks, "commands");
      await quiet("commands");
      await composerOf(page).fill("");
      await page.getByRole("button", { name: /^Model:/ }).click();
      await page.getByRole("listbox", { name: "Models" }).waitFor();
      await seeMarks(page, marks, "models");
      await quiet("models");
      await page.keyboard.press("Escape");

      for (const sheet of ["Memory", "Usage"]) {
        await page.getByRole("button", { name: sheet, exact: true }).click();
        await page.getByRole("dialog", { name: sheet }).waitFor();
        await unfold(page);
        await seeMarks(page, marks.slice(0, 8), sheet);
        await quiet(sheet);
        await page.getByRole("button", { name: "Close", exact: true }).click();
      }

      await page.goto(`${url}/search#q=m`);
      await page.getByRole("region", { name: "Results" }).locator("mark").first().waitFor();
      await seeMarks(page, marks, "search");
      await quiet("search");
      for (const section of ["models", "tools"]) {
        await page.goto(`${url}/settings/${section}`);
        await page.getByRole("navigation", { name: "Settings" }).waitFor();
        await seeMarks(page, marks.slice(0, 4), section);
        await unfold(page);
        await quiet(section);
      }
      await page.goto(`${url}/s/${"x".repeat(43)}`);
      await page.getByRole("main").waitFor();
      await seeMarks(page, marks, "shared");
      await quiet("shared");
      await page.context().close();
    }
    console.log(`${all.length} payloads in lists and settings: 0 scripts, 0 requests, 0 CSP reports`);
    expect(all.length).toBeGreaterThan(36);
  },
);
