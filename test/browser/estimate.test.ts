import { expect, test } from "vitest";
import { checkAccess } from "./check-access.ts";
import { composerOf, noBrowser, openPage, seeText } from "./open-page.ts";
import { createContext, toLine } from "./stub-context.ts";
import { paid, stubModels } from "./stub-models.ts";
import * as told from "./stub-parts.ts";
import { stubThread } from "./stub-thread.ts";
import { startWithScriptedModel } from "./scripted-model.ts";

async function openThread(options: Parameters<typeof openPage>[1] & { model?: typeof paid; isNew?: boolean } = {}) {
  const { model = paid, isNew = false, ...rest } = options;
  const { url } = await startWithScriptedModel();
  const page = await openPage(url, rest);
  const asked: string[] = [];
  const thread = await stubThread(page, url, {
    parts: [told.text(1, "Twelve metres.")],
    run: { state: "ended", outcome: "done", endedAt: told.at },
    replies: isNew ? {} : createContext().replies,
  });
  await stubModels(page, model);
  page.on("request", (request) => asked.push(new URL(request.url()).pathname));
  await page.getByText("Twelve metres.").first().waitFor();
  const read = async () => {
    const id = await composerOf(page).getAttribute("aria-describedby");
    return id === null ? "" : ((await page.locator(`#${id}`).textContent()) ?? "");
  };
  return { page, asked, thread, read, url };
}

/** The last prompt of the told thread, its answer, and the frame of a message. */
const before = toLine("receipt-3").promptTokens + 84 + 40;
const group = (tokens: number) => tokens.toLocaleString("en-US");

test.skipIf(noBrowser)("what sending would take is told as one types, and asked for only then", async () => {
  const { page, asked, read } = await openThread();
  expect(asked.filter((path) => path.endsWith("/receipts"))).toEqual([]);
  expect(await read()).toBe("");
  await composerOf(page).fill("four");
  await seeText(read, `About ${group(before + 1)} tokens would be sent, 1 of them these words: $`);
  const cost = (toLine("receipt-3").promptTokens * 0.2 + (84 + 40 + 1) * 2) / 1_000_000;
  await seeText(() => page.getByRole("form", { name: "Write a message" }).innerText(), `$${cost.toFixed(4)}`);
  await composerOf(page).fill("four".repeat(1000));
  await seeText(read, `${group(before + 1000)} tokens would be sent, 1,000 of them`);
  expect(asked.filter((path) => path.endsWith("/receipts"))).toHaveLength(1);
  await composerOf(page).fill("");
  await expect.poll(read).toBe("");
});

test.skipIf(noBrowser)("what is free is called free, and a price that is not known is not guessed", async () => {
  const free = await openThread({ model: { ...paid, free: true } });
  await composerOf(free.page).fill("four");
  await seeText(free.read, "these words: free, without the answer.");
  const unknown = await openThread({ model: { ...paid, prices: { ...paid.prices!, input: null } } });
  await composerOf(unknown.page).fill("four");
  await seeText(unknown.read, "1 of them these words. A preview counts exactly.");
});

test.skipIf(noBrowser)("where no call was made yet, only the words are counted", async () => {
  const { page, read } = await openThread({ isNew: true });
  await composerOf(page).fill("eight ch");
  await seeText(read, "About 2 tokens in these words.");
});

test.skipIf(noBrowser)("after another answer the estimate goes on from there", async () => {
  const { page, asked, thread, read } = await openThread();
  await composerOf(page).fill("four");
  await seeText(read, group(before + 1));
  thread.setRun({ id: "told-run-2", state: "running", outcome: null });
  await expect.poll(() => asked.filter((path) => path.endsWith("/receipts")).length).toBe(2);
});

test.skipIf(noBrowser)("on a phone it has its place beside the buttons, light and dark", async () => {
  const { page } = await openThread({ viewport: { width: 390, height: 844 } });
  await composerOf(page).fill("How high is the tide tomorrow?");
  await page.getByText(/^≈/).waitFor();
  await checkAccess(page, "estimate");
  expect(await page.evaluate("document.documentElement.scrollWidth <= innerWidth")).toBe(true);
  const send = await page.getByRole("button", { name: "Send", exact: true }).boundingBox();
  expect((send?.x ?? 999) + (send?.width ?? 0)).toBeLessThanOrEqual(390);
});
