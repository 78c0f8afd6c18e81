import { expect, test } from "vitest";
import { startInstance, say } from "../../support/instance.ts";
import { accountsOn, join, setUp } from "../../support/accounts/accounts-instance.ts";
import { ask, shareProject } from "../../support/accounts/shared-project.ts";
import { checkAccess, devicesOf } from "../check-access.ts";
import { composerOf, noBrowser } from "../open-page.ts";
import { openAs } from "./open-as.ts";

const script = () => say("An answer.");

for (const [name, options] of devicesOf(1))
  test.skipIf(noBrowser)(`the owner adds, changes and removes a member with the keyboard on ${name}`, async () => {
    const instance = await startInstance({ env: accountsOn, script });
    const ada = await setUp(instance);
    const bob = await join(instance.url, ada, { email: "bob@example.com", name: "Bob" });
    await ada.client.createProject({ body: { id: "plan", name: "Plan" } });
    const page = await openAs(instance.url, ada, "/p/plan/settings", { ...options, allowErrors: true });
    const members = page.getByRole("region", { name: "Members" });
    await members.getByText("ada@example.com").waitFor();
    await members.getByLabel("Email address").fill("no address");
    await members.getByLabel("Email address").press("Enter");
    await members.getByText("Enter an email address, such as name@example.com.").waitFor();
    await members.getByLabel("Email address").fill("nobody@example.com");
    await members.getByLabel("Email address").press("Enter");
    await members.getByRole("alert").filter({ hasText: "No account" }).waitFor();
    await members.getByLabel("Email address").fill(bob.email);
    await members.getByLabel("Email address").press("Enter");
    const row = members.getByRole("listitem").filter({ hasText: "bob@example.com" });
    await row.getByLabel("Role of Bob").selectOption("viewer");
    await expect
      .poll(async () => (await bob.client.listProjects({ query: {} })).projects.map(({ role }) => role))
      .toEqual(["viewer"]);
    await checkAccess(page, "members");
    await row.getByRole("button", { name: "Remove Bob" }).press("Enter");
    await page.getByRole("alertdialog").getByText("They lose access at once").waitFor();
    await checkAccess(page, "removing a member");
    await page.getByRole("button", { name: "Remove", exact: true }).press("Enter");
    await row.waitFor({ state: "detached" });
    expect((await bob.client.listProjects({ query: {} })).projects).toEqual([]);
  });

for (const [name, options] of devicesOf(0))
  test.skipIf(noBrowser)(
    `a shared thread shows its authors, a viewer only reads it, and it can be shared and made private on ${name}`,
    async () => {
      const instance = await startInstance({ env: accountsOn, script });
      const { ada, bob, cy, projectId } = await shareProject(instance);
      await bob.client.createThread({ body: { id: "shared", projectId, title: "Herons" } });
      await ask(bob, "shared", "b1", "Which birds wade?");
      await ask(ada, "shared", "a1", "And which ones dive?");
      const page = await openAs(instance.url, cy, "/t/shared", options);
      await page.getByRole("article", { name: "Bob" }).getByText("Which birds wade?").waitFor();
      await page.getByRole("article", { name: "Ada" }).getByText("And which ones dive?").waitFor();
      await page.getByRole("img", { name: "Shared with the members of its project" }).first().waitFor();
      await page.getByRole("note").filter({ hasText: "You can read this thread" }).waitFor();
      expect(await composerOf(page).count()).toBe(0);
      expect(await page.getByRole("button", { name: "Edit" }).count()).toBe(0);
      await checkAccess(page, "a shared thread as a viewer");

      // Bob writes in it, and his message has his name.
      const own = await openAs(instance.url, bob, "/t/shared", options);
      await composerOf(own).fill("Third question");
      await composerOf(own).press("ControlOrMeta+Enter");
      await page.getByRole("article", { name: "Bob" }).getByText("Third question").waitFor();
      await expect
        .poll(async () => (await bob.client.listRuns({ params: { threadId: "shared" }, query: {} })).runs[0]?.state)
        .toBe("ended");

      await own.goto(`${instance.url}/p/plan/new`);
      await own.getByText("The members of this project will see this thread.").waitFor();
      await bob.client.createThread({ body: { id: "private", projectId, title: "Mine", shared: false } });
      await ask(bob, "private", "p1", "Only for me");
      await own.goto(`${instance.url}/t/private`);
      await own.getByText("Only for me").waitFor();
      await own.keyboard.press("ControlOrMeta+k");
      await own.getByRole("combobox").fill("Share this thread");
      await own.getByRole("option", { name: /Share/ }).first().click();
      const section = own.getByRole("region", { name: "Members of the project" });
      await section.getByText("Only you can see this thread.").waitFor();
      await section.getByText("Records of its earlier prompts are deleted").waitFor();
      await checkAccess(own, "sharing with members");
      await section.getByRole("button", { name: "Share with members" }).click();
      await section.getByText("The members of its project can see this thread.").waitFor();
      expect((await cy.client.getThread({ params: { threadId: "private" }, query: {} })).thread.title).toBe("Mine");
      await section.getByRole("button", { name: "Make private" }).click();
      await section.getByText("Only you can see this thread.").waitFor();
    },
  );

test.skipIf(noBrowser)("an instance for one user shows neither members nor authors", async () => {
  const { url, client, start, send, follow } = await startInstance({ script });
  await client.createProject({ body: { id: "plan", name: "Plan" } });
  const threadId = await start({ projectId: "plan" });
  await send(threadId, "Hello");
  await follow(threadId).ended();
  const page = await openAs(url, { cookie: "none=none" } as Parameters<typeof openAs>[1], "/p/plan/settings");
  await page.getByRole("heading", { name: "Delete" }).first().waitFor();
  expect(await page.getByRole("region", { name: "Members" }).count()).toBe(0);
  await page.goto(`${url}/t/${threadId}`);
  await page.getByRole("article", { name: "You" }).getByText("Hello").waitFor();
  expect(await page.getByRole("img", { name: /Shared with/ }).count()).toBe(0);
});
