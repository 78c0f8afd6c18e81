import { expect, test } from "vitest";
import { say, startInstance } from "../support/instance.ts";
import { checkAccess } from "./check-access.ts";
import { answersOf, noBrowser, openPage, seeText, sendMessage } from "./open-page.ts";
import { stubThread } from "./stub-thread.ts";
import { startWithScriptedModel } from "./scripted-model.ts";

test.skipIf(noBrowser)(
  "an answer by another model becomes a variant, and the thread continues with that model",
  async () => {
    const { url, client } = await startInstance({
      script: () => say("From the script."),
      env: { STONECHAT_MODEL: "scripted/script", STONECHAT_OFFLINE_PACE_MS: "0" },
    });
    const page = await openPage(url);
    await sendMessage(page, "What can you do?");
    await seeText(() => answersOf(page).innerText(), "From the script.");
    await page.getByRole("button", { name: "Answer with another model" }).click();
    const list = page.getByRole("dialog", { name: "Choose a model" });
    await list.getByRole("combobox", { name: "Filter models" }).fill("offline");
    await list.getByRole("option", { disabled: false }).first().click();
    await page.getByRole("img", { name: "Variant 2 of 2" }).waitFor();
    await expect.poll(() => answersOf(page).innerText()).not.toContain("From the script.");
    await seeText(() => answersOf(page).innerText(), /Demo model · .*in/);
    await page.getByRole("button", { name: "Previous variant" }).click();
    await seeText(() => answersOf(page).innerText(), "From the script.");
    const threadId = new URL(page.url()).pathname.replace("/t/", "");
    expect((await client.getThread({ params: { threadId } })).thread.model).toBe("offline/stone");
  },
);

test.skipIf(noBrowser)("the demo model is not offered first, although it is the default", async () => {
  const { url, client } = await startInstance({
    script: () => say("From the script."),
    env: { STONECHAT_MODEL: "offline/stone", STONECHAT_OFFLINE_PACE_MS: "0" },
  });
  const threadId = "script";
  await client.createThread({ body: { id: threadId, model: "scripted/script" } });
  const page = await openPage(`${url}/t/${threadId}`);
  await sendMessage(page, "What can you do?");
  await seeText(() => answersOf(page).innerText(), "From the script.");
  await page.getByRole("button", { name: "Answer with another model" }).click();
  const options = page.getByRole("dialog", { name: "Choose a model" }).getByRole("option", { disabled: false });
  await options.first().waitFor();
  const names = await options.allInnerTexts();
  expect(names[0]).not.toContain("Demo model");
  expect(names.join()).toContain("Demo model");
});

const ended = (code: string, text: string) => ({ state: "ended", outcome: "failed", reason: { code, text } }) as const;

test.skipIf(noBrowser)("a failure offers advice, Retry, another model and the settings", async () => {
  const { url } = await startWithScriptedModel();
  const page = await openPage("about:blank");
  const thread = await stubThread(page, url, {
    run: ended("unauthorized", "OpenRouter does not accept the key."),
    replies: { regenerateMessage: () => ({ id: "x", seq: 1 }) },
  });
  const status = page.getByRole("group", { name: "Answer ended early" });
  await seeText(() => status.innerText(), "OpenRouter does not accept the key.");
  await seeText(() => status.innerText(), "Check the API key in the settings");
  await status.getByRole("button", { name: "Retry" }).click();
  await expect.poll(() => thread.requests.map(({ name }) => name)).toContain("regenerateMessage");
  await status.getByRole("button", { name: "Another model" }).click();
  const list = page.getByRole("dialog", { name: "Choose a model" });
  await list.getByRole("option", { disabled: false }).first().click();
  await expect
    .poll(() =>
      thread.requests.filter(({ name }) => name === "regenerateMessage").map(({ body }) => Object.keys(body as object)),
    )
    .toContainEqual(["id", "model"]);
  await status.getByRole("link", { name: "Models and keys" }).click();
  await expect.poll(() => new URL(page.url()).pathname).toBe("/settings/models");
});

test.skipIf(noBrowser)("an exhausted budget leads to the budgets, and an unknown failure can be retried", async () => {
  const { url } = await startWithScriptedModel();
  const page = await openPage("about:blank");
  const thread = await stubThread(page, url, { run: ended("budget", "Today's budget of $2 is spent.") });
  const status = page.getByRole("group", { name: "Answer ended early" });
  await status.getByRole("button", { name: "Usage and budgets" }).waitFor();
  thread.setRun(ended("something-new", "Something went wrong."));
  await seeText(() => status.innerText(), "Something went wrong.");
  await status.getByRole("button", { name: "Retry" }).waitFor();
  await status.getByRole("button", { name: "Another model" }).waitFor();
});

test("the actions after a failure pass axe on a phone, light and dark", async () => {
  if (noBrowser) return;
  const { url } = await startWithScriptedModel();
  const page = await openPage("about:blank", { viewport: { width: 390, height: 780 }, hasTouch: true });
  await stubThread(page, url, { run: ended("no-credit", "The account has no credit left.") });
  const status = page.getByRole("group", { name: "Answer ended early" });
  await status.getByRole("button", { name: "Another model" }).waitFor();
  await checkAccess(page, "failure");
  await status.getByRole("button", { name: "Another model" }).click();
  await page.getByRole("dialog", { name: "Choose a model" }).waitFor();
  await checkAccess(page, "models");
});
