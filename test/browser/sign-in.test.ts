import { expect, test } from "vitest";
import { answersOf, noBrowser, openPage, seeText, sendMessage } from "./open-page.ts";
import { answerWith, startWithScriptedModel } from "./scripted-model.ts";

const token = "a-token-for-tests-only";

test.skipIf(noBrowser)("an instance with a token asks for it once, until the user signs out", async () => {
  const { voice, url } = await startWithScriptedModel({ STONECHAT_TOKEN: token });
  const page = await openPage(url, { allowErrors: true });
  await page.getByLabel("Access token").fill("something else entirely");
  await page.getByRole("button", { name: "Sign in" }).click();
  await expect
    .poll(() =>
      page
        .getByRole("alert")
        .allInnerTexts()
        .then((all) => all.join("")),
    )
    .not.toBe("");
  await page.getByLabel("Access token").fill(token);
  await page.getByRole("button", { name: "Sign in" }).click();
  await sendMessage(page, "Am I in?");
  await answerWith(voice, "You are.");
  await seeText(() => answersOf(page).innerText(), "You are.");
  await page.reload();
  await seeText(() => answersOf(page).innerText(), "You are.");
  await page.getByRole("button", { name: "Sign out" }).click();
  await page.getByLabel("Access token").waitFor();
  expect(await page.getByText("You are.").count()).toBe(0);
});
