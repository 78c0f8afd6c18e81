import { expect, test } from "vitest";
import { accountsOn } from "../../support/accounts/accounts-instance.ts";
import { createGroup } from "../../support/accounts/groups.ts";
import { shareProject } from "../../support/accounts/shared-project.ts";
import { say, startInstance } from "../../support/instance.ts";
import { checkAccess, devicesOf } from "../check-access.ts";
import { noBrowser } from "../open-page.ts";
import { openAs } from "./open-as.ts";

const script = () => say("An answer.");

for (const [name, options] of devicesOf(1))
  test.skipIf(noBrowser)(`an admin creates, fills, renames and deletes a group on ${name}`, async () => {
    const instance = await startInstance({ env: accountsOn, script });
    const { ada, bob } = await shareProject(instance);
    const page = await openAs(instance.url, ada, "/settings/people", { ...options, allowErrors: true });
    const groups = page.getByRole("region", { name: "Groups" });
    const create = groups.getByRole("form", { name: "New group" });
    await create.getByLabel("New group").fill("Herons");
    await create.getByLabel("New group").press("Enter");
    const row = groups.getByRole("listitem", { name: "Herons" });
    await row.locator("summary").press("Enter");
    await row.getByText("No one is in this group.").waitFor();
    await row.getByLabel("Person to add").selectOption(bob.userId);
    await row.getByRole("button", { name: "Add" }).press("Enter");
    await row.getByText("bob@example.com").waitFor();
    await row.getByText("1 person").waitFor();
    await checkAccess(page, "a group of users");
    await create.getByLabel("New group").fill("herons");
    await create.getByLabel("New group").press("Enter");
    await create.getByRole("alert").filter({ hasText: "Another group has the name" }).waitFor();
    await row.getByRole("form", { name: "Name" }).getByLabel("Name").fill("Storks");
    await row.getByRole("form", { name: "Name" }).getByLabel("Name").press("Enter");
    const renamed = groups.getByRole("listitem", { name: "Storks" });
    await renamed.waitFor();
    expect((await ada.client.listGroups({})).groups.map((group) => [group.name, group.people])).toEqual([
      ["Storks", 1],
    ]);
    await renamed.getByRole("button", { name: "Remove Bob from the group" }).press("Enter");
    await renamed.getByText("0 people").waitFor();
    await renamed.getByRole("button", { name: "Delete Storks" }).press("Enter");
    await page.getByRole("alertdialog").getByText("Their accounts stay.").waitFor();
    await page.getByRole("alertdialog").getByRole("button", { name: "Delete group" }).press("Enter");
    await renamed.waitFor({ state: "detached" });
    expect((await ada.client.listGroups({})).groups).toEqual([]);
    await page.goto(`${instance.url}/settings/activity`);
    await page.getByRole("list", { name: "Activity" }).getByText("Ada deleted the group").waitFor();
  });

for (const [name, options] of devicesOf(1))
  test.skipIf(noBrowser)(
    `the owner of a project adds a group, changes its role and removes it on ${name}`,
    async () => {
      const instance = await startInstance({ env: accountsOn, script });
      const { ada, cy, dee } = await shareProject(instance);
      await createGroup(ada, "birds", [cy, dee]);
      const page = await openAs(instance.url, ada, "/p/plan/settings", options);
      const members = page.getByRole("region", { name: "Members" });
      const form = members.getByRole("form", { name: "Add member" });
      await form.getByRole("button", { name: "Group" }).press("Enter");
      await form.getByLabel("Group").selectOption("birds");
      await checkAccess(page, "adding a group to a project");
      await form.getByRole("button", { name: "Add", exact: true }).press("Enter");
      const group = members.getByRole("list", { name: "Groups" }).getByRole("listitem", { name: "Group birds" });
      await group.getByText("2 people").waitFor();
      const row = members.getByRole("listitem").filter({ hasText: "dee@example.com" });
      await row.getByText("Through Group birds").waitFor();
      expect(await row.getByRole("button", { name: "Remove Dee" }).count()).toBe(0);
      await checkAccess(page, "members through a group");
      const roleOf = async () => (await dee.client.listProjects({ query: {} })).projects.map(({ role }) => role).join();
      expect(await roleOf()).toBe("editor");
      await group.getByLabel("Role of Group birds").selectOption("viewer");
      await expect.poll(roleOf).toBe("viewer");
      await group.getByRole("button", { name: "Remove Group birds" }).press("Enter");
      await page.getByRole("alertdialog").getByText("unless they have another role here").waitFor();
      await page.getByRole("alertdialog").getByRole("button", { name: "Remove" }).press("Enter");
      await row.waitFor({ state: "detached" });
      expect(await roleOf()).toBe("");
      // Cy was added by email address, too.
      await members.getByText("cy@example.com").waitFor();
    },
  );
