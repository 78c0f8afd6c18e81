import { expect, test } from "vitest";
import { call, say, startInstance } from "../support/instance.ts";
import { checkAccess } from "./check-access.ts";
import { answersOf, composerOf, noBrowser, openPage, rowsOf, seeText, sendMessage } from "./open-page.ts";

const form = {
  question: "Where shall we meet?",
  fields: [
    { name: "city", label: "City", type: "choice", options: ["Bern", "Basel"], required: true },
    { name: "guests", label: "Guests", type: "number" },
    { name: "day", label: "Day", type: "date" },
    { name: "extras", label: "Extras", type: "choices", options: ["Lunch", "Tour"] },
    { name: "indoors", label: "Indoors", type: "yes_no" },
    { name: "note", label: "Note", type: "text" },
  ],
};

test.skipIf(noBrowser)(
  "a form of the model is filled in by keyboard, survives a reload, closes in a second tab, and reaches the model",
  async () => {
    const prompts: string[] = [];
    const { url } = await startInstance({
      script: ({ messages }, index) => {
        prompts.push(JSON.stringify(messages.at(-1)));
        const ask = [form, { question: "Red or green?", options: ["Red", "Green"] }, { question: "Anything else?" }];
        return ask[index] ? call({ name: "ask_user", input: JSON.stringify(ask[index]) }) : say("All clear.");
      },
      env: { STONECHAT_MODEL: "scripted/script", STONECHAT_FALLBACKS: "," },
    });
    const page = await openPage(url, { viewport: { width: 390, height: 844 } });
    await sendMessage(page, "Plan it");
    const ask = page.getByRole("form", { name: "Where shall we meet?" });
    await ask.waitFor();
    await checkAccess(page, "question");
    const other = await openPage(page.url());
    await seeText(() => rowsOf(other).first().innerText(), "Waiting for you");
    expect(await rowsOf(other).first().innerText()).not.toContain("No answer yet");
    // Without the required field nothing is sent, and the focus goes to the field.
    await ask.getByLabel("Guests").fill("about 4");
    await ask.getByRole("button", { name: "Answer", exact: true }).click();
    await ask.getByText("An answer is required.").waitFor();
    await ask.getByText("Enter a number.").waitFor();
    expect(await ask.locator("input:focus").getAttribute("value")).toBe("Bern");
    await page.keyboard.press("Space");
    await ask.getByLabel("Guests").fill("4");
    await page.reload();
    expect(await ask.getByLabel("Bern").isChecked()).toBe(true);
    expect(await ask.getByLabel("Guests").inputValue()).toBe("4");
    await ask.getByLabel("Day").fill("2026-12-24");
    await ask.getByLabel("Tour").check();
    await ask.getByLabel("Other answer: Extras").fill("A walk");
    await ask.getByLabel("No", { exact: true }).check();
    await ask.getByLabel("Note").fill("Bring a coat");
    await page.keyboard.press("Control+Enter");
    const next = other.getByRole("form", { name: "Red or green?" });
    await next.waitFor();
    expect(await other.getByRole("form", { name: "Where shall we meet?" }).count()).toBe(0);
    const answers = { city: "Bern", guests: 4, day: "2026-12-24", extras: ["Tour", "A walk"], indoors: false };
    expect(prompts[1]).toContain(JSON.stringify(JSON.stringify({ answers: { ...answers, note: "Bring a coat" } })));
    await seeText(
      () => answersOf(page).last().innerText(),
      /City[\s\S]*Bern[\s\S]*Tour, A walk[\s\S]*Indoors[\s\S]*No/,
    );
    await next.getByLabel("Other answer: Red or green?").fill("Blue");
    await next.getByRole("button", { name: "Answer", exact: true }).click();
    await page.getByRole("form", { name: "Anything else?" }).getByRole("button", { name: "Skip" }).click();
    await seeText(() => answersOf(page).last().innerText(), /Blue[\s\S]*skipped[\s\S]*All clear\./);
    expect(prompts[2]).toContain("Blue");
    await checkAccess(page, "answered questions");
  },
);

test.skipIf(noBrowser)(
  "a click only selects; Answer or the message field answers a single question, but not a form",
  async () => {
    const prompts: string[] = [];
    const { url } = await startInstance({
      script: ({ messages }, index) => {
        prompts.push(JSON.stringify(messages.at(-1)));
        const options = ["Red", "Green"];
        const ask = [{ question: "Wall?", options }, { question: "Door?", options }, { question: "Roof?" }, form];
        return ask[index] ? call({ name: "ask_user", input: JSON.stringify(ask[index]) }) : say("All clear.");
      },
      env: { STONECHAT_MODEL: "scripted/script", STONECHAT_FALLBACKS: "," },
    });
    const page = await openPage(url);
    await sendMessage(page, "Paint it");
    const wall = page.getByRole("form", { name: "Wall?" });
    await wall.getByText("Red", { exact: true }).click();
    await wall.getByText("Green", { exact: true }).click();
    expect(await wall.getByRole("radio", { name: "Green" }).isChecked()).toBe(true);
    expect(prompts).toHaveLength(1);
    await wall.getByRole("button", { name: "Answer", exact: true }).click();
    await page.getByRole("form", { name: "Door?" }).waitFor();
    expect(prompts[1]).toContain("Green");
    await expect
      .poll(() => composerOf(page).getAttribute("placeholder"))
      .toBe("Type your answer to the question above");
    await sendMessage(page, "red");
    const roof = page.getByRole("form", { name: "Roof?" });
    await roof.waitFor();
    expect(prompts[2]).toContain("Red");
    await sendMessage(page, "Thatched, like before");
    const meet = page.getByRole("form", { name: "Where shall we meet?" });
    await meet.waitFor();
    expect(prompts[3]).toContain("Thatched, like before");
    await sendMessage(page, "In Bern");
    await expect.poll(() => meet.locator("input:focus").count()).toBe(1);
    expect(await composerOf(page).inputValue()).toBe("In Bern");
    expect(prompts).toHaveLength(4);
    await meet.getByRole("button", { name: "Skip" }).click();
    await seeText(() => answersOf(page).last().innerText(), "All clear.");
  },
);

test.skipIf(noBrowser)("a form that is taller than the view is shown from its beginning", async () => {
  const { url } = await startInstance({
    script: () => call({ name: "ask_user", input: JSON.stringify(form) }),
    env: { STONECHAT_MODEL: "scripted/script", STONECHAT_FALLBACKS: "," },
  });
  const page = await openPage(url, { viewport: { width: 390, height: 700 } });
  await sendMessage(page, "Plan it");
  const title = page.getByRole("form", { name: "Where shall we meet?" }).getByText("Where shall we meet?");
  const view = page.getByRole("region", { name: "Messages" });
  const isInView = async () => {
    const [box, text] = [await view.boundingBox(), await title.boundingBox()];
    return box !== null && text !== null && text.y >= box.y && text.y < box.y + box.height / 2;
  };
  await title.waitFor();
  await expect.poll(isInView).toBe(true);
  await page.reload();
  await title.waitFor();
  await expect.poll(isInView).toBe(true);
  // The user can scroll to its end.
  await view.hover();
  await page.mouse.wheel(0, 4000);
  await expect.poll(isInView).toBe(false);
  await page.getByLabel("Note").fill("Bring a coat");
  expect(await isInView()).toBe(false);
});
