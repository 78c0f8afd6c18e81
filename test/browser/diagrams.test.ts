import { expect, test } from "vitest";
import type { Page } from "playwright-core";
import { checkAccess } from "./check-access.ts";
import { answersOf, noBrowser, openPage, sendMessage } from "./open-page.ts";
import { answerWith, startWithScriptedModel } from "./scripted-model.ts";

const flow = "flowchart TD\n  A[Rain] --> B{Umbrella?}\n  B -->|yes| C[Walk]\n  B -->|no| D[Run]";
const fence = (source: string) => `\`\`\`mermaid\n${source}\n\`\`\``;

async function ask(source: string, options: Parameters<typeof openPage>[1] = {}): Promise<Page> {
  const { voice, url } = await startWithScriptedModel();
  const page = await openPage(url, options);
  await sendMessage(page, "A diagram, please");
  if (options.hasTouch) await page.getByRole("button", { name: "Send", exact: true }).click();
  await answerWith(voice, `Here:\n\n${fence(source)}`);
  await page.getByRole("button", { name: "Draw diagram" }).waitFor();
  return page;
}

const draw = (page: Page) => page.getByRole("button", { name: "Draw diagram" }).click();
/** Diagrams are shown as blobs: captures their SVG. */
async function captureSvg(page: Page): Promise<() => Promise<string>> {
  await page.evaluate(`{
    const create = URL.createObjectURL;
    URL.createObjectURL = (blob) => {
      void blob.text().then((text) => (window.svg = text));
      return create(blob);
    };
  }`);
  return () => page.evaluate("window.svg");
}

const pictureIn = (page: Page) => answersOf(page).getByRole("img", { name: /^Diagram: flowchart/ });

test.skipIf(noBrowser)("shows a diagram's source, then on request its picture with the source", async () => {
  const page = await ask(flow);
  const files: string[] = [];
  page.on("request", (request) => files.push(new URL(request.url()).pathname));
  expect(await answersOf(page).locator("pre").innerText()).toContain("A[Rain] --> B");
  expect(await answersOf(page).locator("svg[id^=diagram]").count()).toBe(0);
  await draw(page);
  await pictureIn(page).waitFor();
  expect(files.some((file) => /draw-diagram/.test(file))).toBe(true);
  await expect
    .poll(() =>
      pictureIn(page).evaluate((image) => image.ownerDocument.querySelector('img[src^="blob:"]').naturalWidth),
    )
    .toBeGreaterThan(50);
  await answersOf(page).getByText("Source", { exact: true }).click();
  expect(await answersOf(page).locator("pre").innerText()).toContain("A[Rain] --> B");
  expect(await page.locator("body > [inert], body > #dmermaid").count()).toBe(0);
});

test.skipIf(noBrowser)("redraws the picture when the theme changes, and shows the old one until then", async () => {
  const page = await ask(flow, { colorScheme: "light" });
  const readSvg = await captureSvg(page);
  const readInk = async () => {
    const ink = await page.evaluate<string>("getComputedStyle(document.body).color");
    return ink.match(/\d+/g) ?? [];
  };
  const hasInk = async () => {
    const [red, green, blue] = await readInk();
    return new RegExp(`(fill|color):\\s*rgb\\(${red}, ?${green}, ?${blue}\\)`).test(await readSvg());
  };
  await draw(page);
  await pictureIn(page).waitFor();
  await expect.poll(hasInk).toBe(true);
  const [before, light] = [await pictureIn(page).getAttribute("src"), await readInk()];
  await page.emulateMedia({ colorScheme: "dark" });
  await expect.poll(readInk).not.toEqual(light);
  await expect.poll(hasInk).toBe(true);
  await expect.poll(() => pictureIn(page).getAttribute("src")).not.toBe(before);
  expect(await page.getByRole("button", { name: "Draw diagram" }).count()).toBe(0);
});

test.skipIf(noBrowser)("shows an error for an invalid diagram and keeps its source", async () => {
  const page = await ask("flowchart TD\n  A[Rain --> ]]] nonsense ((");
  await draw(page);
  const alert = answersOf(page).getByRole("alert");
  await alert.waitFor();
  expect(await alert.innerText()).toMatch(/could not be drawn: .*error/is);
  expect(await answersOf(page).locator("pre").innerText()).toContain("A[Rain -->");
});

test.skipIf(noBrowser)("removes scripts, links and images from a diagram", async () => {
  const hostile = [
    '%%{init: {"securityLevel": "loose", "htmlLabels": true, "themeCSS": "@import url(https://evil.example/x.css);"}}%%',
    "flowchart TD",
    '  A["<img src=https://evil.example/a.png onerror=document.title=1><script>document.title=2</script>Label"] --> B',
    '  click A "https://evil.example/go" _blank',
    '  click B call alert("x")',
    '  C@{ img: "https://evil.example/node.png", label: "pic" }',
  ].join("\n");
  const page = await ask(hostile);
  const requests: string[] = [];
  page.on("request", (request) => requests.push(request.url()));
  const title = await page.title();
  const readSvg = await captureSvg(page);
  await draw(page);
  await pictureIn(page).waitFor();
  const external = requests.filter(
    (request) => !request.startsWith(new URL(page.url()).origin) && !/^(data|blob):/.test(request),
  );
  expect(external).toEqual([]);
  expect(await page.title()).toBe(title);
  const picture = await readSvg();
  expect(picture).toContain("<svg");
  expect(picture).not.toMatch(/<script|<img|<a[\s>]|\son\w+=|foreignObject/i);
  expect(picture).not.toMatch(/(href|src)="[^#]|url\(["']?[^#"']/i);
});

test("a diagram passes axe on a phone, light and dark", async () => {
  if (noBrowser) return;
  const page = await ask(flow, { viewport: { width: 390, height: 780 }, hasTouch: true });
  await checkAccess(page, "source");
  await draw(page);
  await pictureIn(page).waitFor();
  await checkAccess(page, "diagram");
});
