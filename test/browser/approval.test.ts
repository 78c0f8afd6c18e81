import type { Page } from "playwright-core";
import { expect, test } from "vitest";
import { z } from "zod";
import type { ToolState } from "../../protocol/parts.ts";
import { defineTool } from "../../server/tools/tool.ts";
import { call, say, startInstance } from "../support/instance.ts";
import { answersOf, composerOf, noBrowser, openPage, rowsOf, seeText, sendMessage } from "./open-page.ts";
import { answerId, stubThread, threadId } from "./stub-thread.ts";
import * as stub from "./stub-parts.ts";
import { startWithScriptedModel } from "./scripted-model.ts";

/** The page's requests when the user decides. Another test covers the whole flow, with a restart. */
const deletion = (state: ToolState) =>
  stub.tool(1, "delete_file", {
    state,
    title: "Delete notes/tides.md",
    input: { path: "notes/tides.md", force: true },
    ...(state === "asking" ? { asks: { code: "destroys", text: "It deletes something." } } : {}),
  });

async function openApproval() {
  const { url } = await startWithScriptedModel();
  const page = await openPage("about:blank", { allowErrors: true });
  const thread = await stubThread(page, url, { parts: [deletion("asking")], run: { state: "waiting" } });
  await approvalOf(page).waitFor();
  return { page, thread };
}

const approvalOf = (page: Page) => page.getByRole("group", { name: "Delete notes/tides.md" });
const buttonOf = (page: Page, name: string) => approvalOf(page).getByRole("button", { name, exact: true });

test.skipIf(noBrowser)("an approval request shows the input and the reason, and is announced", async () => {
  const { page } = await openApproval();
  await seeText(() => approvalOf(page).innerText(), /It deletes something\.[\s\S]*delete_file/);
  expect(await page.getByText('"force": true').isVisible()).toBe(false);
  await approvalOf(page).getByText("Details").click();
  await seeText(() => approvalOf(page).innerText(), '"force": true');
  const live = page.locator('[aria-live="assertive"]');
  await seeText(() => live.innerText(), "Waiting for approval: Delete notes/tides.md. It deletes something.");
  expect(await page.locator('[aria-live="polite"]').allInnerTexts()).not.toContain("The answer ended early.");
  expect(await page.getByRole("button", { name: "Regenerate", exact: true }).count()).toBe(0);
  await page.getByRole("button", { name: "Stop", exact: true }).waitFor();
  await composerOf(page).fill("I can still write");
  expect(await page.getByRole("button", { name: "Send after this answer" }).isEnabled()).toBe(true);
});

for (const [label, decision] of [
  ["Allow once", "once"],
  ["Allow in this thread", "thread"],
  ["Deny", "deny"],
] as const) {
  test.skipIf(noBrowser)(`“${label}” sends that decision once`, async () => {
    const { page, thread } = await openApproval();
    await buttonOf(page, label).click();
    await expect.poll(() => buttonOf(page, label).isDisabled()).toBe(true);
    await page.getByText("Your decision was sent.").waitFor();
    expect(thread.requests).toEqual([
      { name: "decideCall", body: { id: expect.stringMatching(/^[\da-f-]{36}$/), partId: "tool-1", decision } },
    ]);
    thread.settle(deletion(decision === "deny" ? "denied" : "running"));
    await expect.poll(() => approvalOf(page).count()).toBe(0);
    await page.getByText(decision === "deny" ? "denied" : "running", { exact: true }).waitFor();
  });
}

test.skipIf(noBrowser)("denies with a reason by keyboard, and retries with the same id", async () => {
  const { page, thread } = await openApproval();
  thread.answer("decideCall", 503, { error: { code: "unavailable", message: "Try again soon.", requestId: "r" } });
  await buttonOf(page, "Deny").focus();
  await page.keyboard.press("Tab");
  await page.keyboard.type("  keep it ");
  await page.keyboard.press("Enter");
  await approvalOf(page).getByRole("alert").getByText("Try again soon.").waitFor();
  thread.answer("decideCall", 202, { id: "x", seq: 1 });
  await buttonOf(page, "Deny").press("Enter");
  await page.getByText("Your decision was sent.").waitFor();
  const [first, second] = thread.requests;
  expect(first?.body).toMatchObject({ decision: "deny", word: "keep it" });
  expect(second).toEqual(first);
});

test.skipIf(noBrowser)("the list shows that a thread waits for approval", async () => {
  const { url } = await startWithScriptedModel();
  const page = await openPage("about:blank");
  await page.route("**/api/threads?*", async (route) => {
    const summary = { id: threadId, title: "Tides", preview: "…", profile: "stone", model: "scripted/script" };
    const rest = { status: "waiting", pinned: false, archived: false, messageCount: 2, createdAt: 1, updatedAt: 1 };
    await route.fulfill({ json: { seq: 0, threads: [{ ...summary, ...rest }], nextCursor: null } });
  });
  await page.goto(url);
  await seeText(() => rowsOf(page).first().innerText(), /Tides[\s\S]*Waiting for you/);
});

test.skipIf(noBrowser)("an answer that reached its limit says which one, and continues on request", async () => {
  const { url } = await startWithScriptedModel();
  const page = await openPage("about:blank");
  const reason = { code: "limit-steps", text: "This answer reached its limit of 8 steps." };
  const thread = await stubThread(page, url, {
    parts: [stub.text(1, "So far so good.")],
    run: { state: "ended", outcome: "limit", reason, endedAt: stub.at },
  });
  await page.getByText(reason.text).first().waitFor();
  const button = page.getByRole("button", { name: "Continue" });
  await button.click();
  await expect.poll(() => button.isDisabled()).toBe(true);
  expect(thread.requests).toEqual([{ name: "continueRun", body: { id: expect.stringMatching(/^[\da-f-]{36}$/) } }]);
  thread.setRun({ state: "running", outcome: null, reason: null, endedAt: null });
  await expect.poll(() => button.count()).toBe(0);
  thread.emit({
    type: "text-delta",
    messageId: answerId,
    partId: "more",
    kind: "text",
    n: 5,
    step: 2,
    text: "And here is the rest.",
  });
  await page.getByText("And here is the rest.").waitFor();
});

test.skipIf(noBrowser)(
  "on a real server, a tool runs only after approval, and a denial reaches the model",
  async () => {
    const deleted: string[] = [];
    const prompts: string[] = [];
    const remove = defineTool({
      name: "delete_file",
      description: "deletes",
      input: z.object({ path: z.string() }),
      repeat: "once",
      effects: ["destructive"],
      limits: { timeoutMs: 5000 },
      describe: ({ path }) => `Delete ${path}`,
      execute: async ({ path }) => {
        deleted.push(path);
        return { output: "gone" };
      },
    });
    const { url } = await startInstance({
      tools: [remove],
      script: ({ messages }, index) => {
        prompts.push(JSON.stringify(messages.at(-1)));
        return index % 2 === 0
          ? call({ name: "delete_file", input: `{"path":"file-${index}"}` })
          : say(`Answer ${index}.`);
      },
      env: { STONECHAT_MODEL: "scripted/script", STONECHAT_FALLBACKS: "," },
    });
    const page = await openPage(url);
    await sendMessage(page, "Clean up");
    const ask = page.getByRole("group", { name: "Delete file-0" });
    await seeText(() => ask.innerText(), "It deletes something.");
    await seeText(() => rowsOf(page).first().innerText(), "Waiting for you");
    expect(deleted).toEqual([]);
    await ask.getByLabel("Reason (optional)").fill("keep it");
    await ask.getByRole("button", { name: "Deny" }).click();
    await seeText(() => answersOf(page).last().innerText(), /denied[\s\S]*Answer 1\./);
    expect(prompts[1]).toContain("keep it");
    await sendMessage(page, "Once more");
    await page.getByRole("group", { name: "Delete file-2" }).getByRole("button", { name: "Allow once" }).click();
    await seeText(() => answersOf(page).last().innerText(), /done[\s\S]*Answer 3\./);
    expect(deleted).toEqual(["file-2"]);
    await expect.poll(async () => (await rowsOf(page).first().innerText()).includes("Waiting for you")).toBe(false);
  },
);
