import { expect, test } from "vitest";
import { createClient } from "../../protocol/client.ts";
import { answersOf, composerOf, noBrowser, openPage, rowsOf, seeText, sendMessage } from "./open-page.ts";
import { answerWith, startWithScriptedModel } from "./scripted-model.ts";

const draftOf = (page: Parameters<typeof composerOf>[0]) => () => composerOf(page).inputValue();

test.skipIf(noBrowser)("a draft continues on another device and is cleared on both when it is sent", async () => {
  const { voice, url } = await startWithScriptedModel();
  const desk = await openPage(url);
  const phone = await openPage(url);
  await composerOf(desk).pressSequentially("A thought for later");
  await expect.poll(draftOf(phone)).toBe("A thought for later");

  await composerOf(phone).press("End");
  await composerOf(phone).pressSequentially(", and more of it");
  await expect.poll(draftOf(desk)).toBe("A thought for later, and more of it");

  await composerOf(phone).press("Enter");
  await answerWith(voice, "Noted.");
  await seeText(() => answersOf(phone).innerText(), "Noted.");
  await expect.poll(draftOf(desk)).toBe("");
  const { drafts } = await createClient({ baseUrl: url }).listDrafts({ params: {} });
  expect(drafts).toEqual([]);

  const late = await openPage(url);
  await rowsOf(late).first().waitFor();
  expect(await composerOf(late).inputValue()).toBe("");
});

test.skipIf(noBrowser)("a thread's draft is stored on the server and not replaced while typing", async () => {
  const { voice, url } = await startWithScriptedModel();
  const page = await openPage(url);
  const client = createClient({ baseUrl: url });
  await sendMessage(page, "First");
  await answerWith(voice, "Well");
  await page.getByRole("button", { name: "Regenerate", exact: true }).waitFor();
  const threadId = new URL(page.url()).pathname.slice(3);
  await composerOf(page).pressSequentially("being wri");
  // Written elsewhere while the user types here.
  await client.setDraft({ params: { threadId }, body: { text: "from elsewhere", at: Date.now() } });
  await composerOf(page).pressSequentially("tten here");
  expect(await composerOf(page).inputValue()).toBe("being written here");
  await expect
    .poll(() => client.getDraft({ params: { threadId } }).then(({ draft }) => draft.text))
    .toBe("being written here");
  expect(await composerOf(page).inputValue()).toBe("being written here");
});

test.skipIf(noBrowser)("sending in one tab leaves the text that another tab edited after it", async () => {
  const { voice, url } = await startWithScriptedModel();
  const a = await openPage(url);
  await sendMessage(a, "First");
  await answerWith(voice, "Well");
  await a.getByRole("button", { name: "Regenerate", exact: true }).waitFor();
  const b = await openPage(a.url(), { allowErrors: true });
  const edited = "Please book the hotel in Porto for three nights";
  await composerOf(b).pressSequentially("Please book the flight");
  await expect.poll(draftOf(a)).toBe("Please book the flight");
  await composerOf(a).press("End");
  for (let times = 0; times < "flight".length; times += 1) await composerOf(a).press("Backspace");
  await composerOf(a).pressSequentially("hotel in Porto for three nights");
  await expect.poll(draftOf(b), { timeout: 10_000 }).toBe(edited);
  // B sends its own text before it hears of the next edit of A.
  await composerOf(b).fill("Please book the flight");
  await expect.poll(draftOf(a), { timeout: 10_000 }).toBe("Please book the flight");
  await b.context().setOffline(true);
  await composerOf(a).fill(edited);
  const threadId = new URL(a.url()).pathname.slice(3);
  const { getDraft } = createClient({ baseUrl: url });
  const stored = () => getDraft({ params: { threadId } }).then(({ draft }) => draft.text);
  await expect.poll(stored).toBe(edited);
  expect(await draftOf(b)()).toBe("Please book the flight");
  await composerOf(b).press("Enter");
  await b.context().setOffline(false);
  await answerWith(voice, "Booked.");
  await seeText(() => answersOf(a).last().innerText(), "Booked.");
  await expect.poll(draftOf(b), { timeout: 10_000 }).toBe(edited);
  expect([await draftOf(a)(), await stored()]).toEqual([edited, edited]);
  await a.reload();
  await expect.poll(draftOf(a)).toBe(edited);
});

test.skipIf(noBrowser)("a draft written offline survives a reload and reaches the server later", async () => {
  const { url } = await startWithScriptedModel();
  const page = await openPage(url, { allowErrors: true });
  await composerOf(page).waitFor();
  await page.context().setOffline(true);
  await composerOf(page).pressSequentially("written on the train");
  await expect.poll(() => page.evaluate("localStorage.getItem('stonechat.draft.new')")).toBe("written on the train");
  await page.context().setOffline(false);
  await page.reload();
  await expect.poll(draftOf(page)).toBe("written on the train");
  const { getFirstDraft } = createClient({ baseUrl: url });
  await expect.poll(() => getFirstDraft({ params: {} }).then(({ draft }) => draft.text)).toBe("written on the train");
});

test.skipIf(noBrowser)("arrow up recalls earlier messages, and arrow down returns to an empty field", async () => {
  const { voice, url } = await startWithScriptedModel();
  const page = await openPage(url);
  for (const [question, answer] of [
    ["One", "Uno"],
    ["Two", "Due"],
  ] as const) {
    await sendMessage(page, question);
    await answerWith(voice, answer);
    await seeText(() => answersOf(page).last().innerText(), answer);
  }
  const field = composerOf(page);
  await field.press("ArrowUp");
  await expect.poll(draftOf(page)).toBe("Two");
  await field.press("ArrowUp");
  await expect.poll(draftOf(page)).toBe("One");
  await field.press("ArrowUp");
  await expect.poll(draftOf(page)).toBe("One");
  await field.press("ArrowDown");
  await expect.poll(draftOf(page)).toBe("Two");
  await field.press("ArrowDown");
  await expect.poll(draftOf(page)).toBe("");

  // In an edited text the arrows move the cursor.
  await field.press("ArrowUp");
  await field.press("End");
  await field.pressSequentially("!");
  await field.press("ArrowUp");
  expect(await field.inputValue()).toBe("Two!");
});
