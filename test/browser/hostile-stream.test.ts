import type { Page } from "playwright-core";
import { expect, test } from "vitest";
import type { LogEvent } from "../../protocol/events.ts";
import { inBatches, isDeep, listDiagrams, listPayloads, listFormulas } from "./hostile/payloads.ts";
import { inBlocks, markOf } from "./hostile/stub-payloads.ts";
import { expectQuiet, seeMarks, settle, unfold, watch } from "./hostile/watch.ts";
import { answersOf, noBrowser, openPage } from "./open-page.ts";
import { startCanary } from "./preview/attacks.ts";
import * as stub from "./stub-parts.ts";
import { answerId, stubThread, type StubThread } from "./stub-thread.ts";
import { startWithScriptedModel } from "./scripted-model.ts";

const step = isDeep ? 1 : 8;
const batchSize = isDeep ? 24 : 48;
const timeout = 3 * 60 * 60_000;

const toDelta = (index: number, kind: "text" | "reasoning", text: string): LogEvent => ({
  type: "text-delta",
  messageId: answerId,
  partId: `${kind}-${index}`,
  kind,
  n: index * 2 + (kind === "text" ? 1 : 0),
  step: 1,
  text,
});

/** Streams all payloads in parallel, waiting after each step until it is rendered. Returns the number of steps. */
async function streamAll(page: Page, thread: StubThread, texts: readonly string[]): Promise<number> {
  const longest = Math.max(...texts.map(({ length }) => length));
  const waitForTick = (tick: number) =>
    page.evaluate(`new Promise((resolve) => {
      const look = () =>
        document.body.textContent.includes("tick${tick}.") ? resolve() : requestAnimationFrame(look);
      look();
    })`);
  let ticks = 0;
  for (let from = 0; from < longest; from += step) {
    const deltas = texts.flatMap((text, index) => {
      const more = text.slice(from, from + step);
      return more === "" ? [] : [toDelta(index, "text", more), toDelta(index, "reasoning", more)];
    });
    thread.emit(...deltas, toDelta(texts.length, "text", ` tick${++ticks}.`));
    await waitForTick(ticks);
    if (ticks === 1) await unfold(page);
  }
  return ticks;
}

test.skipIf(noBrowser)("a streamed answer and its reasoning are harmless at every length", { timeout }, async () => {
  const canary = await startCanary();
  const { url } = await startWithScriptedModel();
  const payloads: readonly string[] = listPayloads(canary.url).toSorted((one, other) => one.length - other.length);
  let ticks = 0;
  for (const batch of inBatches(payloads, batchSize)) {
    const page = await openPage("about:blank", { viewport: { width: 1440, height: 2000 } });
    const seen = await watch(page, url);
    const thread = await stubThread(page, url, {});
    await page.getByRole("article", { name: "You" }).waitFor();
    ticks += await streamAll(page, thread, batch.map(inBlocks));
    await seeMarks(
      page,
      batch.map((_, index) => markOf(index)),
      "streamed",
    );
    await expectQuiet(page, seen, canary, `streamed: ${batch[0]}`);
    await page.context().close();
  }
  console.log(
    `${payloads.length} payloads in steps of ${step}, ${ticks} renders: 0 scripts, 0 requests, 0 CSP reports`,
  );
  expect(ticks).toBeGreaterThan(20);
});

async function openAnswer(url: string, text: string) {
  const page = await openPage("about:blank", { viewport: { width: 1440, height: 2000 } });
  const seen = await watch(page, url);
  await stubThread(page, url, { parts: [stub.text(1, text)], run: { state: "ended", outcome: "done" } });
  await answersOf(page).first().waitFor();
  return { page, seen };
}

test.skipIf(noBrowser)("rendered diagrams run no scripts and send no requests", { timeout }, async () => {
  const canary = await startCanary();
  const { url } = await startWithScriptedModel();
  const labels = listPayloads(canary.url, 400)
    .filter((_, index) => isDeep || index % 12 === 0)
    .map((payload) => `flowchart TD\n  A["${payload.replaceAll(/["\n]/g, " ")}"] --> B[x]`);
  const sources = [...listDiagrams(canary.url), ...labels];
  let rendered = 0;
  for (const batch of inBatches(sources, 12)) {
    const text = batch.map((source) => `\`\`\`\`mermaid\n${source}\n\`\`\`\``).join("\n\n");
    const { page, seen } = await openAnswer(url, text);
    const pictures = answersOf(page).getByRole("img", { name: /^Diagram/ });
    const settled = async () => (await pictures.count()) + (await answersOf(page).getByRole("alert").count());
    await expect.poll(settled).toBe(batch.length);
    await unfold(page);
    rendered += await pictures.count();
    await expectQuiet(page, seen, canary, `diagrams: ${batch[0]}`);
    await page.context().close();
  }
  console.log(`${sources.length} diagrams, ${rendered} of them rendered: 0 scripts, 0 requests, 0 CSP reports`);
  expect(rendered).toBeGreaterThan(8);
});

test.skipIf(noBrowser)("rendered formulas run no scripts and send no requests", { timeout }, async () => {
  const canary = await startCanary();
  const { url } = await startWithScriptedModel();
  const payloads = [
    ...listFormulas(canary.url),
    ...listPayloads(canary.url, 100).map((payload) => payload.replaceAll("$", "")),
  ];
  for (const batch of inBatches(payloads, 40)) {
    const text = batch.map((tex) => `$$${tex}$$\n\nin a line $${tex}$ and\n\n\`\`\`\`math\n${tex}\n\`\`\`\``);
    const { page, seen } = await openAnswer(url, [...text, "\n\nA good one: $z^2$"].join("\n\n"));
    await answersOf(page).locator(".katex-html").first().waitFor();
    await settle(page);
    await expectQuiet(page, seen, canary, `formulas: ${batch[0]}`);
    await page.context().close();
  }
  console.log(`${payloads.length} formulas: 0 scripts, 0 requests, 0 CSP reports`);
});
