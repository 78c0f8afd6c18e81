import { expect, test } from "vitest";
import type { ModelRequest } from "../../../protocol/model.ts";
import { say } from "../../support/instance.ts";
import { accountsOn, send, type Person } from "../../support/accounts/accounts-instance.ts";
import { ask, shareProject, statusOf } from "../../support/accounts/shared-project.ts";
import { describeOnBoth } from "../settings/on-both.ts";

const env = accountsOn;
const script = () => say("An answer.");

describeOnBoth("members of a project", (start) => {
  test("viewers read, editors write, the owner manages members, and others find nothing", async () => {
    const instance = await start({ env, script });
    const { url } = instance;
    const { ada, bob, cy, dee, projectId } = await shareProject(instance);
    const { members } = await ada.client.listMembers({ params: { projectId } });
    expect(members.map(({ name, role, email }) => [name, role, email])).toEqual([
      ["Ada", "owner", "ada@example.com"],
      ["Bob", "editor", "bob@example.com"],
      ["Cy", "viewer", "cy@example.com"],
    ]);
    // Others see names, and only their own address.
    const { members: seen } = await bob.client.listMembers({ params: { projectId } });
    expect(seen.map(({ name, email }) => [name, email])).toEqual([
      ["Ada", null],
      ["Bob", "bob@example.com"],
      ["Cy", null],
    ]);
    for (const [person, role] of [
      [ada, "owner"],
      [bob, "editor"],
      [cy, "viewer"],
    ] as const) {
      const { projects } = await person.client.listProjects({ query: {} });
      expect(projects.map((project) => [project.name, project.role])).toEqual([["Plan", role]]);
    }
    expect((await dee.client.listProjects({ query: {} })).projects).toEqual([]);

    const at = `/api/projects/${projectId}`;
    const write = (id: string) => ({ id, ops: [{ do: "write", path: `${id}.md`, was: null, text: "Words" }] });
    const act = (id: string) => ({ id, ops: [{ do: "create", id: `e-${id}`, kind: "task", title: "A task" }] });
    const tried = async (person: Person, name: string) => [
      await statusOf(url, `GET ${at}`, person),
      await statusOf(url, `POST ${at}/files`, person, write(`file-${name}`)),
      await statusOf(url, `POST ${at}/acts`, person, act(`act-${name}`)),
      await statusOf(url, `POST ${at}/members`, person, { email: dee.email, role: "none" }),
      await statusOf(url, `PATCH ${at}/members/${cy.userId}`, person, { role: "viewer" }),
      await statusOf(url, `POST ${at}/transfer`, person, { userId: dee.userId }),
      await statusOf(url, `DELETE ${at}/members/${ada.userId}`, person),
    ];
    expect(await tried(ada, "ada")).toEqual([200, 200, 200, 400, 200, 404, 409]);
    expect(await tried(bob, "bob")).toEqual([200, 200, 200, 400, 403, 403, 403]);
    expect(await tried(cy, "cy")).toEqual([200, 403, 403, 400, 403, 403, 403]);
    expect(await tried(dee, "dee")).toEqual([404, 404, 404, 400, 404, 404, 404]);
    for (const person of [bob, cy]) expect(await statusOf(url, `DELETE ${at}`, person)).toBe(403);
    const { version } = await ada.client.getProject({ params: { projectId } }).then(({ project }) => project);
    const change = (id: string, more: object) => ({ id, version, ...more });
    expect(await statusOf(url, `PATCH ${at}`, bob, change("c1", { archived: true }))).toBe(403);
    expect(await statusOf(url, `PATCH ${at}`, cy, change("c2", { name: "Mine" }))).toBe(403);
    expect(await statusOf(url, `PATCH ${at}`, bob, change("c3", { instructions: "Be brief." }))).toBe(200);
  });

  test("changes are audited, announced to everyone in the project, and refused for the last owner and unknown addresses", async () => {
    const instance = await start({ env, script });
    const { url } = instance;
    const { ada, bob, cy, dee, projectId } = await shareProject(instance);
    const at = `/api/projects/${projectId}`;
    const add = (email: string) => statusOf(url, `POST ${at}/members`, ada, { email, role: "viewer" });
    expect(await add("nobody@example.com")).toBe(400);
    expect(await add(bob.email)).toBe(409);
    expect(await add(ada.email)).toBe(409);
    await ada.client.changePerson({ params: { userId: dee.userId }, body: { state: "suspended" } });
    expect(await add(dee.email)).toBe(400);
    await ada.client.changeMember({ params: { projectId, userId: cy.userId }, body: { role: "editor" } });
    await ada.client.transferProject({ params: { projectId }, body: { userId: bob.userId } });
    const { members } = await ada.client.listMembers({ params: { projectId } });
    expect(members.map(({ name, role }) => [name, role])).toEqual([
      ["Bob", "owner"],
      ["Ada", "editor"],
      ["Cy", "editor"],
    ]);
    expect(await statusOf(url, `DELETE ${at}/members/${bob.userId}`, bob)).toBe(409);
    expect(await statusOf(url, `DELETE ${at}/members/${bob.userId}`, ada)).toBe(403);
    await ada.client.removeMember({ params: { projectId, userId: ada.userId } });
    await bob.client.removeMember({ params: { projectId, userId: cy.userId } });
    // An admin is not a member.
    expect(await statusOf(url, `GET ${at}`, ada)).toBe(404);
    expect(await statusOf(url, `GET ${at}`, cy)).toBe(404);
    const { entries } = await ada.client.listAudit({ query: { limit: 100 } });
    const audited = entries.filter(({ action }) => action.startsWith("project-"));
    expect(audited.map(({ action, target }) => [action, target?.name]).toReversed()).toEqual([
      ["project-member-added", "Bob"],
      ["project-member-added", "Cy"],
      ["project-role-changed", "Cy"],
      ["project-transferred", "Bob"],
      ["project-left", "Ada"],
      ["project-member-removed", "Cy"],
    ]);
    const { rows } = await instance.server.store.read
      .events(`project:${projectId}`, 0, 1000)
      .then((found) => ({ rows: found.map(({ body }) => JSON.parse(body) as { type: string }) }));
    expect(rows.filter(({ type }) => type === "members-changed")).toHaveLength(6);
    // The list of a removed user loses the project, and its earlier contents.
    const gone = await instance.server.store.read.events(`user:${cy.userId}`, 0, 1000);
    const left = gone.map(({ body }) => JSON.parse(body) as { type: string; project?: object | null });
    expect(left.filter(({ type }) => type === "project-changed")).toEqual([
      { type: "project-changed", projectId, project: null },
    ]);
  });

  test("deleting all data leaves the projects of others with their threads, and waits for an owner with members", async () => {
    const instance = await start({ env, script });
    const { url } = instance;
    const { ada, bob, projectId } = await shareProject(instance);
    const threadId = "bobs";
    await bob.client.createThread({ body: { id: threadId, projectId, title: "Started by Bob" } });
    await ask(bob, threadId, "b1", "Words of Bob");
    await ask(ada, threadId, "a1", "Words of Ada");
    const erase = (person: Person) =>
      send(url, "POST /api/delete-everything", {
        cookie: person.cookie,
        body: { id: "erase", confirm: "delete everything", costs: true },
      });
    expect((await erase(ada)).status).toBe(409);
    expect((await erase(bob)).status).toBe(200);
    const { thread, messages } = await ada.client.getThread({ params: { threadId }, query: {} });
    expect(thread).toMatchObject({ title: "Started by Bob", shared: true, role: "owner" });
    expect(JSON.stringify(messages)).toContain("Words of Bob");
    expect(JSON.stringify(messages)).toContain("Words of Ada");
    expect(await statusOf(url, `GET /api/threads/${threadId}`, bob)).toBe(404);
    expect((await ada.client.listMembers({ params: { projectId } })).members.map(({ name }) => name)).toEqual([
      "Ada",
      "Cy",
    ]);
  });
});

describeOnBoth("a private thread", (start) => {
  test("stays private in a shared project, and shows nothing of its prompts when it is shared", async () => {
    const prompts: ModelRequest[] = [];
    const instance = await start({
      env,
      script: (request) => {
        prompts.push(request);
        return say("An answer.");
      },
    });
    const { url } = instance;
    const { ada, bob, cy, projectId } = await shareProject(instance);
    await bob.client.setMemory({ body: { id: "m", field: "location", value: "secret-memory" } });
    await bob.client.setPreferences({ body: { instructions: "secret-instructions" } });
    const threadId = "bobs";
    await bob.client.createThread({ body: { id: threadId, projectId, shared: false, title: "Mine" } });
    await ask(bob, threadId, "b1", "First question");
    expect(JSON.stringify(prompts[0])).toContain("secret-memory");
    expect(JSON.stringify(prompts[0])).toContain("secret-instructions");
    for (const person of [ada, cy]) {
      expect(await statusOf(url, `GET /api/threads/${threadId}`, person)).toBe(404);
      expect((await person.client.listThreads({ query: { projectId } })).threads).toEqual([]);
    }
    expect((await bob.client.listMembers({ params: { projectId } })).privateThreads).toBe(1);

    await bob.client.changeThread({ params: { threadId }, body: { id: "share", shared: true } });
    for (const person of [ada, cy, bob]) {
      const parts: string[] = [];
      for (const route of ["", "/messages", "/context", "/receipts", "/export?format=json&branches=all", "/runs"]) {
        const { status, body } = await send(url, `GET /api/threads/${threadId}${route}`, { cookie: person.cookie });
        expect(status).toBe(200);
        parts.push(JSON.stringify(body));
      }
      const stored = await instance.server.store.read.events(`thread:${threadId}`, 0, 1000);
      const all = [...parts, JSON.stringify(stored)].join();
      expect(all).toContain("First question");
      expect(all).not.toContain("secret-");
    }
    expect((await ada.client.listThreads({ query: { projectId } })).threads).toMatchObject([
      { id: threadId, shared: true, role: "owner", seenAt: 0 },
    ]);
    // Later prompts have no memory of any user, and name the authors.
    await ada.client.setMemory({ body: { id: "m", field: "location", value: "secret-of-ada" } });
    await ask(ada, threadId, "a1", "Second question");
    await ask(bob, threadId, "b2", "Third question");
    expect(prompts).toHaveLength(3);
    for (const prompt of prompts.slice(1)) {
      const text = JSON.stringify(prompt);
      expect(text).toContain("First question");
      expect(text).toContain("[Message from Bob]");
      expect(text).not.toContain("secret-");
      expect(prompt.tools.map(({ name }) => name)).not.toContain("working_memory");
    }
    expect(JSON.stringify(prompts[2])).toContain("[Message from Ada]");
    const { messages } = await cy.client.getThread({ params: { threadId }, query: {} });
    const asked = messages.filter(({ role }) => role === "user");
    expect(asked.map(({ author }) => author?.name)).toEqual(["Bob", "Ada", "Bob"]);
    // The answers' costs are of those who asked.
    const calls = await Promise.all(
      [ada, bob, cy].map(async (person) => (await person.client.getCosts({ query: { by: "thread" } })).total.calls),
    );
    expect(calls).toEqual([1, 2, 0]);

    // Unsharing it takes it back.
    expect(await statusOf(url, `PATCH /api/threads/${threadId}`, cy, { id: "x", shared: false })).toBe(403);
    await bob.client.changeThread({ params: { threadId }, body: { id: "unshare", shared: false } });
    for (const person of [ada, cy]) expect(await statusOf(url, `GET /api/threads/${threadId}`, person)).toBe(404);
    expect(await statusOf(url, `GET /api/threads/${threadId}`, bob)).toBe(200);
  });
});
