import type { Locator, Page } from "playwright-core";
import { expect, test } from "vitest";
import { say, startInstance } from "../support/instance.ts";
import { answersOf, composerOf, noBrowser, openPage, questionsOf, rowsOf, seeText, sendMessage } from "./open-page.ts";
import { listed } from "./stub-parts.ts";
import { answerRoute } from "./stub-thread.ts";
import { startWithScriptedModel } from "./scripted-model.ts";

const longQuestion =
  "Tell me everything there is to know about the tides at Saint-Malo in spring and about those at Granville";
const longAnswer =
  "The range there is among the **largest** of Europe: twelve metres between low and high water at springs.";

async function openThread(): Promise<Page> {
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

test.skipIf(noBrowser)(
  "a thread row shows its title, last answer and time, each cut to its maximum length",
  async () => {
    const page = await openThread();
    await seeText(() => rowsOf(page).first().innerText(), "just now");
    const [title = "", , preview = ""] = (await rowsOf(page).first().innerText()).split("\n").filter(Boolean);
    expect(title.length).toBeLessThanOrEqual(80);
    expect(title).toMatch(/^Tell me everything there is.*…$/);
    expect(preview.length).toBeLessThanOrEqual(60);
    expect(preview).toMatch(/^The range there is among the largest.*…$/);
    expect(await rowsOf(page).first().getAttribute("aria-current")).toBe("page");
  },
);

test.skipIf(noBrowser)("relative times use the shortest form", async () => {
  const { url } = await startWithScriptedModel();
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
  const rows = await rowsOf(page).allInnerTexts();
  for (const [index, words] of ["just now", "5m ago", "2h ago", "3d ago"].entries())
    expect(rows.find((text) => text.includes(`Thread ${index}`))).toContain(words);
});

const styleOf = async (place: Locator, name: string): Promise<string> =>
  place.evaluate((box, key) => box.ownerDocument.defaultView.getComputedStyle(box).getPropertyValue(key), name);

test.skipIf(noBrowser)(
  "rows have no borders, animate changes, truncate long titles, and an empty list says so",
  async () => {
    const { url } = await startWithScriptedModel();
    const page = await openPage("about:blank", { reducedMotion: "no-preference" });
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
  },
);

test.skipIf(noBrowser)(
  "a thread is created, selected, and deleted with a hover button that asks for confirmation",
  async () => {
    const page = await openThread();
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
  },
);

test.skipIf(noBrowser)("an answer streams word by word with its reasoning collapsed while its row pulses", async () => {
  const { voice, url } = await startWithScriptedModel();
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

test.skipIf(noBrowser)("the picker lists nine models with provider, price and note, and selects one", async () => {
  const { url } = await startInstance({ env: { OPENROUTER_API_KEY: "sk-or-test", STONECHAT_MODEL: "offline/stone" } });
  const page = await openPage(url);
  await page.getByRole("button", { name: /^Model: / }).click();
  const list = page.getByRole("group", { name: "Ready to use" });
  await list.waitFor();
  const text = await list.innerText();
  expect(nine.filter((name) => !text.toLowerCase().includes(name.toLowerCase()))).toEqual([]);
  expect(text).toMatch(/free/i);
  expect(text).toMatch(/\$/);
  await page.getByRole("combobox", { name: "Filter models" }).fill("Kimi K2.5");
  await list.getByRole("option").first().click();
  await page.getByRole("button", { name: "Model: Kimi K2.5" }).waitFor();
  await expect.poll(() => composerOf(page).evaluate((field) => field.matches(":focus"))).toBe(true);
});

test.skipIf(noBrowser)("commands are recognized anywhere in a message, in any spelling, and run in order", async () => {
  const choices: string[] = [];
  const { url } = await startInstance({
    script: (request) => {
      choices.push(JSON.stringify(request.toolChoice));
      return say("Done.");
    },
    env: { STONECHAT_MODEL: "scripted/script", STONECHAT_FALLBACKS: "," },
  });
  const page = await openPage(url);
  await composerOf(page).focus();
  await page.keyboard.type("first @");
  const list = page.getByRole("listbox", { name: "Suggestions" });
  await seeText(() => list.innerText(), /basic[\s\S]*search[\s\S]*workingMemory/);
  await seeText(() => list.innerText(), "summarize");
  await page.keyboard.press("Escape");
  await sendMessage(page, "remember @WORKINGMEMORY that, then @search it");
  await seeText(() => answersOf(page).innerText(), "Done.");
  expect(choices[0]).toContain("memory");
});

test.skipIf(noBrowser)(
  "the composer grows with its text, offers tools and models, and disables Send while empty",
  async () => {
    const { voice, url } = await startWithScriptedModel();
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
    // While an answer runs, the button says that the message is sent after it.
    await form.getByRole("button", { name: "Send after this answer" }).waitFor();
    expect(await form.getByRole("button", { name: "Send after this answer" }).isDisabled()).toBe(true);
    call.say("Yes.");
    call.finish();
    await form.getByRole("button", { name: "Send", exact: true }).waitFor();
  },
);

test.skipIf(noBrowser)("the focused element has a visible focus ring", async () => {
  const page = await openThread();
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

test.skipIf(noBrowser)("the summarize command answers with a summary at once", async () => {
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
  await seeText(() => card.innerText(), /Summarize this thread[\s\S]*done/);
});

test.skipIf(noBrowser)("projects that could not be loaded are loaded once the network is back", async () => {
  const { url, client } = await startInstance({ script: () => say(longAnswer) });
  await client.createProject({ body: { id: "wall", name: "Harbour wall" } });
  const page = await openPage("about:blank", { allowErrors: true });
  await page.route("**/api/projects?*", (route) => route.abort());
  await page.goto(url);
  const failure = page.getByText("Projects could not be loaded");
  await failure.waitFor();
  await page.unroute("**/api/projects?*");
  await page.evaluate('dispatchEvent(new Event("online"))');
  await page
    .getByRole("navigation", { name: "Projects" })
    .getByRole("link", { name: "Harbour wall", exact: true })
    .waitFor();
  expect(await failure.count()).toBe(0);
});
