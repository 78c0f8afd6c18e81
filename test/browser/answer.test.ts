import { expect, test } from "vitest";
import { answersOf, composerOf, noBrowser, openPage, questionsOf, rowsOf, seeText, sendMessage } from "./open-page.ts";
import { answerWith, startWithScriptedModel } from "./scripted-model.ts";

test.skipIf(noBrowser)("the first message creates a thread, and its answer streams in", async () => {
  const { voice, url } = await startWithScriptedModel();
  const page = await openPage(url);
  await sendMessage(page, "How do tides work?");
  const call = await voice.next();
  call.think("The moon, I think.");
  call.say("The **moon** ");
  await seeText(() => answersOf(page).innerText(), "The moon");
  expect(await page.getByRole("button", { name: "Stop", exact: true }).isVisible()).toBe(true);
  expect(await page.getByText("The moon, I think.").isVisible()).toBe(false);
  call.say("pulls the sea.");
  call.finish();
  await page.getByRole("button", { name: "Regenerate" }).waitFor();
  await seeText(() => answersOf(page).innerText(), "The moon pulls the sea.");
  expect(await answersOf(page).locator("strong").innerText()).toBe("moon");
  await answersOf(page).getByText("Reasoning").click();
  await page.getByText("The moon, I think.").waitFor();
  await seeText(() => rowsOf(page).first().innerText(), /How do tides work\?[\s\S]*The moon pulls the sea\./);
  expect(page.url()).toContain("/t/");
  expect(await composerOf(page).inputValue()).toBe("");
});

test.skipIf(noBrowser)("a page reloaded during an answer shows all of it", async () => {
  const { voice, url } = await startWithScriptedModel();
  const page = await openPage(url);
  await sendMessage(page, "Tell me a long story");
  const call = await voice.next();
  call.say("Once upon a time ");
  await seeText(() => answersOf(page).innerText(), "Once upon a time");
  await page.reload();
  await seeText(() => answersOf(page).innerText(), "Once upon a time");
  call.say("there was a bird.");
  await seeText(() => answersOf(page).innerText(), "Once upon a time there was a bird.");
  await page.reload();
  call.finish();
  await page.getByRole("button", { name: "Regenerate" }).waitFor();
  const text = await answersOf(page).innerText();
  expect(text.match(/Once upon a time there was a bird\./g)).toHaveLength(1);
  expect(await questionsOf(page).count()).toBe(1);
});

test.skipIf(noBrowser)("two tabs show the same answer while it streams", async () => {
  const { voice, url } = await startWithScriptedModel();
  const one = await openPage(url);
  await sendMessage(one, "Hello both");
  const call = await voice.next();
  const two = await openPage(one.url());
  for (const piece of ["alpha ", "beta ", "gamma"]) {
    call.say(piece);
    await Promise.all([one, two].map((page) => seeText(() => answersOf(page).innerText(), piece.trim())));
  }
  call.finish();
  await Promise.all([one, two].map((page) => page.getByRole("button", { name: "Regenerate" }).waitFor()));
  await sendMessage(two, "From the second tab");
  await seeText(() => questionsOf(one).last().innerText(), "From the second tab");
  await answerWith(voice, "Hello again");
  await seeText(() => answersOf(one).last().innerText(), "Hello again");
});

test.skipIf(noBrowser)("stopping keeps the text so far and offers Retry", async () => {
  const { voice, url } = await startWithScriptedModel();
  const page = await openPage(url);
  await sendMessage(page, "Count to a million");
  const call = await voice.next();
  call.say("one two three");
  await seeText(() => answersOf(page).innerText(), "one two three");
  await page.getByRole("button", { name: "Stop", exact: true }).click();
  await page.getByRole("button", { name: "Retry" }).waitFor();
  await expect.poll(() => page.getByRole("button", { name: "Stop", exact: true }).count()).toBe(0);
  await page.reload();
  await seeText(() => answersOf(page).innerText(), "one two three");
  await page.getByRole("button", { name: "Retry" }).click();
  await answerWith(voice, "four");
  await seeText(() => answersOf(page).innerText(), "four");
});

test.skipIf(noBrowser)("a failed answer shows the reason and can be retried", async () => {
  const { voice, url } = await startWithScriptedModel();
  const page = await openPage(url);
  await sendMessage(page, "Something difficult");
  (await voice.next()).fail("The model would rather not.");
  await page.getByText("The model would rather not.").first().waitFor();
  await page.getByRole("button", { name: "Retry" }).click();
  await answerWith(voice, "Very well.");
  await seeText(() => answersOf(page).innerText(), "Very well.");
});

test.skipIf(noBrowser)("drafts are stored per thread and survive a reload", async () => {
  const { voice, url } = await startWithScriptedModel();
  const page = await openPage(url);
  await sendMessage(page, "First thread");
  await answerWith(voice, "Noted");
  await page.getByRole("button", { name: "Regenerate" }).waitFor();
  await composerOf(page).fill("half a thought");
  await page.getByRole("link", { name: "New thread" }).click();
  await expect.poll(() => composerOf(page).inputValue()).toBe("");
  await rowsOf(page).first().click();
  await expect.poll(() => composerOf(page).inputValue()).toBe("half a thought");
  await page.reload();
  await expect.poll(() => composerOf(page).inputValue()).toBe("half a thought");
});

test.skipIf(noBrowser)("each line of a message has the direction of its script", async () => {
  const { voice, url } = await startWithScriptedModel();
  const page = await openPage(url);
  await composerOf(page).fill("A line that is longer than the other one:\nمرحبا بالعالم.");
  await composerOf(page).press("Enter");
  await answerWith(voice, "Seen.");
  const line = questionsOf(page).getByText("A line that is longer");
  await line.waitFor();
  const gap = await line.evaluate((box) => {
    const words = box.firstChild;
    const range = words.ownerDocument.createRange();
    range.setStart(words, words.data.indexOf("\n") + 1);
    range.setEnd(words, words.length);
    return Math.abs(box.getBoundingClientRect().right - range.getBoundingClientRect().right);
  });
  expect(gap).toBeLessThan(2);
});
