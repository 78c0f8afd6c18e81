import { readFile } from "node:fs/promises";
import { extractText, getDocumentProxy } from "unpdf";
import { expect, test } from "vitest";
import { createClient } from "../../protocol/client.ts";
import { checkAccess } from "./check-access.ts";
import { answersOf, composerOf, noBrowser, openPage, rowsOf, seeText, sendMessage } from "./open-page.ts";
import { answerWith, startWithScriptedModel } from "./scripted-model.ts";

const secret = ["sk", "or", "v1", "5f2d9c7e1b3a4860".repeat(4)].join("-");
/** The key comes after the part that becomes the title. */
const question = `Something about keys and where they are best kept, which is longer than any title. My key is ${secret}, what now?`;
const answer = "Use a **table**:\n\n| a | b |\n|---|---|\n| 1 | 2 |\n\nand `code`.";
const token = "a-token-for-tests-only";
const phone = { viewport: { width: 390, height: 844 }, hasTouch: true, isMobile: true } as const;

async function openThread(env: Readonly<Record<string, string>> = {}) {
  const { voice, url } = await startWithScriptedModel(env);
  const page = await openPage(url, { permissions: ["clipboard-read", "clipboard-write"] });
  if (env["STONECHAT_TOKEN"]) {
    await page.getByLabel("Access token").fill(token);
    await page.getByRole("button", { name: "Sign in" }).click();
  }
  await sendMessage(page, question);
  await answerWith(voice, answer);
  await page.getByRole("button", { name: "Regenerate", exact: true }).waitFor();
  return { page, voice, url };
}

async function choose(page: Awaited<ReturnType<typeof openPage>>, item: string): Promise<void> {
  await rowsOf(page).first().hover();
  await page
    .getByRole("button", { name: /^More for/ })
    .first()
    .click();
  await page.getByRole("menuitem", { name: item }).click();
}

test.skipIf(noBrowser)("copying works without the Clipboard API and keeps the focus", async () => {
  const { page } = await openThread();
  await page.evaluate("Object.defineProperty(navigator, 'clipboard', { value: undefined })");
  const focused = () => page.evaluate<string>("document.activeElement.ariaLabel ?? document.activeElement.innerText");
  const pasted = async () => {
    await composerOf(page).fill("");
    await composerOf(page).press("Control+v");
    return composerOf(page).inputValue();
  };
  await answersOf(page).getByRole("button", { name: "Copy message" }).press("Enter");
  await expect.poll(focused).toBe("Copied");
  expect(await pasted()).toBe(answer);

  await choose(page, "Share…");
  const sheet = page.getByRole("dialog", { name: "Share this thread" });
  await sheet.getByRole("button", { name: "Create link" }).click();
  const link = await sheet.getByRole("textbox", { name: "Link" }).inputValue();
  await sheet.getByRole("button", { name: "Copy link" }).press("Enter");
  await sheet.getByRole("button", { name: "Copied" }).waitFor();
  await page.keyboard.press("Escape");
  expect(await pasted()).toBe(link);
});

test.skipIf(noBrowser)("a link can be created, read without signing in and without secrets, and revoked", async () => {
  const { voice, url } = await startWithScriptedModel({ STONECHAT_TOKEN: token });
  const page = await openPage(url, { allowErrors: true, permissions: ["clipboard-read", "clipboard-write"] });
  await page.getByLabel("Access token").fill(token);
  await page.getByRole("button", { name: "Sign in" }).click();
  await sendMessage(page, question);
  await answerWith(voice, answer);
  await page.getByRole("button", { name: "Regenerate", exact: true }).waitFor();

  await choose(page, "Share…");
  const sheet = page.getByRole("dialog", { name: "Share this thread" });
  await sheet.getByText("No shared links.").waitFor();
  await sheet.getByRole("textbox", { name: "Your name (optional)" }).fill("Maud");
  await sheet.getByRole("button", { name: "Create link" }).click();
  const link = await sheet.getByRole("textbox", { name: "Link" }).inputValue();
  expect(link).toMatch(/\/s\/[\w-]{43}$/);
  await sheet.getByRole("status").getByText("Copied").waitFor();
  expect(await page.evaluate("navigator.clipboard.readText()")).toBe(link);
  await sheet.getByText("2 messages, 1 secret removed").waitFor();
  await sheet.getByText("This address works only on this computer.").waitFor();

  const stranger = await openPage(link);
  await stranger.getByRole("table").waitFor();
  const text = await stranger.getByRole("main").innerText();
  expect(text).toContain("Shared by Maud on");
  expect(text).toContain("My key is");
  expect(text).not.toContain(secret);
  expect(await stranger.getByRole("textbox").count()).toBe(0);
  expect(await stranger.getByRole("navigation").count()).toBe(0);

  // The same link can be copied again.
  await page.evaluate("navigator.clipboard.writeText('')");
  await sheet.getByRole("button", { name: "Copy link" }).click();
  await sheet.getByRole("button", { name: "Copied" }).waitFor();
  expect(await page.evaluate("navigator.clipboard.readText()")).toBe(link);
  await sheet.getByRole("button", { name: "Stop sharing" }).click();
  await sheet.getByText("No shared links.").waitFor();
  expect(await sheet.getByRole("textbox", { name: "Link" }).count()).toBe(0);
  const late = await openPage(link, { allowErrors: true });
  await late.getByRole("heading", { name: "This link is no longer shared" }).waitFor();
});

test.skipIf(noBrowser)("a link created in another tab is listed at once", async () => {
  const { page, url } = await openThread();
  const threadId = new URL(page.url()).pathname.slice(3);
  await choose(page, "Share…");
  await page.getByText("No shared links.").waitFor();
  await createClient({ baseUrl: url }).createShare({ params: { threadId }, body: { id: "from-elsewhere" } });
  await page.getByRole("button", { name: "Copy link" }).waitFor();
});

test.skipIf(noBrowser)(
  "a thread can be exported as Markdown, JSON and HTML from its menu, and the HTML is printed",
  async () => {
    const { page } = await openThread();
    let saved = "";
    for (const [item, ending, words] of [
      ["Export as Markdown", ".md", "Use a **table**"],
      ["Export as JSON", ".json", "Use a **table**"],
      ["Export as HTML for printing", ".html", "Use a <strong>table</strong>"],
    ] as const) {
      const download = page.waitForEvent("download");
      await choose(page, item);
      const file = await download;
      expect(file.suggestedFilename()).toContain(ending);
      saved = await readFile(await file.path(), "utf8");
      expect(saved).toContain(words);
    }
    await seeText(() => answersOf(page).innerText(), "Use a table");

    const paper = await page.context().newPage();
    const requests: string[] = [];
    paper.on("request", (request) => void requests.push(request.url()));
    await paper.setContent(saved);
    const { text } = await extractText(await getDocumentProxy(new Uint8Array(await paper.pdf())), { mergePages: true });
    expect(text).toContain("Use a table");
    expect(requests).toEqual([]);
  },
);

test.skipIf(noBrowser)("a shared thread is continued in a copy by a user, not by a visitor", async () => {
  const { voice, url } = await startWithScriptedModel({ STONECHAT_TOKEN: token });
  const page = await openPage(url, { allowErrors: true });
  await page.getByLabel("Access token").fill(token);
  await page.getByRole("button", { name: "Sign in" }).click();
  await sendMessage(page, question);
  await answerWith(voice, answer);
  await page.getByRole("button", { name: "Regenerate", exact: true }).waitFor();
  await choose(page, "Share…");
  await page.getByRole("button", { name: "Create link" }).click();
  const link = await page.getByRole("textbox", { name: "Link" }).inputValue();
  const original = page.url();

  const visitor = await openPage(link, { allowErrors: true });
  await visitor.getByRole("button", { name: "Continue in a copy" }).click();
  await visitor.getByRole("alert").getByText("A copy needs an account on this server.").waitFor();

  await page.goto(link);
  await page.getByRole("button", { name: "Continue in a copy" }).click();
  await page.waitForURL(/\/t\//);
  expect(page.url()).not.toBe(original);
  await answersOf(page).getByRole("table").waitFor();
  await sendMessage(page, "And the next step?");
  await answerWith(voice, "Begin today.");
  await answersOf(page).getByText("Begin today.").waitFor();
});

test.skipIf(noBrowser)("the share dialog and shared page have no axe findings", async () => {
  const { page, url } = await openThread();
  const threadId = new URL(page.url()).pathname.slice(3);
  const client = createClient({ baseUrl: url });
  const { path } = await client.createShare({ params: { threadId }, body: { id: "one" } });
  await choose(page, "Share…");
  await page.getByRole("button", { name: "Create link" }).click();
  await page.getByRole("textbox", { name: "Link" }).waitFor();
  await checkAccess(page, "share");

  const reader = await openPage(url + path, phone);
  await reader.getByRole("table").waitFor();
  await checkAccess(reader, "shared");
});
