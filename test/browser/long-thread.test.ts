import type { Page } from "playwright-core";
import { expect, test } from "vitest";
import { writeThread } from "../support/context/long-thread.ts";
import { say, startInstance } from "../support/instance.ts";
import { answersOf, noBrowser, openPage, seeText, sendMessage } from "./open-page.ts";

const length = process.env["STONECHAT_DEEP"] === "1" ? 50_000 : 5_000;
const far = length * 0.6 + 1;
const scrollerOf = (page: Page) => page.getByRole("region", { name: "Messages" });
const messageAt = (page: Page, depth: number) =>
  page.getByRole("article").filter({ hasText: new RegExp(`^Message ${depth} of the long thread\\.`) });

/** Records which messages the page requests. */
function watchPages(page: Page) {
  const requests: { before: number; limit: number }[] = [];
  page.on("request", (request) => {
    const { pathname, searchParams } = new URL(request.url());
    if (!pathname.endsWith("/messages") || request.method() !== "GET") return;
    requests.push({ before: Number(searchParams.get("before")), limit: Number(searchParams.get("limit")) });
  });
  return requests;
}

async function startLong() {
  const instance = await startInstance({
    script: () => say("Answered at the end."),
    env: { STONECHAT_MODEL: "scripted/script" },
  });
  const threadId = await instance.start();
  const toText = (depth: number) =>
    `Message ${depth} of the long thread.${depth % 2 ? "" : `\n\n| n | square |\n|---|---|\n| ${depth} | ${depth * depth} |\n\n\`\`\`ts\nconst n = ${depth};\n\`\`\``}`;
  await writeThread(instance.server.store, threadId, length, toText);
  return { threadId, url: `${instance.url}/t/${threadId}` };
}

test.skipIf(noBrowser)(
  `a thread of ${length} messages opens at its end, reaches any message, and loads only those near the viewport`,
  async () => {
    const { threadId, url } = await startLong();
    const page = await openPage(url);
    const requests = watchPages(page);
    await messageAt(page, length).waitFor();
    const toEnd = () => scrollerOf(page).evaluate((box) => box.scrollHeight - box.scrollTop - box.clientHeight);
    await expect.poll(toEnd).toBeLessThan(8);
    expect(await page.getByRole("article").count()).toBeLessThan(40);

    // The scroll bar covers the whole thread: its middle is the middle of the thread.
    await scrollerOf(page).evaluate((box) => box.scrollTo(0, box.scrollHeight / 2));
    const readShare = async () => {
      const shown = await page.getByRole("article").first().innerText();
      return Number(/Message (\d+)/.exec(shown)?.[1] ?? 0) / length;
    };
    await expect.poll(readShare).toSatisfy((share: number) => share > 0.4 && share < 0.6);
    expect(await page.getByRole("article").count()).toBeGreaterThan(3);

    // Scrolling down from the beginning skips nothing.
    await scrollerOf(page).press("Home");
    await messageAt(page, 1).waitFor();
    await scrollerOf(page).hover();
    for (const depth of [5, 10, 20, 30]) {
      await expect
        .poll(
          async () => {
            if ((await messageAt(page, depth).count()) === 0) await page.mouse.wheel(0, 500);
            return messageAt(page, depth).count();
          },
          { interval: 50 },
        )
        .toBe(1);
    }

    // A URL leads to a message far from the loaded ones.
    await page.evaluate(
      `history.pushState(null, "", "#${threadId}-${far}"); dispatchEvent(new PopStateEvent("popstate"))`,
    );
    await messageAt(page, far).waitFor();
    await expect
      .poll(async () => {
        const [box, frame] = await Promise.all([messageAt(page, far).boundingBox(), scrollerOf(page).boundingBox()]);
        return box !== null && frame !== null && box.y >= frame.y - 1 && box.y < frame.y + frame.height / 2;
      })
      .toBe(true);
    expect(requests.reduce((sum, { limit }) => sum + limit, 0)).toBeLessThan(1500);

    await page.getByRole("button", { name: "Scroll to the end" }).click();
    await messageAt(page, length).waitFor();
    await expect.poll(toEnd).toBeLessThan(8);
    await sendMessage(page, "One more");
    await seeText(() => answersOf(page).last().innerText(), "Answered at the end.");
    await expect.poll(toEnd).toBeLessThan(8);
  },
  180_000,
);
