import { expect, test } from "vitest";
import { checkAccess } from "./check-access.ts";
import { composerOf, noBrowser, openPage, questionsOf, seeText } from "./open-page.ts";
import { startWithScriptedModel } from "./scripted-model.ts";

test.skipIf(noBrowser)(
  "a prompt is saved in the settings, inserted by / with its variables, edited, searched and deleted",
  async () => {
    const { url } = await startWithScriptedModel();
    const page = await openPage(`${url}/settings/prompts`);
    await page.getByRole("button", { name: "New prompt" }).click();
    const form = page.getByRole("form", { name: "New prompt" });
    await form.getByLabel("Name").fill("two words");
    await form.getByText("Use letters, digits").waitFor();
    expect(await form.getByRole("button", { name: "Save" }).isDisabled()).toBe(true);
    await form.getByLabel("Name").fill("explain");
    await form.getByLabel("Text").fill("Explain {{topic}} to {{reader=a child}}.");
    await checkAccess(page, "new prompt");
    await form.getByRole("button", { name: "Save" }).click();
    const list = page.getByRole("list", { name: "Saved prompts" });
    await seeText(() => list.innerText(), /\/explain[\s\S]*Explain \{\{topic\}\}/);

    await page.goto(url);
    await composerOf(page).focus();
    await page.keyboard.type("/");
    const suggestions = page.getByRole("listbox", { name: "Suggestions" });
    await seeText(() => suggestions.innerText(), /explain[\s\S]*Quick web search[\s\S]*\/basic/);
    await page.keyboard.type("exp");
    await page.keyboard.press("Enter");
    const fill = page.getByRole("group", { name: "Fill in “explain”" });
    await fill.waitFor();
    await checkAccess(page, "variables of a prompt");
    expect(await fill.getByLabel("reader").inputValue()).toBe("a child");
    await page.keyboard.type("tides");
    await page.keyboard.press("Enter");
    await expect.poll(() => composerOf(page).inputValue()).toBe("Explain tides to a child. ");
    await page.keyboard.press("Enter");
    await seeText(() => questionsOf(page).first().innerText(), "Explain tides to a child.");

    await page.goto(`${url}/settings/prompts`);
    await page.getByRole("button", { name: "Edit explain" }).click();
    await page.getByRole("form", { name: "Edit explain" }).getByLabel("Text").fill("Changed.");
    await page.getByRole("form", { name: "Edit explain" }).getByRole("button", { name: "Save" }).click();
    await seeText(() => list.innerText(), "Changed.");
    await page.getByLabel("Search prompts").fill("zzz");
    await page.getByText("No matching prompts.").waitFor();
    await page.getByLabel("Search prompts").fill("chang");
    await page.getByRole("button", { name: "Delete explain", exact: true }).click();
    await page.getByRole("alertdialog").getByRole("button", { name: "Delete" }).click();
    await page.getByText("No saved prompts yet.").waitFor();
  },
);

test.skipIf(noBrowser)(
  "custom instructions, titles, tools and memory are switched in the settings and stay so after a reload",
  async () => {
    const { url } = await startWithScriptedModel();
    const page = await openPage(`${url}/settings/prompts`);
    await page.getByLabel("Instructions for all threads").fill("Answer briefly.");
    await page.getByRole("button", { name: "Cancel" }).click();
    expect(await page.getByLabel("Instructions for all threads").inputValue()).toBe("");
    await page.getByLabel("Instructions for all threads").fill("Answer in French.");
    await page.getByRole("button", { name: "Save", exact: true }).click();
    await page.getByText("Saved", { exact: true }).waitFor();
    const titles = page.getByRole("switch", { name: "Let a model name new threads" });
    await titles.click();
    await expect.poll(() => titles.getAttribute("aria-checked")).toBe("false");
    await page.reload();
    await expect.poll(() => titles.getAttribute("aria-checked")).toBe("false");
    expect(await page.getByLabel("Instructions for all threads").inputValue()).toBe("Answer in French.");

    await page.goto(`${url}/settings/tools`);
    const calculator = page.getByRole("switch", { name: "Use Calculator" });
    await calculator.click();
    await expect.poll(() => calculator.getAttribute("aria-checked")).toBe("false");
    await checkAccess(page, "tools with switches");
    await page.reload();
    await expect.poll(() => calculator.getAttribute("aria-checked")).toBe("false");
    expect(await page.getByText("find_tools").count()).toBe(0);

    await page.getByRole("button", { name: "Memory" }).first().click();
    const memory = page.getByRole("switch", { name: "Use memory", exact: true });
    await memory.click();
    await page.getByText("Off: nothing new is remembered").waitFor();
    await checkAccess(page, "memory that is off");
  },
);
