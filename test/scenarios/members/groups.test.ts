import { expect, test } from "vitest";
import { accountsOn, send, type Person } from "../../support/accounts/accounts-instance.ts";
import { createGroup } from "../../support/accounts/groups.ts";
import { ask, shareProject, statusOf } from "../../support/accounts/shared-project.ts";
import { say } from "../../support/instance.ts";
import { describeOnBoth } from "../settings/on-both.ts";

const env = accountsOn;
const script = () => say("An answer.");

describeOnBoth("groups of users", (start) => {
  test("only admins manage groups; names are unique, and other users see names without people", async () => {
    const instance = await start({ env, script });
    const { url } = instance;
    const { ada, bob, cy } = await shareProject(instance);
    await createGroup(ada, "birds", [bob, cy]);
    // Repeating a request changes nothing.
    await createGroup(ada, "birds", [bob]);
    expect(await statusOf(url, "POST /api/groups", ada, { id: "birds", name: "Other" })).toBe(409);
    expect(await statusOf(url, "POST /api/groups", ada, { id: "more", name: "GROUP birds" })).toBe(409);
    expect(await statusOf(url, "POST /api/groups", ada, { id: "fish", name: "Fish" })).toBe(201);
    expect(await statusOf(url, "PATCH /api/groups/fish", ada, { name: "group Birds" })).toBe(409);
    expect(await statusOf(url, "PATCH /api/groups/fish", ada, { name: "Fishes" })).toBe(200);
    expect((await bob.client.listGroups({})).groups).toEqual([
      { id: "fish", name: "Fishes", people: 0 },
      { id: "birds", name: "Group birds", people: 2 },
    ]);
    const details = await ada.client.getGroup({ params: { groupId: "birds" } });
    expect(details.people.map(({ name, email }) => [name, email])).toEqual([
      ["Bob", "bob@example.com"],
      ["Cy", "cy@example.com"],
    ]);
    for (const person of [ada, bob]) {
      const at = "/api/groups/birds";
      const tried = [
        await statusOf(url, "POST /api/groups", person, { id: "new", name: "" }),
        await statusOf(url, `GET ${at}`, person),
        await statusOf(url, `PATCH ${at}`, person, { name: "Group birds" }),
        await statusOf(url, `PUT ${at}/people/nobody`, person),
        await statusOf(url, `DELETE ${at}/people/nobody`, person),
        await statusOf(url, "DELETE /api/groups/nothing", person),
      ];
      expect(tried).toEqual(person === ada ? [400, 200, 200, 404, 404, 404] : [403, 403, 403, 403, 403, 403]);
    }
    await ada.client.removeGroupPerson({ params: { groupId: "birds", userId: cy.userId } });
    await ada.client.deleteGroup({ params: { groupId: "fish" } });
    const { entries } = await ada.client.listAudit({ query: { limit: 100 } });
    const audited = entries.filter(({ action }) => action.startsWith("group-")).toReversed();
    expect(
      audited.map(({ action, actor, target, detail }) => [action, actor?.name, target?.name, detail["name"]]),
    ).toEqual([
      ["group-created", "Ada", undefined, "Group birds"],
      ["group-person-added", "Ada", "Bob", "Group birds"],
      ["group-person-added", "Ada", "Cy", "Group birds"],
      ["group-created", "Ada", undefined, "Fish"],
      ["group-renamed", "Ada", undefined, undefined],
      ["group-person-removed", "Ada", "Cy", "Group birds"],
      ["group-deleted", "Ada", undefined, "Fishes"],
    ]);
  });

  test("a user has the highest of the own role and those of groups, and loses nothing that another role gives", async () => {
    const instance = await start({ env, script });
    const { url } = instance;
    const { ada, bob, cy, dee, projectId } = await shareProject(instance);
    await createGroup(ada, "all", [ada, bob, cy, dee]);
    await createGroup(ada, "writers", [cy, dee]);
    const roleOf = async (person: Person) =>
      (await person.client.listProjects({ query: {} })).projects.map(({ role }) => role).join();
    const roles = async () => Promise.all([ada, bob, cy, dee].map(roleOf));
    expect(await roles()).toEqual(["owner", "editor", "viewer", ""]);
    const set = (groupId: string, role: "editor" | "viewer") =>
      ada.client.setProjectGroup({ params: { projectId, groupId }, body: { role } });
    await set("all", "viewer");
    expect(await roles()).toEqual(["owner", "editor", "viewer", "viewer"]);
    const { members, groups } = await set("writers", "editor");
    expect(await roles()).toEqual(["owner", "editor", "editor", "editor"]);
    expect(groups).toEqual([
      { groupId: "all", name: "Group all", role: "viewer", people: 4 },
      { groupId: "writers", name: "Group writers", role: "editor", people: 2 },
    ]);
    expect(members.map(({ name, role, ownRole, groups: through }) => [name, role, ownRole, ...through])).toEqual([
      ["Ada", "owner", null],
      ["Bob", "editor", "editor", "Group all"],
      ["Cy", "editor", "viewer", "Group all", "Group writers"],
      ["Dee", "editor", null, "Group all", "Group writers"],
    ]);
    const write = (id: string) => ({ id, ops: [{ do: "create", id, kind: "task", title: "A task" }] });
    const at = `/api/projects/${projectId}`;
    expect(await statusOf(url, `POST ${at}/acts`, dee, write("d1"))).toBe(200);
    // A role through a group is changed only with the group, and a group cannot own a project.
    expect(await statusOf(url, `PATCH ${at}/members/${dee.userId}`, ada, { role: "viewer" })).toBe(409);
    expect(await statusOf(url, `DELETE ${at}/members/${dee.userId}`, dee)).toBe(409);
    expect(await statusOf(url, `POST ${at}/transfer`, ada, { userId: "writers" })).toBe(404);
    expect(await statusOf(url, `PUT ${at}/groups/all`, ada, { role: "owner" })).toBe(400);
    expect(await statusOf(url, `PUT ${at}/groups/nothing`, ada, { role: "viewer" })).toBe(404);
    for (const person of [bob, cy]) {
      expect(await statusOf(url, `PUT ${at}/groups/all`, person, { role: "editor" })).toBe(403);
      expect(await statusOf(url, `DELETE ${at}/groups/all`, person)).toBe(403);
    }

    await set("writers", "viewer");
    expect(await roles()).toEqual(["owner", "editor", "viewer", "viewer"]);
    expect(await statusOf(url, `POST ${at}/acts`, dee, write("d2"))).toBe(403);
    await ada.client.removeProjectGroup({ params: { projectId, groupId: "writers" } });
    expect(await roles()).toEqual(["owner", "editor", "viewer", "viewer"]);
    await ada.client.removeMember({ params: { projectId, userId: bob.userId } });
    expect(await roles()).toEqual(["owner", "viewer", "viewer", "viewer"]);
    await ada.client.removeGroupPerson({ params: { groupId: "all", userId: dee.userId } });
    expect(await roles()).toEqual(["owner", "viewer", "viewer", ""]);
    expect(await statusOf(url, `GET ${at}`, dee)).toBe(404);
    await ada.client.deleteGroup({ params: { groupId: "all" } });
    expect(await roles()).toEqual(["owner", "", "viewer", ""]);

    const { entries } = await ada.client.listAudit({ query: { limit: 100 } });
    const audited = entries.filter(({ action }) => action.startsWith("project-group")).toReversed();
    expect(audited.map(({ action, detail }) => [action, detail["name"]])).toEqual([
      ["project-group-added", "Group all"],
      ["project-group-added", "Group writers"],
      ["project-group-role-changed", "Group writers"],
      ["project-group-removed", "Group writers"],
      ["project-group-removed", "Group all"],
    ]);
  });

  test("a project is transferred to a user of a group, and deleted data and accounts leave their groups", async () => {
    const instance = await start({ env, script });
    const { url } = instance;
    const { ada, bob, cy, dee, projectId } = await shareProject(instance);
    await createGroup(ada, "all", [bob, dee, cy]);
    const place = { projectId, groupId: "all" };
    await ada.client.setProjectGroup({ params: place, body: { role: "editor" } });
    await dee.client.createThread({ body: { id: "dees", projectId } });
    await ask(dee, "dees", "m1", "From Dee");
    const erased = await send(url, "POST /api/delete-everything", {
      cookie: dee.cookie,
      body: { id: "erase", confirm: "delete everything", costs: false },
    });
    expect(erased.status, JSON.stringify(erased.body)).toBe(200);
    expect(await statusOf(url, "GET /api/threads/dees", dee)).toBe(404);
    // What Dee shared stays in the project.
    await expect
      .poll(async () => (await ada.client.getThread({ params: { threadId: "dees" } })).messages.length)
      .toBe(2);
    expect((await ada.client.getGroup({ params: { groupId: "all" } })).people.map(({ name }) => name)).toEqual([
      "Bob",
      "Cy",
    ]);

    await ada.client.transferProject({ params: { projectId }, body: { userId: cy.userId } });
    const { members } = await cy.client.listMembers({ params: { projectId } });
    expect(members.map(({ name, role, ownRole }) => [name, role, ownRole])).toEqual([
      ["Cy", "owner", null],
      ["Ada", "editor", "editor"],
      ["Bob", "editor", "editor"],
    ]);
    await ada.client.deletePerson({ params: { userId: bob.userId }, body: { id: "delete", owners: [] } });
    expect((await ada.client.getGroup({ params: { groupId: "all" } })).people.map(({ name }) => name)).toEqual(["Cy"]);
    const { entries } = await ada.client.listAudit({ query: { limit: 100 } });
    expect(
      entries.filter(({ action }) => /^group-(left|person-removed)/.test(action)).map(({ action }) => action),
    ).toEqual(["group-person-removed", "group-left"]);
    await cy.client.deleteProject({ params: { projectId } });
    expect((await ada.client.getGroup({ params: { groupId: "all" } })).projects).toBe(0);
  });
});
