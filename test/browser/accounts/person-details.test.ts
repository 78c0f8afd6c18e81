import { expect, test } from "vitest";
import { say, startInstance } from "../../support/instance.ts";
import { accountsOn, signIn } from "../../support/accounts/accounts-instance.ts";
import { shareProject } from "../../support/accounts/shared-project.ts";
import { checkAccess, devicesOf } from "../check-access.ts";
import { composerOf, noBrowser } from "../open-page.ts";
import { openAs } from "./open-as.ts";

const script = () => say("An answer.");

for (const [name, options] of devicesOf(1))
  test.skipIf(noBrowser)(`an admin limits, revokes and deletes in the details of an account on ${name}`, async () => {
    const instance = await startInstance({ env: accountsOn, script });
    const { url } = instance;
    const { ada, bob, cy } = await shareProject(instance);
    await bob.client.createProject({ body: { id: "ours", name: "Secret name" } });
    await bob.client.addMember({ params: { projectId: "ours" }, body: { email: cy.email, role: "editor" } });
    await bob.client.createKey({ body: { id: "laptop", name: "Laptop script", scopes: ["read"] } });
    const bobs = await openAs(url, bob, "/", { allowErrors: true });
    await composerOf(bobs).waitFor();
    await signIn(url, bob.email, undefined, {
      "user-agent": "Mozilla/5.0 (X11; Linux x64) Gecko/20100101 Firefox/140.0",
    });
    const page = await openAs(url, ada, "/settings/people", { ...options, allowErrors: true });
    const row = page.getByRole("listitem", { name: "Bob" });
    await row.getByRole("button", { name: "Details of Bob" }).press("Enter");
    await row.getByText("Laptop script").waitFor();
    expect(await row.textContent()).not.toContain("Secret name");
    await row.getByText("With Cy").waitFor();
    await checkAccess(page, "details of an account");

    // Limits: errors before they are sent, models as a list, and what is saved is what applies.
    await row.getByLabel("Which limits apply").selectOption("own");
    await row.getByLabel("Dollars per day").fill("lots");
    await row.getByText("Enter a number greater than 0, or leave it empty.").waitFor();
    await row.getByLabel("Dollars per day").fill("2,5");
    await row.getByLabel("Storage in MB").fill("10");
    await row.getByLabel("Models", { exact: true }).selectOption("some");
    await row.getByText("Only the built-in offline guide.").waitFor();
    await row.getByLabel("Model to allow").fill("gpt");
    await row.getByLabel("Model to allow").press("Enter");
    await row.getByText("Enter an id such as openai/gpt-5 or openai/*.").waitFor();
    await row.getByLabel("Model to allow").fill("openai/*");
    await row.getByLabel("Model to allow").press("Enter");
    await row.getByRole("button", { name: "Remove openai/*" }).waitFor();
    await checkAccess(page, "limits of an account");
    await row.getByRole("button", { name: "Save limits" }).press("Enter");
    await row.getByText("Limits saved").waitFor();
    expect((await bob.client.getLimits({})).limits).toEqual({
      ...{ dayUsd: 2.5, monthUsd: null, models: ["openai/*"], storageBytes: 10_000_000 },
    });
    await bobs.goto(`${url}/settings/account`);
    const own = bobs.getByRole("region", { name: "Your limits" });
    await own.getByText("$2.50 per day").waitFor();
    await own.getByText("openai/*").waitFor();
    await checkAccess(bobs, "own limits");
    await row.getByLabel("Which limits apply").selectOption("role");
    await row.getByRole("button", { name: "Save limits" }).press("Enter");
    await expect.poll(async () => (await bob.client.getLimits({})).limits.dayUsd).toBe(null);

    await page.getByText("Limits of members").press("Enter");
    const ofMembers = page.getByRole("form", { name: "Limits of members" });
    await ofMembers.getByLabel("Dollars per month").fill("20");
    await ofMembers.getByRole("button", { name: "Save limits" }).press("Enter");
    await ofMembers.getByText("Limits saved").waitFor();
    await checkAccess(page, "limits of a role");
    expect((await bob.client.getLimits({})).limits.monthUsd).toBe(20);

    await row.getByRole("button", { name: "Revoke Laptop script" }).press("Enter");
    await page.getByRole("alertdialog").getByRole("button", { name: "Revoke" }).press("Enter");
    await row.getByText("No API keys.").waitFor();
    await row.getByRole("button", { name: /End session: Firefox/ }).press("Enter");
    await row.getByText("Firefox").waitFor({ state: "detached" });

    const remove = row.getByRole("button", { name: "Delete account…" });
    expect(await remove.isDisabled()).toBe(true);
    await row.getByLabel("New owner of the project with Cy").selectOption(cy.userId);
    await remove.press("Enter");
    await page.getByRole("alertdialog").getByText("Delete the account of Bob?").waitFor();
    await checkAccess(page, "deleting an account");
    await page.getByRole("alertdialog").getByRole("button", { name: "Delete account" }).press("Enter");
    await row.waitFor({ state: "detached" });
    await bobs.getByText("Your session has ended.").waitFor();
    const { members } = await cy.client.listMembers({ params: { projectId: "ours" } });
    expect(members.map(({ userId, role }) => [userId, role])).toEqual([[cy.userId, "owner"]]);
    await page.goto(`${url}/settings/activity`);
    await page.getByText("Ada deleted an account").waitFor();
    await page.getByText("Ada changed the limits of members").waitFor();
    await checkAccess(page, "audit log");
  });
