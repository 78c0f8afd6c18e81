import { expect, test } from "vitest";
import type { Page } from "playwright-core";
import { checkAccess } from "./check-access.ts";
import { answersOf, noBrowser, openPage, seeText, sendMessage } from "./open-page.ts";
import { answerWith, startWithScriptedModel } from "./scripted-model.ts";

const flow = "flowchart TD\n  A[Rain] --> B{Umbrella?}\n  B -->|yes| C[Walk]\n  B -->|no| D[Run]";
const fence = (source: string) => `\`\`\`mermaid\n${source}\n\`\`\``;

type Options = Parameters<typeof openPage>[1] & { readonly hasTouch?: boolean };

async function ask(
  source: string,
  options: Options = {},
  prepare: (page: Page) => unknown = () => null,
): Promise<Page> {
  const { voice, url } = await startWithScriptedModel();
  const page = await openPage(url, options);
  await sendMessage(page, "A diagram, please");
  if (options.hasTouch) await page.getByRole("button", { name: "Send", exact: true }).click();
  await page.evaluate(captureSvg);
  prepare(page);
  await answerWith(voice, `Here:\n\n${fence(source)}`);
  return page;
}

/** Diagrams are shown as blobs: captures their SVG. */
const captureSvg = `{
  const create = URL.createObjectURL;
  URL.createObjectURL = (blob) => {
    void blob.text().then((text) => (window.svg = text));
    return create(blob);
  };
}`;
const readSvg = (page: Page): Promise<string> => page.evaluate("window.svg");

const pictureIn = (page: Page) => answersOf(page).getByRole("img", { name: /^Diagram: flowchart/ });

const widthOf = (page: Page) => pictureIn(page).evaluate((image) => image.getBoundingClientRect().width);

test.skipIf(noBrowser)("draws a diagram when its source is complete, fits it, and enlarges it", async () => {
  const { voice, url } = await startWithScriptedModel();
  const page = await openPage(url);
  await page.evaluate(captureSvg);
  await sendMessage(page, "A diagram, please");
  const call = await voice.next();
  const wide = `flowchart LR\n${Array.from({ length: 8 }, (_, at) => `  N${at}[A rather long step ${at}] -->|then| N${at + 1}`).join("\n")}`;
  call.say(`Here:\n\n\`\`\`mermaid\n${wide}`);
  await seeText(() => answersOf(page).locator("pre").innerText(), "N7[A rather");
  // The source is not complete, although it could be drawn.
  expect(await page.getByRole("button", { name: "Draw diagram" }).count()).toBe(0);
  expect(await answersOf(page).getByText("Drawing…").count()).toBe(0);
  call.say("\n```\n\nAnd on it goes");
  await pictureIn(page).waitFor({ timeout: 30_000 });
  call.finish();
  const box = answersOf(page).getByRole("group", { name: "Diagram" });
  const svg = await readSvg(page);
  const natural = Number(/width="(\d+)"/.exec(svg)?.[1]);
  // Measured without transitions: nodes have their own color, and the picture begins at its first node.
  const [ink, node] = [/^<svg.*?\{[^}]*fill:([^;]+);/s.exec(svg)?.[1], /\.node path\{fill:([^;]+);/.exec(svg)?.[1]];
  expect(node).toMatch(/^rgb/);
  expect(svg).toMatch(/\.edgeLabel rect\{opacity:1;stroke:rgb/);
  expect(node).not.toBe(ink);
  expect(Number(/viewBox="(-?[\d.]+)/.exec(svg)?.[1])).toBeGreaterThanOrEqual(0);
  const room = await box.evaluate((one) => one.clientWidth);
  expect(natural).toBeGreaterThan(room);
  expect(await widthOf(page)).toBeLessThan(room);
  expect(await box.evaluate((one) => one.scrollWidth > one.clientWidth)).toBe(false);
  await answersOf(page).getByText("Source", { exact: true }).click();
  expect(await answersOf(page).locator("pre").innerText()).toContain("N0[A rather");
  await answersOf(page).getByRole("button", { name: "Enlarge the diagram" }).click();
  const enlarged = page.getByRole("dialog").getByRole("img");
  await enlarged.waitFor();
  const isScrolled = () => enlarged.evaluate((one) => one.parentElement.scrollWidth > one.parentElement.clientWidth);
  // Fitted to the window, also when that changes, and then zoomed and scrolled.
  expect(await isScrolled()).toBe(false);
  await page.setViewportSize({ width: 390, height: 780 });
  await expect.poll(isScrolled).toBe(false);
  await page.getByRole("button", { name: "Zoom in" }).click();
  await expect.poll(isScrolled).toBe(true);
  // Its middle stays in the middle.
  const middle = await enlarged.evaluate((one) => {
    const [{ left, top, width, height }, view] = [
      one.getBoundingClientRect(),
      one.parentElement.getBoundingClientRect(),
    ];
    return [left + width / 2 - view.left - view.width / 2, top + height / 2 - view.top - view.height / 2];
  });
  for (const distance of middle) expect(Math.abs(distance)).toBeLessThan(20);
  await checkAccess(page, "enlarged diagram");
  await page.getByRole("button", { name: "Zoom out" }).click();
  await expect.poll(isScrolled).toBe(false);
  await page.keyboard.press("Escape");
  await page.getByRole("dialog").waitFor({ state: "detached" });
  expect(await page.locator("body > [inert], body > #dmermaid").count()).toBe(0);
});

test.skipIf(noBrowser)(
  "on a phone a wide diagram is enlarged to a readable size, and two fingers zoom it",
  async () => {
    const steps = Array.from({ length: 8 }, (_, at) => `  N${at}[A rather long step ${at}] -->|then| N${at + 1}`);
    const page = await ask(`flowchart LR\n${steps.join("\n")}`, {
      viewport: { width: 390, height: 780 },
      hasTouch: true,
      isMobile: true,
    });
    await pictureIn(page).waitFor({ timeout: 30_000 });
    await answersOf(page).getByRole("button", { name: "Enlarge the diagram" }).click();
    const enlarged = page.getByRole("dialog").getByRole("img");
    const readScale = () => enlarged.evaluate((one) => one.clientWidth / one.naturalWidth);
    await expect.poll(readScale).toBeGreaterThan(0.9);
    const view = enlarged.locator("..");
    expect(await view.evaluate((one) => [one.scrollLeft, one.scrollWidth > 3 * one.clientWidth])).toEqual([0, true]);
    const before = await readScale();
    await view.evaluate((one) => {
      const { Touch, TouchEvent } = one.ownerDocument.defaultView;
      for (const [type, distance] of [
        ["touchstart", 50],
        ["touchmove", 75],
      ] as const) {
        const touches = [100, 100 + distance].map(
          (clientX, identifier) => new Touch({ identifier, target: one, clientX, clientY: 300 }),
        );
        one.dispatchEvent(new TouchEvent(type, { touches, changedTouches: touches, bubbles: true, cancelable: true }));
      }
    });
    await expect.poll(async () => (await readScale()) / before).toBeCloseTo(1.5, 1);
    await page.getByRole("button", { name: "Zoom out" }).click();
    await expect.poll(readScale).toBeLessThan(before);
  },
);

test.skipIf(noBrowser)("redraws the picture when the theme changes, and shows the old one until then", async () => {
  const page = await ask(flow, { colorScheme: "light" });
  const readInk = async () => {
    const ink = await page.evaluate<string>("getComputedStyle(document.body).color");
    return ink.match(/\d+/g) ?? [];
  };
  const hasInk = async () => {
    const [red, green, blue] = await readInk();
    return new RegExp(`(fill|color):\\s*rgb\\(${red}, ?${green}, ?${blue}\\)`).test(await readSvg(page));
  };
  await pictureIn(page).waitFor({ timeout: 30_000 });
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
  const alert = answersOf(page).getByRole("alert");
  await alert.waitFor();
  expect(await alert.innerText()).toMatch(/could not be drawn: .*error[^\n]*\.$/i);
  expect(await page.getByRole("button", { name: "Draw diagram" }).count()).toBe(0);
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
  const requests: string[] = [];
  const page = await ask(hostile, {}, (opened) => opened.on("request", (request) => requests.push(request.url())));
  await pictureIn(page).waitFor({ timeout: 30_000 });
  const external = requests.filter(
    (request) => !request.startsWith(new URL(page.url()).origin) && !/^(data|blob):/.test(request),
  );
  expect(external).toEqual([]);
  expect(await page.title()).toMatch(/Stonechat$/);
  const picture = await readSvg(page);
  expect(picture).toContain("<svg");
  expect(picture).not.toMatch(/<script|<img|<a[\s>]|\son\w+=|foreignObject/i);
  expect(picture).not.toMatch(/(href|src)="[^#]|url\(["']?[^#"']/i);
});

test("a diagram passes axe on a phone, light and dark", async () => {
  if (noBrowser) return;
  const page = await ask(flow, { viewport: { width: 390, height: 780 }, hasTouch: true });
  await pictureIn(page).waitFor({ timeout: 30_000 });
  await checkAccess(page, "diagram");
});

test.skipIf(noBrowser)("draws a diagram that asks for a layout which is not included", async () => {
  const page = await ask(`---\nconfig:\n  layout: elk\n---\n${flow}`);
  await pictureIn(page).waitFor({ timeout: 30_000 });
  expect(await readSvg(page)).toContain("Umbrella?");
});

test.skipIf(noBrowser)(
  "the page has the licenses of its packages, and no package with another kind of license",
  async () => {
    const { url } = await startWithScriptedModel();
    const page = await openPage(`${url}/settings/data`);
    const link = page.getByRole("link", { name: "Licenses of the packages in this page" });
    const response = await fetch(new URL((await link.getAttribute("href")) ?? "", url));
    expect(response.headers.get("content-type")).toContain("text/plain");
    const [, ...texts] = (await response.text()).split(/\n\n(?:-{80}\n\n)?(?=[@\w./-]+ \d+\.\d+\.\d+\S*\n[^\n]+\n)/);
    const packages = new Map(texts.map((text) => [text.split(" ")[0] ?? "", text.split("\n")[1] ?? ""]));
    expect([...packages.keys()]).toEqual(expect.arrayContaining(["react", "mermaid", "katex", "dompurify"]));
    expect(packages.has("elkjs")).toBe(false);
    const permissive =
      /^\(?(MIT|ISC|Apache-2\.0|BSD-[23]-Clause|0BSD|The MIT License \(MIT\)|(MIT|MPL-2\.0) OR Apache-2\.0)\)?$/;
    expect([...packages].filter(([, license]) => !permissive.test(license))).toEqual([]);
  },
);
