import { expect, test } from "vitest";
import { noBrowser, openPage, seeText } from "./open-page.ts";
import { startInstance } from "../support/instance.ts";

test.skipIf(noBrowser)("a copy of a profile can be cancelled, or changed, saved and deleted", async () => {
  const { url, client } = await startInstance();
  const page = await openPage(`${url}/settings/profiles`);
  await page.getByText("Copy a built-in profile to change").waitFor();
  await page.getByRole("link", { name: "Copy Research" }).click();
  await page.getByText("This copy is not saved yet.").waitFor();
  await page.getByRole("button", { name: "Cancel" }).click();
  await page.getByText("Copy a built-in profile to change").waitFor();
  expect((await client.listProfiles({})).profiles.every(({ builtIn }) => builtIn)).toBe(true);
  await page.getByRole("link", { name: "Copy Research" }).click();
  const form = page.getByRole("form", { name: "Research copy" });
  await form.getByRole("textbox", { name: "Name", exact: true }).fill("Tide tables");
  await form.or(page.getByRole("form")).getByRole("textbox", { name: "Instructions" }).fill("Only tides.");
  const steps = page.getByRole("textbox", { name: "Steps" });
  await steps.fill("0");
  await page.getByText("Enter a whole number of at least 1.").waitFor();
  expect(await page.getByRole("button", { name: "Save", exact: true }).isDisabled()).toBe(true);
  await steps.fill("3");
  await page.getByRole("checkbox", { name: /scrape_webpage/ }).uncheck();
  await page.getByRole("combobox", { name: "Policy" }).selectOption("messages");
  await page.getByRole("combobox", { name: "Model" }).selectOption("offline/stone");
  await page.getByRole("button", { name: "Remove limit for Read web pages" }).click();

  // Unsaved changes survive a reload.
  await page.reload();
  await page.getByText("This copy is not saved yet.").waitFor();
  expect(await page.getByRole("textbox", { name: "Instructions" }).inputValue()).toBe("Only tides.");
  await page.getByRole("button", { name: "Save", exact: true }).click();
  await page.getByRole("form", { name: "Tide tables" }).waitFor();

  const { profiles } = await client.listProfiles({});
  const own = profiles.filter(({ builtIn }) => !builtIn);
  expect(own).toMatchObject([
    {
      name: "Tide tables",
      from: "research",
      instructions: "Only tides.",
      tools: ["plan_research", "search_web", "read_artifact"],
      limits: { steps: 3, perTool: { plan_research: 1, search_web: 3 } },
      policy: "messages",
      model: "offline/stone",
    },
  ]);
  await page.getByRole("link", { name: "All profiles" }).click();
  await page.getByRole("button", { name: "Delete Tide tables" }).click();
  await page.getByRole("alertdialog").getByRole("button", { name: "Delete" }).click();
  await page.getByText("Copy a built-in profile to change").waitFor();
  expect((await client.listProfiles({})).profiles.every(({ builtIn }) => builtIn)).toBe(true);
});

test.skipIf(noBrowser)("a profile changed elsewhere is not overwritten without asking", async () => {
  const { url, client } = await startInstance();
  await client.createProfile({ body: { id: "mine", name: "Mine", from: "stone", instructions: "One." } });
  const page = await openPage(`${url}/settings/profiles#mine`, { allowErrors: true });
  const field = page.getByRole("textbox", { name: "Instructions" });
  await field.fill("Two.");
  await client.changeProfile({ params: { profileId: "mine" }, body: { was: 1, instructions: "Three." } });
  await page.getByRole("button", { name: "Save", exact: true }).click();
  await page.getByText("was changed elsewhere").waitFor();
  expect(await field.inputValue()).toBe("Two.");
  const read = async () => (await client.listProfiles({})).profiles.find(({ id }) => id === "mine")?.instructions;
  expect(await read()).toBe("Three.");
  await page.getByRole("button", { name: "Save my version" }).click();
  await page.getByRole("status").filter({ hasText: "Saved" }).waitFor();
  expect(await read()).toBe("Two.");
});

test.skipIf(noBrowser)("a built-in profile is read-only and can be copied", async () => {
  const { url } = await startInstance();
  const page = await openPage(`${url}/settings/profiles`);
  await page.getByRole("link", { name: "Builder", exact: true }).click();
  await page.waitForURL("**/settings/profiles#builder");
  const field = page.getByRole("textbox", { name: "Instructions" });
  await seeText(() => field.inputValue(), "a builder of small web apps");
  expect(await field.isDisabled()).toBe(true);
  await page.getByRole("link", { name: "Copy to edit" }).click();
  await page.getByRole("form", { name: "Builder copy" }).waitFor();
  expect(await field.isEnabled()).toBe(true);
  await page.goBack();
  await page.getByRole("form", { name: "Builder", exact: true }).waitFor();
});
