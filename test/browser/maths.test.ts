import type { Page } from "playwright-core";
import { expect, test } from "vitest";
import { say, startInstance } from "../support/instance.ts";
import { checkAccess } from "./check-access.ts";
import { answersOf, noBrowser, openPage, seeText, sendMessage } from "./open-page.ts";
import { answerWith, startWithScriptedModel } from "./scripted-model.ts";

const formulas = [
  "The roots are $x_{1,2} = \\frac{-b \\pm \\sqrt{b^2-4ac}}{2a}$, and it costs $5 or $10.",
  "\\[ \\int_0^\\infty e^{-x^2}\\,dx = \\frac{\\sqrt{\\pi}}{2} \\]",
  "| what | value |\n|---|---|\n| norm | $|v|$ |",
  "```math\na^2 + b^2 = c^2\n```",
].join("\n\n");

/** Typeset formulas. */
const drawnIn = (page: Page) => answersOf(page).locator(".katex-html");
const filesOf = (page: Page): string[] => {
  const files: string[] = [];
  page.on("request", (request) => files.push(new URL(request.url()).pathname));
  return files;
};

test.skipIf(noBrowser)("typesets formulas with bundled fonts and leaves amounts of money unchanged", async () => {
  const { voice, url } = await startWithScriptedModel();
  const page = await openPage(url);
  const files = filesOf(page);
  await sendMessage(page, "First something plain");
  await answerWith(voice, "Plain words.");
  await seeText(() => answersOf(page).innerText(), "Plain words.");
  await page.getByRole("button", { name: "Regenerate", exact: true }).waitFor();
  expect(files.filter((file) => /katex|formula/i.test(file))).toEqual([]);

  await sendMessage(page, "Formulas, please");
  await answerWith(voice, formulas);
  await expect.poll(() => drawnIn(page).count()).toBe(4);
  expect(await answersOf(page).last().innerText()).toContain("it costs $5 or $10.");
  expect(await answersOf(page).locator(".katex-mathml math").count()).toBe(4);
  await expect.poll(() => files.some((file) => file.endsWith(".woff2"))).toBe(true);
});

test.skipIf(noBrowser)(
  "shows an incomplete or invalid formula as source without moving the text above it",
  async () => {
    const { voice, url } = await startWithScriptedModel();
    const page = await openPage(url);
    await sendMessage(page, "Slowly");
    const call = await voice.next();
    call.say("First words.\n\n$$\\frac{a}{");
    await answersOf(page).locator("code", { hasText: "\\frac{a}{" }).waitFor();
    const first = answersOf(page).getByText("First words.");
    const before = await first.boundingBox();
    call.say("b}$$\n\nAnd $\\nosuchcommand{x}$ too.");
    await expect.poll(() => drawnIn(page).count()).toBe(1);
    await answersOf(page).locator("code", { hasText: "\\nosuchcommand{x}" }).waitFor();
    expect((await first.boundingBox())?.y).toBe(before?.y);
    call.finish();
    await page.getByRole("button", { name: "Regenerate", exact: true }).waitFor();
  },
);

test.skipIf(noBrowser)("ignores links, images and requests in formulas", async () => {
  const { voice, url } = await startWithScriptedModel();
  const page = await openPage(url);
  const requests: string[] = [];
  page.on("request", (request) => requests.push(request.url()));
  await sendMessage(page, "Hostile");
  await answerWith(
    voice,
    [
      "$\\href{javascript:alert(1)}{x}$",
      "$\\includegraphics{https://evil.example/x.png}$",
      "$\\url{https://evil.example}$ $\\htmlClass{evil}{y}$",
      "$$\\def\\a{\\a\\a}\\a$$",
      "A good one: $z$.",
    ].join("\n\n"),
  );
  await expect.poll(() => drawnIn(page).count()).toBeGreaterThan(0);
  const answer = answersOf(page).last();
  await answer.locator("code", { hasText: "\\def" }).waitFor();
  expect(await answer.locator("a, img, .evil").count()).toBe(0);
  expect(requests.filter((request) => !request.startsWith(url) && !request.startsWith("data:"))).toEqual([]);
});

test("formulas pass axe on a phone, light and dark", async () => {
  if (noBrowser) return;
  const { voice, url } = await startWithScriptedModel();
  const page = await openPage(url, { viewport: { width: 390, height: 780 }, hasTouch: true });
  await page.getByRole("textbox", { name: "Message", exact: true }).fill("Formulas, please");
  await page.getByRole("button", { name: "Send", exact: true }).click();
  await answerWith(voice, formulas);
  await expect.poll(() => drawnIn(page).count()).toBe(4);
  await page.getByRole("button", { name: "Regenerate", exact: true }).waitFor();
  await checkAccess(page, "formulas");
});

test.skipIf(noBrowser)("a thread of formulas opens at its end and stays there while they are typeset", async () => {
  const { url, start, send, follow } = await startInstance({
    script: () => say(`${formulas}\n\nThe end.`),
    env: { STONECHAT_MODEL: "scripted/script" },
  });
  const threadId = await start();
  const follower = follow(threadId);
  for (const turn of [1, 2, 3]) {
    await send(threadId, `Formulas ${turn}`);
    await follower.ended(turn);
  }
  const page = await openPage(`${url}/t/${threadId}`, { viewport: { width: 390, height: 700 } });
  await drawnIn(page).nth(4).waitFor();
  const scroller = page.getByRole("region", { name: "Messages" });
  const toEnd = () => scroller.evaluate((box) => box.scrollHeight - box.scrollTop - box.clientHeight);
  await expect.poll(toEnd).toBeLessThan(8);
  expect(await answersOf(page).last().getByText("The end.").isVisible()).toBe(true);
});
