import { expect, test } from "vitest";
import { checkAccess } from "./check-access.ts";
import { composerOf, noBrowser, openPage, seeText } from "./open-page.ts";
import { createContext, toLine } from "./stub-context.ts";
import { paid, stubModels } from "./stub-models.ts";
import * as stub from "./stub-parts.ts";
import { stubThread } from "./stub-thread.ts";
import { startWithScriptedModel } from "./scripted-model.ts";

async function openThread(options: Parameters<typeof openPage>[1] & { model?: typeof paid; isNew?: boolean } = {}) {
  const { model = paid, isNew = false, ...rest } = options;
  const { url } = await startWithScriptedModel();
  const page = await openPage("about:blank", rest);
  const requested: string[] = [];
  const thread = await stubThread(page, url, {
    parts: [stub.text(1, "Twelve metres.")],
    run: { state: "ended", outcome: "done", endedAt: stub.at },
    replies: isNew ? {} : createContext().replies,
  });
  await stubModels(page, model);
  page.on("request", (request) => requested.push(new URL(request.url()).pathname));
  await page.getByText("Twelve metres.").first().waitFor();
  const read = async () => {
    const id = await composerOf(page).getAttribute("aria-describedby");
    return id === null ? "" : ((await page.locator(`#${id}`).textContent()) ?? "");
  };
  return { page, requested, thread, read, url };
}

/** Tokens of the stubbed thread's last prompt, its answer, and the overhead of a message. */
const before = toLine("receipt-3").promptTokens + 84 + 40;
const group = (tokens: number) => tokens.toLocaleString("en-US");

test.skipIf(noBrowser)("shows an estimate while typing, and loads receipts only then", async () => {
  const { page, requested, read } = await openThread();
  expect(requested.filter((path) => path.endsWith("/receipts"))).toEqual([]);
  expect(await read()).toBe("");
  await composerOf(page).fill("four");
  await seeText(
    read,
    `About ${group(before + 1)} tokens will be sent, 1 of them for this message. Cost without the answer: $`,
  );
  const cost = (toLine("receipt-3").promptTokens * 0.2 + (84 + 40 + 1) * 2) / 1_000_000;
  await seeText(() => page.getByRole("form", { name: "Write a message" }).innerText(), `$${cost.toFixed(4)}`);
  await composerOf(page).fill("four".repeat(1000));
  await seeText(read, `${group(before + 1000)} tokens will be sent, 1,000 of them`);
  expect(requested.filter((path) => path.endsWith("/receipts"))).toHaveLength(1);
  await composerOf(page).fill("");
  await expect.poll(read).toBe("");
});

test.skipIf(noBrowser)("shows free models as free and leaves out unknown prices", async () => {
  const free = await openThread({ model: { ...paid, free: true } });
  await composerOf(free.page).fill("four");
  await seeText(free.read, "Cost without the answer: free.");
  const unknown = await openThread({ model: { ...paid, prices: { ...paid.prices!, input: null } } });
  await composerOf(unknown.page).fill("four");
  await seeText(unknown.read, "1 of them for this message. Open the preview for an exact count.");
});

test.skipIf(noBrowser)("counts only the message if there was no model call yet", async () => {
  const { page, read } = await openThread({ isNew: true });
  await composerOf(page).fill("eight ch");
  await seeText(read, "This message has about 2 tokens.");
});

test.skipIf(noBrowser)("updates the estimate after the next answer", async () => {
  const { page, requested, thread, read } = await openThread();
  await composerOf(page).fill("four");
  await seeText(read, group(before + 1));
  thread.setRun({ id: "stub-run-2", state: "running", outcome: null });
  await expect.poll(() => requested.filter((path) => path.endsWith("/receipts")).length).toBe(2);
});

test.skipIf(noBrowser)("fits next to the buttons on a phone, light and dark", async () => {
  const { page } = await openThread({ viewport: { width: 390, height: 844 } });
  await composerOf(page).fill("How high is the tide tomorrow?");
  await page.getByText(/^≈/).waitFor();
  await checkAccess(page, "estimate");
  const send = await page.getByRole("button", { name: "Send", exact: true }).boundingBox();
  expect((send?.x ?? 999) + (send?.width ?? 0)).toBeLessThanOrEqual(390);
});
