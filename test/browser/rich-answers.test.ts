import { expect, test } from "vitest";
import { checkAccess } from "./check-access.ts";
import { answersOf, noBrowser, openPage, seeText, sendMessage } from "./open-page.ts";
import { answerWith, startWithScriptedModel } from "./scripted-model.ts";

const table = [
  "| Country | Capital | Language | Population | Currency | Area in km² | Typing system |",
  "|---|---|---|---|---|---|---|",
  "| Switzerland | Bern | German, French, Italian, Romansh | 8,700,000 | Swiss franc | 41,285 | dynamic<br>TypeScript |",
  "| Germany | Berlin | German | 83,200,000 | Euro | 357,022 | CO<sub>2</sub>, <kbd>Ctrl</kbd> |",
  "| 2026-01-15 | 2026-01-31 | 10-20 | 0800-1234-5678 | COVID-19 | 1990-2020 | 12/24 |",
  `| Long | word | https://example.com/${"path/".repeat(60)} | 1 | x | 2 | y |`,
].join("\n");

const answer = [
  table,
  "<details>\n<summary>More</summary>\n\nInside, with **bold**.\n\n</details>",
  `\`\`\`ts\nconst long = "${"word ".repeat(60)}";\n\`\`\``,
  "![A small bird](https://pictures.example/bird.png)",
  "A claim.[^1]\n\n[^1]: Its footnote.",
].join("\n\n");

/** Whether a word of a cell is broken over two lines. */
const brokenWords = `[...document.querySelectorAll("th, td")].flatMap((cell) => {
  const walker = document.createTreeWalker(cell, NodeFilter.SHOW_TEXT);
  const broken = [];
  for (let node = walker.nextNode(); node; node = walker.nextNode())
    for (const { index, 0: word } of node.data.matchAll(/\\S+/g)) {
      if (word.length > 30) continue;
      const range = document.createRange();
      range.setStart(node, index);
      range.setEnd(node, index + word.length);
      if (new Set([...range.getClientRects()].map(({ top }) => Math.round(top))).size > 1) broken.push(word);
    }
  return broken;
})`;

test.skipIf(noBrowser)("tables, HTML, code, images and footnotes are readable on a desktop and a phone", async () => {
  const { voice, url } = await startWithScriptedModel();
  const page = await openPage(url);
  await sendMessage(page, "Compare them");
  await answerWith(voice, answer);
  await seeText(() => answersOf(page).innerText(), "83,200,000");
  for (const width of [1280, 390]) {
    await page.setViewportSize({ width, height: 800 });
    expect(await page.evaluate(brokenWords), `${width} px`).toEqual([]);
    expect(await page.evaluate("document.documentElement.scrollWidth <= innerWidth")).toBe(true);
    const box = answersOf(page).getByRole("group", { name: "Table" });
    expect(await box.evaluate((one) => one.scrollWidth > one.clientWidth)).toBe(true);
    const scrollTo = (left: number) => box.evaluate((one, x) => one.scrollTo(x, 0), left);
    const fades = () =>
      box.evaluate((one) => ["data-more-before", "data-more-after"].map((name) => one.hasAttribute(name)));
    await expect.poll(fades).toEqual([false, true]);
    await scrollTo(20);
    await expect.poll(fades).toEqual([true, true]);
    await scrollTo(9999);
    await expect.poll(fades).toEqual([true, false]);
    await scrollTo(0);
    await checkAccess(page, `rich answer, ${width} px`);
  }
  expect(await answersOf(page).locator("td br, td sub, td kbd").count()).toBe(3);
  expect(await page.getByText("Inside, with").isVisible()).toBe(false);
  await answersOf(page).locator("summary", { hasText: "More" }).click();
  await page.getByText("Inside, with").waitFor();

  const code = answersOf(page).locator("pre");
  const isWide = () => code.evaluate((one) => one.scrollWidth > one.clientWidth);
  expect(await isWide()).toBe(true);
  await answersOf(page).getByRole("button", { name: "Wrap lines" }).click();
  expect(await isWide()).toBe(false);

  const picture = answersOf(page).getByRole("link", { name: "A small bird Show at pictures.example" });
  expect(await picture.getAttribute("title")).toContain("pictures.example would learn that you read this");
  await answersOf(page).getByRole("link", { name: "1", exact: true }).click();
  const footnote = answersOf(page).locator("section[data-footnotes] li");
  const isFocused = () => footnote.evaluate((one) => one === one.ownerDocument.activeElement);
  await expect.poll(isFocused).toBe(true);
  await answersOf(page).getByRole("link", { name: "Back to reference 1" }).click();
  await expect.poll(isFocused).toBe(false);
  expect(new URL(page.url()).hash).toBe("");
  const line = await answersOf(page)
    .locator("section[data-footnotes]")
    .evaluate((one) => one.ownerDocument.defaultView.getComputedStyle(one).borderTopWidth);
  expect(line).toBe("1px");
});

const wide = [
  "| Confederation | Members | Founded | Headquarters | President | Competition | Champions |",
  "|---|---|---|---|---|---|---|",
  `| ${["CONMEBOL", "Ten", "Nineteen", "Luque", "Alejandro", "Copa", "Lautaro"].map((word) => word.padEnd(20, "x")).join(" | ")} |`,
].join("\n");

test.skipIf(noBrowser)(
  "a table uses the free space at the sides of the text, and begins where its text does",
  async () => {
    const { voice, url } = await startWithScriptedModel();
    const page = await openPage(url, { viewport: { width: 1920, height: 1000 } });
    await sendMessage(page, "Compare them");
    const narrow = "| Country | Capital |\n|---|---|\n| Germany | Berlin |";
    await answerWith(voice, `Text.\n\n${wide}\n\n${narrow}`);
    await seeText(() => answersOf(page).innerText(), "Berlin");
    const tables = answersOf(page).getByRole("group", { name: "Table" });
    const text = answersOf(page).getByText("Text.", { exact: true });
    const readX = async () => {
      const [large, small, words] = [tables.nth(0), tables.nth(1), text].map((one) => one.boundingBox());
      return { large: await large, small: await small, words: await words };
    };
    const { large, small, words } = await readX();
    expect(large?.width).toBeGreaterThan((words?.width ?? 0) + 100);
    expect(await tables.nth(0).evaluate((one) => one.scrollWidth <= one.clientWidth)).toBe(true);
    expect(small?.x).toBe(words?.x);
    expect(small?.width).toBe(words?.width);

    await page.evaluate('document.documentElement.dir = "rtl"');
    await page.setViewportSize({ width: 390, height: 800 });
    expect(await tables.nth(0).evaluate((one) => one.scrollLeft)).toBe(0);
    const cell = await tables.nth(1).getByRole("cell", { name: "Germany" }).boundingBox();
    const box = await tables.nth(1).boundingBox();
    expect(Math.abs((cell?.x ?? 0) - (box?.x ?? 99))).toBeLessThan(2);
    expect(await page.evaluate("document.documentElement.scrollWidth <= innerWidth")).toBe(true);
  },
);
