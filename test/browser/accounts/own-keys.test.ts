import { expect, onTestFinished, test } from "vitest";
import { accountsOn, join, setUp } from "../../support/accounts/accounts-instance.ts";
import { startInstance } from "../../support/instance.ts";
import { createProviderServer } from "../../support/provider-server.ts";
import { checkAccess, devicesOf } from "../check-access.ts";
import { noBrowser } from "../open-page.ts";
import { openAs } from "./open-as.ts";

const json = (body: unknown, status = 200) => ({
  status,
  headers: { "content-type": "application/json" },
  body: JSON.stringify(body),
});

for (const [name, options] of devicesOf(1))
  test.skipIf(noBrowser)(`a member adds, tests and removes an own provider key on ${name}`, async () => {
    const tested: (string | undefined)[] = [];
    const provider = await createProviderServer({
      next: ({ path, headers }) => {
        if (path.endsWith("/key")) tested.push(headers.authorization);
        return json(path.endsWith("/models") ? { data: [{ id: "openai/gpt-5-mini" }] } : {});
      },
    });
    onTestFinished(provider.close);
    const env = { ...accountsOn, OPENROUTER_BASE_URL: provider.url, OPENROUTER_API_KEY: "sk-or-v1-of-the-server" };
    const instance = await startInstance({ env });
    const ada = await setUp(instance);
    const bob = await join(instance.url, ada, { email: "bob@example.com", name: "Bob" });
    const page = await openAs(instance.url, bob, "/settings/models", options);
    const card = page.getByRole("listitem", { name: "OpenRouter" });
    await card.getByText("This server's key", { exact: true }).waitFor();
    await checkAccess(page, "own keys");
    await card.getByRole("button", { name: "Add key: OpenRouter" }).click();
    await card.getByLabel("Key for OpenRouter", { exact: true }).and(page.locator("input")).fill("sk-or-v1-of-bob");
    await checkAccess(page, "form for an own key");
    await page.keyboard.press("Enter");
    await card.getByText("Your key", { exact: true }).waitFor();
    await card
      .getByText("OpenRouter responded")
      .or(card.getByText(/Tested /))
      .first()
      .waitFor();
    expect(tested).toContain("Bearer sk-or-v1-of-bob");
    expect(await page.content()).not.toContain("sk-or-v1-of-bob");
    await checkAccess(page, "own key in use");

    // An admin turns own keys off: the page of the member says so at the next load.
    const admin = await openAs(instance.url, ada, "/settings/models", options);
    const allow = admin.getByRole("switch", { name: "Users may use their own provider keys" });
    await allow.click();
    await expect.poll(() => allow.getAttribute("aria-checked")).toBe("false");
    await checkAccess(admin, "own keys turned off");
    await page.reload();
    await page.getByText("An admin has turned off own keys.").waitFor();
    await card.getByText("This server's key", { exact: true }).waitFor();

    await card.getByRole("button", { name: "Remove: OpenRouter" }).click();
    await page.getByRole("alertdialog").getByRole("button", { name: "Remove" }).click();
    await expect.poll(() => card.getByRole("button", { name: "Remove: OpenRouter" }).count()).toBe(0);
  });
