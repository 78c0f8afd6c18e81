import type { Page } from "playwright-core";
import { expect, test } from "vitest";
import type { ModelRequest } from "../../protocol/model.ts";
import { say, startInstance, type Instance } from "../support/instance.ts";
import { answersOf, composerOf, noBrowser, openPage, seeText, sendMessage } from "./open-page.ts";

/** Receipts, summaries, compactions and memory on a real server. */
const isSummarizer = ({ system }: ModelRequest): boolean => system.startsWith("You summarize part of a conversation");
const summaryJson = JSON.stringify({ overview: "They speak of granite.", keyPoints: ["K-1 is heavy"] });
const env = { STONECHAT_SUMMARY_MODELS: "scripted/backup" };

async function startThread(turns: number, words = 30, profile: "stone" | "assistant" = "stone") {
  const requests: ModelRequest[] = [];
  const instance = await startInstance({
    env,
    script: (request) => {
      if (isSummarizer(request)) return say(summaryJson);
      requests.push(request);
      return say(`Answer ${requests.length}. ${"and on ".repeat(words)}`);
    },
  });
  const { threadId, live } = await exchange(instance, await instance.start({ profile }), turns, words);
  const page = await openPage(`${instance.url}/t/${threadId}`, { viewport: { width: 1440, height: 900 } });
  await answersOf(page).last().getByText(`Answer ${turns}.`).waitFor();
  return { ...instance, requests, threadId, live, page };
}

async function exchange({ send, follow }: Instance, threadId: string, turns: number, words: number) {
  const live = follow(threadId);
  for (let turn = 1; turn <= turns; turn += 1) {
    await send(threadId, `The stone K-${turn} is heavy. ${"Granite is grey. ".repeat(words)}`);
    await live.ended(turn);
  }
  return { threadId, live };
}

const panelOf = (page: Page, name: string) => page.getByRole("complementary", { name });
const toSentText = (request: ModelRequest): string => JSON.stringify(request.messages);

test.skipIf(noBrowser)("opens, verifies and compares a receipt, and previews the next request", async () => {
  const { page, requests } = await startThread(3);
  const answer = answersOf(page).last();
  await answer.hover();
  await answer.getByRole("button", { name: "What the model saw" }).click();
  const panel = panelOf(page, "What the model saw");
  await panel.getByRole("region", { name: "This turn" }).getByText("Your message 5").click();
  await seeText(() => panel.locator("pre").innerText(), "The stone K-3 is heavy.");
  await panel.getByRole("tab", { name: "Cache & cost" }).click();
  await panel.getByText("Rebuilt byte for byte").waitFor();
  await panel.getByRole("tab", { name: "Compare" }).click();
  await panel.getByRole("region", { name: "Added" }).getByText("Message 5").waitFor();
  await panel.getByRole("button", { name: "Close" }).click();

  await composerOf(page).fill("And K-4?");
  await page.getByRole("button", { name: "Preview what the model would see" }).click();
  const preview = panelOf(page, "What the model would see");
  await preview.getByText("And K-4?").nth(1).waitFor();
  expect(requests).toHaveLength(3);
  await composerOf(page).press("Enter");
  await answersOf(page).last().getByText("Answer 4.").waitFor();
  expect(toSentText(requests[3]!)).toContain("And K-4?");
});

test.skipIf(noBrowser)("requests and edits a summary, and undoes the edit", async () => {
  const { page, client, threadId } = await startThread(3);
  await page.getByRole("button", { name: "Summary of this thread: none yet" }).click();
  const sheet = page.getByRole("dialog", { name: "Summary" });
  await sheet.getByRole("button", { name: "Summarize now" }).click();
  const latest = sheet.getByRole("region", { name: "Latest" });
  await latest.getByText("They speak of granite.").waitFor();
  await latest.getByText("Complete").waitFor();
  await latest.getByRole("button", { name: "Edit", exact: true }).click();
  await latest.getByRole("textbox", { name: "Overview" }).fill("They speak of slate.");
  await latest.getByRole("button", { name: "Save" }).click();
  // The text field contains the text too: the button reappears only when it is saved.
  await latest.getByRole("button", { name: "Edit", exact: true }).waitFor();
  await latest.getByText("They speak of slate.").waitFor();
  const read = async () => (await client.listSummaries({ params: { threadId } })).summaries[0]?.fields?.overview;
  expect(await read()).toBe("They speak of slate.");
  await latest.getByRole("button", { name: "Undo edit" }).click();
  await latest.getByText("They speak of granite.").waitFor();
  expect(await read()).toBe("They speak of granite.");
  await page.keyboard.press("Escape");
  await page.getByRole("button", { name: "Summary of this thread", exact: true }).waitFor();
});

test.skipIf(noBrowser)("marks a compaction where it was made, opens and undoes it", async () => {
  const { page, client, threadId } = await startThread(30, 120);
  const { epochs } = await client.getContext({ params: { threadId } });
  expect(epochs.length).toBeGreaterThan(0);
  await page.getByRole("button", { name: "Context of this thread" }).click();
  const context = panelOf(page, "Context of this thread");
  await context.getByRole("list", { name: "Compactions" }).getByRole("button").first().click();
  const panel = panelOf(page, "Compaction");
  await seeText(() => panel.locator("pre").innerText(), "<context messages=");
  await panel.getByRole("button", { name: "Go to message" }).click();
  const marker = page.getByRole("note", { name: "Conversation compacted" }).first();
  await marker.waitFor();
  await panel.getByRole("button", { name: "Undo compaction" }).click();
  await panel.getByText(/^Undone/).waitFor();
  await page.getByText("Compaction undone").first().waitFor();
  expect((await client.getContext({ params: { threadId } })).epochs[0]).toMatchObject({ undone: true });
});

test.skipIf(noBrowser)("sends pinned text, and switches the policy with the next message", async () => {
  const { page, requests } = await startThread(2);
  const question = page.getByRole("article", { name: "You", exact: true }).first();
  await question.hover();
  await question.getByRole("button", { name: "More for this message" }).click();
  await page.getByRole("menuitem", { name: "Keep in context" }).click();
  const field = page.getByRole("textbox", { name: "Text to keep" });
  await field.fill("The boat is called Petrel.");
  await page.getByRole("button", { name: "Keep", exact: true }).click();
  await page.getByRole("button", { name: "Context of this thread" }).click();
  const panel = panelOf(page, "Context of this thread");
  await panel.getByText("The boat is called Petrel.").waitFor();
  await sendMessage(page, "Go on");
  await answersOf(page).last().getByText("Answer 3.").waitFor();
  expect(toSentText(requests[2]!)).toContain("The boat is called Petrel.");
  await panel.getByRole("radio", { name: /^Transcript/ }).check();
  await panel.getByText("Applies from your next message.").waitFor();
  await sendMessage(page, "And on");
  await answersOf(page).last().getByText("Answer 4.").waitFor();
  await answersOf(page).last().hover();
  await answersOf(page).last().getByRole("button", { name: "What the model saw" }).click();
  await panelOf(page, "What the model saw")
    .getByText(/· Transcript ·/)
    .waitFor();
});

test.skipIf(noBrowser)("sends a corrected memory to the model", async () => {
  const { page, client, requests } = await startThread(1, 30, "assistant");
  await client.setMemory({ body: { id: "m-1", field: "location", value: "Rennes" } });
  await page.getByRole("button", { name: "Memory" }).click();
  const sheet = page.getByRole("dialog", { name: "Memory" });
  const location = sheet.getByRole("listitem").filter({ hasText: "Location" });
  await location.getByText("Rennes").waitFor();
  await location.getByRole("button", { name: "Edit location" }).click();
  await location.getByRole("textbox", { name: "Location" }).fill("Cancale");
  await location.getByRole("button", { name: "Save" }).click();
  await location.getByRole("button", { name: "Edit location" }).waitFor();
  await location.getByText("Cancale").waitFor();
  await page.keyboard.press("Escape");
  await sendMessage(page, "Where do I live?");
  await answersOf(page).last().getByText("Answer 2.").waitFor();
  expect(toSentText(requests[1]!)).toContain("Cancale");
  await page.getByRole("button", { name: "Usage" }).click();
  await seeText(() => page.getByRole("list", { name: "Costs" }).innerText(), /\d+ calls? · [\d,]+ in/);
});
