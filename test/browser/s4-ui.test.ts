import { readFileSync } from "node:fs";
import type { Locator, Page } from "playwright-core";
import { expect, test } from "vitest";
import { say, startInstance } from "../support/instance.ts";
import { answersOf, composerOf, noBrowser, openPage, questionsOf, rowsOf, seeText, sendMessage } from "./open-page.ts";
import { listed } from "./told-parts.ts";
import { answerRoute } from "./told-thread.ts";
import { startWithVoice } from "./voice.ts";

/**
 * What the seed documents promise of the page, item by item (S4, [ui]). Each row says where it is proved on the drawn page: in
 * this file by the tests below, or in another one, by the name of its test.
 */
type Proof = readonly [ids: string, file: string, test: string];

const here = "s4-ui.test.ts";
const rows = "a row tells its title, its last answer and when, cut to their lengths";
const typed = "what is typed: a field that grows, tools and models beside it, nothing to send while it is empty";
const looks = "rows have no borders, change softly, cut long titles, and say so when there is nothing in them";
const summary = "a summary is read, edited, undone and asked for";
const commands = "commands are found wherever they stand, however they are written, in their order";

const proofs: readonly Proof[] = [
  ["S4-2 S4-3 S4-4 S4-45", here, rows],
  ["S4-46", here, "how long ago is told in the fewest words"],
  ["S4-6 S4-50", here, looks],
  ["S4-5 S4-10 S4-48", here, "a thread is made, chosen, and deleted by a button that shows on hover and asks first"],
  ["S4-11 S4-41 S4-42 S4-47", here, "an answer comes word by word, its reasoning folded, and its row pulses meanwhile"],
  ["S4-12 S4-33", here, "nine models are offered with provider, price and note, and one is picked"],
  ["S4-13 S4-38 S4-39 S4-99", here, commands],
  ["S4-44", here, typed],
  [
    "S4-44",
    "attachments.test.ts",
    "pasted and dropped anywhere, they wait beside the draft through a reload, and can be taken back",
  ],
  ["S4-40", "scrolling.test.ts", "an answer is followed while its reader is at the end, and left alone otherwise"],
  ["S4-43", "tool-cards.test.ts", "a card follows its call from its beginning to its end, and holds it word for word"],
  ["S4-43", "tool-cards.test.ts", "a card whose call failed says why without being opened"],
  ["S4-49", "threads.test.ts", "the list is worked with keys alone"],
  ["S4-49", here, "whatever has the focus shows it"],
  ["S4-81", here, "a summary is asked for by a command, and told at once"],
  [
    "S4-82",
    "context-page.test.ts",
    "a summary that was asked for in the thread is told on its card as soon as it is made",
  ],
  ["S4-94 S4-95 S4-96 S4-97 S4-112", "context-page.test.ts", summary],
  ["S4-98", "context-journeys.test.ts", "a summary is asked for, edited and the edit undone"],
];

/** As the requirements have them. */
const items = [
  ...[2, 3, 4, 5, 6, 10, 11, 12, 13, 33, 38, 39, 40, 41, 42, 43, 44, 45, 46, 47, 48, 49, 50],
  ...[81, 82, 94, 95, 96, 97, 98, 99, 112],
].map((number) => `S4-${number}`);

const proved = new Set<string>();
const prove = (name: string, run: () => Promise<void>): void => {
  proved.add(name);
  test.skipIf(noBrowser)(name, run);
};
const readTests = (file: string): string => readFileSync(new URL(file, import.meta.url), "utf8");

test("every item has its proof, and every proof is there under its name", () => {
  const told = new Set(proofs.flatMap(([ids]) => ids.split(" ")));
  expect(items.filter((id) => !told.has(id))).toEqual([]);
  const missing = proofs.filter(([, file, name]) =>
    file === here ? !proved.has(name) : !readTests(file).includes(`"${name}"`),
  );
  expect(missing).toEqual([]);
  expect([...proved].filter((name) => !proofs.some((proof) => proof[2] === name))).toEqual([]);
});

test("the other files hold the ids that they are named for", () => {
  const bare = proofs
    .filter(([, file]) => file !== here)
    .flatMap(([ids, file]) => ids.split(" ").map((id) => [id, file] as const))
    .filter(([id, file]) => !new RegExp(`${id}\\b`).test(readTests(file)));
  expect(bare).toEqual([]);
});

const longQuestion = "Tell me everything there is to know about the tides at Saint-Malo in spring";
const longAnswer =
  "The range there is among the **largest** of Europe: twelve metres between low and high water at springs.";

async function openTalk(): Promise<Page> {
  const { url } = await startInstance({
    script: () => say(longAnswer),
    env: { STONECHAT_MODEL: "scripted/script", STONECHAT_FALLBACKS: "," },
  });
  const page = await openPage(url);
  await sendMessage(page, longQuestion);
  await seeText(() => answersOf(page).innerText(), "twelve metres");
  await page.getByRole("button", { name: "Regenerate", exact: true }).waitFor();
  return page;
}

prove(rows, async () => {
  const page = await openTalk();
  await seeText(() => rowsOf(page).first().innerText(), "just now");
  const [title = "", , preview = ""] = (await rowsOf(page).first().innerText()).split("\n").filter(Boolean);
  expect(title.length).toBeLessThanOrEqual(40);
  expect(title).toMatch(/^Tell me everything there is.*…$/);
  expect(preview.length).toBeLessThanOrEqual(60);
  expect(preview).toMatch(/^The range there is among the largest.*…$/);
  expect(await rowsOf(page).first().getAttribute("aria-current")).toBe("page");
});

prove("how long ago is told in the fewest words", async () => {
  const { url } = await startWithVoice();
  const page = await openPage("about:blank");
  const minute = 60_000;
  const ages = [0, 5 * minute, 2 * 60 * minute, 3 * 24 * 60 * minute];
  await answerRoute(page, url, "listThreads", () => ({
    seq: 0,
    threads: ages.map((age, index) => ({
      ...listed,
      id: `t${index}`,
      title: `Thread ${index}`,
      updatedAt: Date.now() - age - 10_000,
    })),
    nextCursor: null,
  }));
  await page.goto(url);
  await expect.poll(() => rowsOf(page).count()).toBe(4);
  const told = await rowsOf(page).allInnerTexts();
  for (const [index, words] of ["just now", "5m ago", "2h ago", "3d ago"].entries())
    expect(told.find((text) => text.includes(`Thread ${index}`))).toContain(words);
});

const styleOf = async (place: Locator, name: string): Promise<string> =>
  place.evaluate((box, key) => box.ownerDocument.defaultView.getComputedStyle(box).getPropertyValue(key), name);

prove(looks, async () => {
  const { url } = await startWithVoice();
  const page = await openPage("about:blank");
  await answerRoute(page, url, "listThreads", () => ({
    seq: 0,
    threads: [
      { ...listed, id: "t0", title: "A title that is far too long for the narrow list at the side of the page" },
      { ...listed, id: "t1", title: "" },
    ],
    nextCursor: null,
  }));
  await page.goto(url);
  await rowsOf(page).first().waitFor();
  const row = page.locator("[data-row=t0]");
  const box = row.locator("..");
  expect(await styleOf(row, "border-top-width")).toBe("0px");
  expect(await styleOf(box, "transition-duration")).not.toBe("0s");
  const title = row.getByText("A title that is far");
  expect(await styleOf(title, "text-overflow")).toBe("ellipsis");
  expect(await title.evaluate((box) => box.scrollWidth > box.clientWidth)).toBe(true);
  const empty = page.locator("[data-row=t1]").getByText("No messages yet");
  expect(await styleOf(empty, "font-style")).toBe("italic");
  expect(await styleOf(empty, "color")).not.toBe(await styleOf(page.locator("body"), "color"));
  await page.mouse.move(900, 400);
  const before = await styleOf(box, "background-color");
  await row.hover();
  await expect.poll(() => styleOf(box, "background-color")).not.toBe(before);
});

prove("a thread is made, chosen, and deleted by a button that shows on hover and asks first", async () => {
  const page = await openTalk();
  await page.goto(new URL("/", page.url()).href);
  await sendMessage(page, "A second thread");
  await expect.poll(() => rowsOf(page).count()).toBe(2);
  await rowsOf(page).filter({ hasText: "Tell me everything" }).click();
  await seeText(() => questionsOf(page).innerText(), longQuestion);
  const item = page.getByRole("listitem").filter({ hasText: "A second thread" });
  const button = item.getByRole("button", { name: /^Delete/ });
  const opacity = () => styleOf(button.locator(".."), "opacity");
  await page.mouse.move(900, 400);
  await expect.poll(opacity).toBe("0");
  await item.hover();
  await expect.poll(opacity).toBe("1");
  await button.click();
  const dialog = page.getByRole("alertdialog");
  await dialog.getByRole("button", { name: "Cancel" }).click();
  expect(await rowsOf(page).count()).toBe(2);
  await item.hover();
  await button.click();
  await dialog.getByRole("button", { name: "Delete" }).click();
  await expect.poll(() => rowsOf(page).count()).toBe(1);
});

prove("an answer comes word by word, its reasoning folded, and its row pulses meanwhile", async () => {
  const { voice, url } = await startWithVoice();
  const page = await openPage(url);
  await sendMessage(page, "Slowly, please");
  const call = await voice.next();
  call.think("I count the waves.");
  await answersOf(page).getByText("Thinking").waitFor();
  expect(await answersOf(page).getByText("I count the waves.").isVisible()).toBe(false);
  call.say("Here is **one** word");
  await answersOf(page).locator("strong", { hasText: "one" }).waitFor();
  await rowsOf(page).first().getByRole("img", { name: "Answering" }).waitFor();
  call.say(" and another.");
  await seeText(() => answersOf(page).innerText(), "and another.");
  call.finish();
  await rowsOf(page).first().getByRole("img", { name: "Answering" }).waitFor({ state: "detached" });
  await answersOf(page).getByText("Reasoning").click();
  await answersOf(page).getByText("I count the waves.").waitFor();
  expect(await questionsOf(page).count()).toBe(1);
});

const nine = [
  "DeepSeek R1 0528",
  "Llama 3.3 70B",
  "Ministral 8B",
  "Trinity Large Preview",
  "Kimi K2.5",
  "Kimi K2",
  "GPT-5 Mini",
  "GPT-5 Nano",
  "Grok 4.1 Fast",
];

prove("nine models are offered with provider, price and note, and one is picked", async () => {
  const { url } = await startInstance({ env: { OPENROUTER_API_KEY: "sk-or-test", STONECHAT_MODEL: "offline/stone" } });
  const page = await openPage(url);
  await page.getByRole("button", { name: /^Model: / }).click();
  const list = page.getByRole("listbox", { name: "Models" });
  await list.waitFor();
  const told = await list.innerText();
  expect(nine.filter((name) => !told.toLowerCase().includes(name.toLowerCase()))).toEqual([]);
  expect(told).toMatch(/free/i);
  expect(told).toMatch(/\$/);
  await page.getByRole("combobox", { name: "Filter models" }).fill("Kimi K2.5");
  await list.getByRole("option").first().click();
  await page.getByRole("button", { name: "Model: Kimi K2.5" }).waitFor();
});

prove(commands, async () => {
  const asked: string[][] = [];
  const { url } = await startInstance({
    script: (request) => {
      asked.push([JSON.stringify(request.toolChoice)]);
      return say("Done.");
    },
    env: { STONECHAT_MODEL: "scripted/script", STONECHAT_FALLBACKS: "," },
  });
  const page = await openPage(url);
  await composerOf(page).focus();
  await page.keyboard.type("first @");
  const list = page.getByRole("listbox", { name: /Commands/ });
  await seeText(() => list.innerText(), /basic[\s\S]*search[\s\S]*workingMemory/);
  await seeText(() => list.innerText(), "summarize");
  await page.keyboard.press("Escape");
  await sendMessage(page, "remember @WORKINGMEMORY that, then @search it");
  await seeText(() => answersOf(page).innerText(), "Done.");
  expect(asked[0]?.[0]).toContain("memory");
});

prove(typed, async () => {
  const { voice, url } = await startWithVoice();
  const page = await openPage(url);
  const form = page.getByRole("form", { name: "Write a message" });
  expect(await form.getByRole("button", { name: "Send", exact: true }).isDisabled()).toBe(true);
  await form.getByRole("button", { name: /^Model: / }).waitFor();
  const height = async () => (await composerOf(page).boundingBox())?.height ?? 0;
  const low = await height();
  await composerOf(page).fill("one\ntwo\nthree\nfour");
  await expect.poll(height).toBeGreaterThan(low);
  await composerOf(page).press("Enter");
  const call = await voice.next();
  // While an answer runs, what is sent waits for its turn: the button says so.
  await form.getByRole("button", { name: "Send after this answer" }).waitFor();
  expect(await form.getByRole("button", { name: "Send after this answer" }).isDisabled()).toBe(true);
  call.say("Yes.");
  call.finish();
  await form.getByRole("button", { name: "Send", exact: true }).waitFor();
});

prove("whatever has the focus shows it", async () => {
  const page = await openTalk();
  await page.locator("body").click({ position: { x: 2, y: 2 } });
  const seen = new Set<string>();
  for (let press = 0; press < 25; press += 1) {
    await page.keyboard.press("Tab");
    const [name, ring] = (await page.evaluate(`(() => {
      const element = document.activeElement;
      const drawn = (one) => {
        const style = getComputedStyle(one);
        return (style.outlineStyle !== "none" && style.outlineWidth !== "0px") || style.boxShadow !== "none";
      };
      const shows = element === document.body || drawn(element) || drawn(element.closest("form") ?? element);
      return [element.outerHTML.slice(0, 120), shows];
    })()`)) as [string, boolean];
    seen.add(name);
    expect(ring, name).toBe(true);
  }
  expect(seen.size).toBeGreaterThan(8);
});

prove("a summary is asked for by a command, and told at once", async () => {
  const { url } = await startInstance({ env: { STONECHAT_MODEL: "offline/stone", STONECHAT_OFFLINE_PACE_MS: "0" } });
  const page = await openPage(url);
  for (const words of ["The boat leaves at 06:40 from Dinard.", "We are two.", "The room is at Cancale."]) {
    const before = await answersOf(page).count();
    await sendMessage(page, words);
    await expect.poll(() => answersOf(page).count()).toBe(before + 1);
    await page.getByRole("button", { name: "Stop", exact: true }).waitFor({ state: "detached" });
  }
  await sendMessage(page, "@summarize");
  const card = page.getByRole("group", { name: "Tool summarize" });
  await card.waitFor();
  await seeText(() => card.innerText(), /Sum up this thread[\s\S]*done/);
});
