import { expect, test } from "vitest";
import { call, say, startInstance } from "../support/instance.ts";
import { checkAccess } from "./check-access.ts";
import { answersOf, noBrowser, openPage, rowsOf, seeText, sendMessage } from "./open-page.ts";

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
    await page.getByRole("form", { name: "Red or green?" }).getByRole("radio", { name: "Green" }).check();
    await next.getByRole("button", { name: "Answer", exact: true }).click();
    await page.getByRole("form", { name: "Anything else?" }).getByRole("button", { name: "Skip" }).click();
    await seeText(() => answersOf(page).last().innerText(), /Blue[\s\S]*skipped[\s\S]*All clear\./);
    expect(prompts[2]).toContain("Blue");
    await checkAccess(page, "answered questions");
  },
);
