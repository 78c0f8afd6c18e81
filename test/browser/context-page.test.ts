import type { Page } from "playwright-core";
import { expect, test } from "vitest";
import { composerOf, noBrowser, openPage, seeText } from "./open-page.ts";
import { createContext, summary } from "./stub-context.ts";
import { answerId, stubThread, type StubThread } from "./stub-thread.ts";
import * as stub from "./stub-parts.ts";
import { startWithScriptedModel } from "./scripted-model.ts";

/** An answer with a receipt, a compaction and a summary, from stubbed responses. */
async function openAnswer(options: Parameters<typeof openPage>[1] = {}) {
  const { url } = await startWithScriptedModel();
  const page = await openPage("about:blank", { viewport: { width: 1440, height: 900 }, ...options });
  const context = createContext();
  const thread: StubThread = await stubThread(page, url, {
    parts: [stub.text(1, "Twelve metres at spring tide.")],
    run: { state: "ended", outcome: "done", endedAt: stub.at },
    replies: context.replies,
  });
  await page.getByText("Twelve metres at spring tide.").first().waitFor();
  return { page, thread, context };
}

const bodiesOf = ({ requests }: StubThread, name: string) =>
  requests.filter((one) => one.name === name).map(({ body }) => body);
const panelOf = (page: Page, name: string) => page.getByRole("complementary", { name });

test.skipIf(noBrowser)("opens a receipt from an answer, searches it and leads to its messages", async () => {
  const { page } = await openAnswer();
  await page.getByRole("button", { name: "What the model saw" }).click();
  const panel = panelOf(page, "What the model saw");
  await seeText(() => panel.innerText(), /3,071\s*tokens of 128,000/);
  await panel.getByRole("img", { name: /Tools 940.*compacted to 3,850.*compaction at 7,650/ }).waitFor();
  const slots = ["Tools", "Instructions", "Memory and summaries", "Conversation", "This turn"];
  for (const name of slots) await panel.getByRole("region", { name, exact: true }).waitFor();
  await panel.getByText("2 values hidden").waitFor();
  await panel.getByText("shortened from 402").waitFor();
  await panel.getByRole("textbox", { name: "Search inside" }).fill("sea wall");
  await expect.poll(() => panel.locator("summary").count()).toBe(1);
  await panel.locator("summary").click();
  expect(await panel.locator("pre").innerText()).toContain("Saint-Malo, by the sea wall. Key: <token#1>");
  await panel.getByRole("textbox", { name: "Search inside" }).fill("how high");
  await seeText(() => panel.locator("summary").first().innerText(), "How high are the tides");
  await panel.locator("summary").first().click();
  await panel.getByRole("button", { name: "Go to message" }).click();
  expect(new URL(page.url()).hash).toBe("#stub-question");
});

test.skipIf(noBrowser)("lists omitted messages with the reason, their summary and a link", async () => {
  const { page } = await openAnswer();
  await page.getByRole("button", { name: "What the model saw" }).click();
  const panel = panelOf(page, "What the model saw");
  await panel.getByRole("tab", { name: /^Left out/ }).click();
  await seeText(
    () => panel.innerText(),
    /Messages 1 to 24[\s\S]*Older than the last compaction[\s\S]*the summary of 1 to 24/,
  );
  await panel.getByRole("textbox", { name: "Search inside" }).fill("26");
  await expect
    .poll(() => panel.getByRole("tabpanel").getByRole("listitem").allInnerTexts())
    .toEqual([expect.stringMatching(/Message 26: 1 part[\s\S]*Superseded/)]);
  await panel.getByRole("textbox", { name: "Search inside" }).fill("12");
  await expect.poll(() => panel.getByRole("tabpanel").getByRole("listitem").count()).toBe(1);
});

test.skipIf(noBrowser)("shows cache, cost and verification, and compares a call with the previous one", async () => {
  const { page } = await openAnswer();
  await page.getByRole("button", { name: "What the model saw" }).click();
  const panel = panelOf(page, "What the model saw");
  await panel.getByRole("tab", { name: "Cache & cost" }).click();
  await panel.getByText("Rebuilt byte for byte").waitFor();
  await panel.getByRole("row", { name: /Read from cache 1,807 1,792/ }).waitFor();
  await panel.getByRole("row", { name: /Cost \$0\.0004 \$0\.0005/ }).waitFor();
  await panel.getByRole("button", { name: "Step 1" }).click();
  await panel.getByRole("tab", { name: "Cache & cost" }).click();
  await panel.getByText("This turn broke the cache, because a cut was made").waitFor();
  await panel.getByRole("tab", { name: "Compare" }).click();
  await panel.getByRole("region", { name: "Added" }).getByText("Message 28").waitFor();
  await panel.getByRole("row", { name: /Conversation .* \+505/ }).waitFor();
  await panel.getByRole("button", { name: "Open previous call" }).click();
  await panel.getByText("a call of an earlier answer").waitFor();
  await panel.getByRole("tab", { name: "Compare" }).click();
  await panel.getByText("This is the first call of the thread").waitFor();
  await page.keyboard.press("Escape");
  await expect.poll(() => panel.count()).toBe(0);
});

test.skipIf(noBrowser)("previews a draft without sending it", async () => {
  const { page, thread } = await openAnswer();
  const button = page.getByRole("button", { name: "Preview what the model would see" });
  expect(await button.isDisabled()).toBe(true);
  await composerOf(page).fill("And in winter?");
  await button.press("Enter");
  const panel = panelOf(page, "What the model would see");
  await seeText(() => panel.innerText(), /Not sent yet[\s\S]*And in winter\?/);
  await panel.getByText("Your message 31").waitFor();
  await panel.getByRole("tab", { name: "Compare" }).click();
  await panel.getByRole("region", { name: "Added" }).getByText("Message 31").waitFor();
  await composerOf(page).fill("And in summer?");
  await expect.poll(() => page.evaluate("localStorage.getItem('stonechat.draft.stub-thread')")).toBe("And in summer?");
  await panel.getByRole("button", { name: "Update preview" }).click();
  await seeText(() => panel.innerText(), "And in summer?");
  expect(bodiesOf(thread, "previewContext")).toEqual([
    { text: "And in winter?", attachments: [], model: "scripted/script" },
    { text: "And in summer?", attachments: [], model: "scripted/script" },
  ]);
  expect(thread.requests.map(({ name }) => name)).not.toContain("sendMessage");
});

test.skipIf(noBrowser)("a compaction is marked in the thread and can be opened, corrected and undone", async () => {
  const { page, thread } = await openAnswer();
  const marker = page.getByRole("note", { name: "Conversation compacted" });
  await marker.getByText("Earlier messages are summarized").waitFor();
  await marker.getByRole("button", { name: "Open compaction" }).click();
  const panel = panelOf(page, "Compaction");
  await seeText(() => panel.innerText(), /6,420 tokens became 2,610[\s\S]*grown past its limit/);
  expect(await panel.locator("pre").innerText()).toContain('<context messages="1-24">');
  await panel.getByRole("button", { name: "Edit", exact: true }).click();
  await panel.getByRole("textbox", { name: "Overview" }).fill("The trip is off.");
  await panel.getByRole("button", { name: "Save" }).click();
  await panel.getByRole("button", { name: "Edit", exact: true }).waitFor();
  await panel.getByText("The trip is off.").waitFor();
  await marker.getByRole("button", { name: "Undo compaction" }).click();
  await marker.getByText("Compaction undone").waitFor();
  await panel.getByText(/^Undone/).waitFor();
  expect(bodiesOf(thread, "undoEpoch")).toHaveLength(1);
});

test.skipIf(noBrowser)("reads, edits and requests a summary, and undoes an edit", async () => {
  const { page, thread } = await openAnswer();
  await page.getByRole("button", { name: "Summary of this thread", exact: true }).click();
  const sheet = page.getByRole("dialog", { name: "Summary" });
  const latest = sheet.getByRole("region", { name: "Latest" });
  await seeText(
    () => latest.innerText(),
    /A trip to Brittany[\s\S]*Key points[\s\S]*Decisions[\s\S]*Action items[\s\S]*Open questions[\s\S]*From tools/,
  );
  await seeText(
    () => latest.innerText(),
    /From 3,120 to 310 tokens \(90% fewer\)[\s\S]*\$0\.0003[\s\S]*scripted\/script/,
  );
  await seeText(
    () => sheet.getByRole("region", { name: "Previous" }).innerText(),
    /Failed[\s\S]*gave no answer within 30 s[\s\S]*Tried 3 models, last free\/trinity/,
  );
  await latest.getByRole("button", { name: "Edit", exact: true }).click();
  await latest.getByRole("textbox", { name: "Decisions, 1" }).fill("The room is at Cancale.");
  await latest.getByRole("button", { name: "Add to open questions" }).click();
  await latest.getByRole("textbox", { name: "Open questions, 2" }).fill("Who drives?");
  await latest.getByRole("button", { name: /^Remove from key points: The budget/ }).click();
  await latest.getByRole("button", { name: "Save" }).click();
  await latest.getByRole("button", { name: "Edit", exact: true }).waitFor();
  await latest.getByText("The room is at Cancale.").waitFor();
  expect(bodiesOf(thread, "editSummary")).toMatchObject([
    {
      fields: {
        decisions: ["The room is at Cancale."],
        openQuestions: ["Is the sea wall open in the evening?", "Who drives?"],
        keyPoints: ["Two people travel, from Friday to Sunday."],
        actionItems: [{ text: "Ask the harbour about parking", context: "before Friday" }],
      },
    },
  ]);
  await latest.getByRole("button", { name: "Undo edit" }).click();
  await latest.getByText("The room is at Dinard, not at Saint-Malo.").waitFor();
  await sheet.getByRole("button", { name: "Summarize now" }).click();
  await latest.getByText("Generating").waitFor();
  expect(await sheet.getByRole("button", { name: "Summarize now" }).isDisabled()).toBe(true);
});

test.skipIf(noBrowser)("pins a selection of a message and removes the pin", async () => {
  const { page, thread } = await openAnswer();
  const answer = page.getByRole("article", { name: "Stonechat" });
  await answer.getByText("Twelve metres at spring tide.").click({ clickCount: 3 });
  await answer.getByRole("button", { name: "More for this message" }).click();
  await page.getByRole("menuitem", { name: "Keep selection in context" }).click();
  const sheet = page.getByRole("dialog", { name: "Keep in context" });
  const field = sheet.getByRole("textbox", { name: "Text to keep" });
  expect(await field.inputValue()).toBe("Twelve metres at spring tide.");
  await field.fill("Twelve metres.");
  await sheet.getByRole("button", { name: "Keep", exact: true }).click();
  await expect.poll(() => sheet.count()).toBe(0);
  expect(bodiesOf(thread, "addPin")).toMatchObject([{ text: "Twelve metres.", messageId: answerId }]);

  await page.getByRole("button", { name: "Context of this thread" }).click();
  const panel = panelOf(page, "Context of this thread");
  const pins = panel.getByRole("list", { name: "Kept texts" });
  await seeText(() => pins.innerText(), /Twelve metres\.[\s\S]*The boat leaves at 06:40\./);
  await panel.getByRole("button", { name: /^Remove “The boat/ }).click();
  await expect.poll(() => pins.getByRole("listitem").count()).toBe(1);
});

test.skipIf(noBrowser)("switches a thread's policy from the next message, and back", async () => {
  const { page, thread } = await openAnswer();
  await page.getByRole("button", { name: "Context of this thread" }).click();
  const panel = panelOf(page, "Context of this thread");
  expect(await panel.getByRole("radio", { name: /^Stone/ }).isChecked()).toBe(true);
  expect(await panel.getByRole("radio").count()).toBe(6);
  await panel.getByRole("radio", { name: /^Replay/ }).check();
  await panel.getByText("Applies from your next message.").waitFor();
  thread.emit({ type: "thread-changed", threadId: "stub-thread", patch: { policy: "replay" } });
  await panel.getByRole("button", { name: "Use the profile's policy" }).click();
  await expect.poll(() => panel.getByRole("radio", { name: /^Stone/ }).isChecked()).toBe(true);
  expect(bodiesOf(thread, "changeThread")).toMatchObject([{ policy: "replay" }, { policy: null }]);
});

test.skipIf(noBrowser)("updates the panel on a stream event", async () => {
  const { page, thread, context } = await openAnswer();
  await page.getByRole("button", { name: "Context of this thread" }).click();
  const panel = panelOf(page, "Context of this thread");
  await panel.getByText("The boat leaves at 06:40.").waitFor();
  context.replies["addPin"]!({}, { id: "pin-9", text: "Bring boots." }, new URLSearchParams());
  thread.emit({ type: "context-changed", what: "pins" });
  await panel.getByText("Bring boots.").waitFor();
});

test.skipIf(noBrowser)("lists recalled passages with date and link", async () => {
  const { url } = await startWithScriptedModel();
  const page = await openPage("about:blank");
  const recalled = [
    { messageId: "stub-question", depth: 1, role: "user", at: 0, score: 0.9, text: "My sister lives at Dinard." },
    { messageId: "m12", depth: 12, role: "assistant", at: 0, score: 0.4, text: "4 rue des Marins." },
  ];
  await stubThread(page, url, {
    parts: [
      { id: "ctx", v: 1, n: 0, step: 1, kind: "context", text: "<now/>", recalled },
      stub.text(1, "At Dinard, 4 rue des Marins."),
    ],
    run: { state: "ended", outcome: "done", endedAt: stub.at },
    replies: {
      listMessages: () => ({
        messages: [
          {
            id: "m12",
            role: "assistant",
            branchId: "b",
            depth: 12,
            runId: null,
            variants: ["m12"],
            createdAt: Date.UTC(2025, 2, 9, 12),
            parts: [],
          },
        ],
      }),
    },
  });
  await page.getByText("Recalled 2 passages").click();
  const list = page.getByRole("list", { name: "Recalled passages" });
  await seeText(() => list.innerText(), /You[\s\S]*2026[\s\S]*Dinard[\s\S]*Stonechat[\s\S]*2025[\s\S]*Marins/);
  await list.getByRole("link", { name: "Go to message 1", exact: true }).click();
  expect(new URL(page.url()).hash).toBe("#stub-question");
});

test.skipIf(noBrowser)("updates the card of a requested summary when it is ready", async () => {
  const { url } = await startWithScriptedModel();
  const page = await openPage("about:blank");
  const generating = { ...summary, status: "generating" as const, fields: null };
  const context = createContext({ summaries: [generating] });
  const thread = await stubThread(page, url, {
    parts: [
      stub.tool(1, "summarize", {
        title: "Summarize this thread",
        output: { summaryId: summary.id, messages: 24, overview: "The boat leaves at 06:40.", points: [], note: "" },
      }),
    ],
    run: { state: "ended", outcome: "done", endedAt: stub.at },
    replies: context.replies,
  });
  const card = page.getByRole("group", { name: "Tool summarize" });
  await seeText(() => card.innerText(), /Summarize this thread[\s\S]*The boat leaves at 06:40\.[\s\S]*Generating/);
  context.replies["editSummary"]!({ summaryId: summary.id }, { fields: summary.fields }, new URLSearchParams());
  thread.emit({ type: "context-changed", what: "summaries" });
  await seeText(() => card.innerText(), "A trip to Brittany is being planned");
  await card.getByRole("button", { name: "Open summary" }).click();
  await page.getByRole("dialog", { name: "Summary" }).getByText("Key points").waitFor();
});
