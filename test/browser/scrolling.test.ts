import type { Page } from "playwright-core";
import { expect, test } from "vitest";
import { say, startInstance } from "../support/instance.ts";
import { answersOf, noBrowser, openPage, seeText, sendMessage } from "./open-page.ts";
import { startWithScriptedModel } from "./scripted-model.ts";

const lines = (from: number, to: number): string =>
  Array.from({ length: to - from + 1 }, (_, index) => `line ${from + index}.`).join("\n\n");

const scrollerOf = (page: Page) => page.getByRole("region", { name: "Messages" });
/** Pixels; less than a line. */
const AT_END = 8;
const toEnd = (page: Page) => scrollerOf(page).evaluate((box) => box.scrollHeight - box.scrollTop - box.clientHeight);
const topOf = (page: Page) => scrollerOf(page).evaluate((box) => box.scrollTop);

test.skipIf(noBrowser)("follows an answer while the reader is at the end, and only then", async () => {
  const { voice, url } = await startWithScriptedModel();
  const page = await openPage(url);
  await sendMessage(page, "Count, please");
  const call = await voice.next();
  call.say(lines(1, 60));
  await seeText(() => answersOf(page).innerText(), "line 60.");
  await expect.poll(() => toEnd(page)).toBeLessThan(AT_END);

  await scrollerOf(page).hover();
  await page.mouse.wheel(0, -900);
  await page.getByRole("button", { name: "Scroll to the end" }).waitFor();
  const before = await topOf(page);
  call.say(`\n\n${lines(61, 120)}`);
  await seeText(() => answersOf(page).innerText(), "line 120.");
  expect(await topOf(page)).toBe(before);

  await page.getByRole("button", { name: "Scroll to the end" }).click();
  await expect.poll(() => toEnd(page)).toBeLessThan(AT_END);
  call.say(`\n\n${lines(121, 140)}`);
  await seeText(() => answersOf(page).innerText(), "line 140.");
  await expect.poll(() => toEnd(page)).toBeLessThan(AT_END);
  call.finish();
  await page.getByRole("button", { name: "Regenerate" }).waitFor();
});

test.skipIf(noBrowser)("Scroll to the end arrives while an answer grows, and then follows it", async () => {
  const { voice, url } = await startWithScriptedModel();
  const page = await openPage(url, { reducedMotion: "no-preference" });
  await sendMessage(page, "A long essay");
  const call = await voice.next();
  call.say(lines(1, 200));
  await seeText(() => answersOf(page).innerText(), "line 200.");
  await scrollerOf(page).focus();
  await page.keyboard.press("Home");
  await page.getByRole("button", { name: "Scroll to the end" }).waitFor();
  let last = 200;
  const grow = () => call.say(`\n\n${lines(last + 1, (last += 4))}`);
  // Each step grows the answer as soon as the previous one is drawn, as a fast model does.
  await page.getByRole("button", { name: "Scroll to the end" }).click();
  const distances: number[] = [];
  for (let turn = 0; turn < 12; turn += 1) {
    grow();
    await seeText(() => answersOf(page).innerText(), `line ${last}.`);
    distances.push(await toEnd(page));
  }
  expect(Math.max(...distances.slice(1))).toBeLessThan(400);
  await expect.poll(() => toEnd(page)).toBeLessThan(AT_END);
  call.finish();
});

async function startLongThread(turns: number) {
  const instance = await startInstance({
    script: (request) =>
      say(`Answer to ${request.messages.findLast((one) => one.role === "user")?.text}\n\n${lines(1, 6)}`),
    env: { STONECHAT_MODEL: "scripted/script" },
  });
  const threadId = await instance.start();
  const follower = instance.follow(threadId);
  for (let turn = 1; turn <= turns; turn += 1) {
    await instance.send(threadId, `q${turn}x`);
    await follower.ended(turn);
  }
  follower.close();
  return `${instance.url}/t/${threadId}`;
}

test.skipIf(noBrowser)("a long thread opens at its end and loads earlier messages while scrolling up", async () => {
  const page = await openPage(await startLongThread(70));
  await seeText(() => answersOf(page).last().innerText(), "Answer to q70x");
  await expect.poll(() => toEnd(page)).toBeLessThan(AT_END);
  expect(await page.getByRole("article").count()).toBeLessThan(30);
  const first = page.getByRole("article").getByText("q1x", { exact: true });
  await scrollerOf(page).hover();
  await expect
    .poll(
      async () => {
        await page.mouse.wheel(0, -4000);
        return first.count();
      },
      { timeout: 60_000, interval: 100 },
    )
    .toBe(1);
  expect(await page.getByRole("article").count()).toBeLessThan(40);
});

test.skipIf(noBrowser)("scrolls to a search hit far up in a thread", async () => {
  const page = await openPage(await startLongThread(60));
  await seeText(() => answersOf(page).last().innerText(), "Answer to q60x");
  await page.getByRole("textbox", { name: "Search threads" }).fill("q2x");
  const hits = page.getByRole("navigation", { name: "Search results" }).getByRole("link");
  await hits.filter({ hasText: "Answer to q2x" }).click();
  const hit = answersOf(page).filter({ hasText: "Answer to q2x" });
  await hit.waitFor();
  await expect
    .poll(async () => {
      const [box, frame] = await Promise.all([hit.boundingBox(), scrollerOf(page).boundingBox()]);
      return box !== null && frame !== null && box.y >= frame.y - 1 && box.y < frame.y + frame.height;
    })
    .toBe(true);
});
