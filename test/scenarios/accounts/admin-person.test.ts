import { expect, test } from "vitest";
import { accountsOn, clientOf, join, send, signIn, watchStream } from "../../support/accounts/accounts-instance.ts";
import { ask, shareProject } from "../../support/accounts/shared-project.ts";
import { say } from "../../support/instance.ts";
import { query } from "../../support/server/database.ts";
import { describeOnBoth } from "../settings/on-both.ts";

const canary = "bobs-secret-content";

describeOnBoth("one account, for admins", (start, kind) => {
  const open = async () => {
    const script = () => say("An answer.");
    const first = await start({ env: accountsOn, script });
    const second = kind === "postgres" ? await start({ env: accountsOn, script }, first.databaseUrl) : first;
    return { first, second, place: kind === "postgres" ? first : { dataDir: first.dataDir } };
  };

  test("shows keys and sessions, and ends them with their streams on another node, without showing contents", async () => {
    const { first, second } = await open();
    const { ada, bob } = await shareProject(second);
    await bob.client.createProject({ body: { id: "own", name: canary } });
    await bob.client.createThread({ body: { id: "bobs", title: canary } });
    const { token } = await bob.client.createKey({ body: { id: "laptop", name: "Laptop", scopes: ["read"] } });
    await bob.client.createKey({ body: { id: "other", name: "Other", scopes: ["chat"] } });
    const phone = await signIn(first.url, bob.email, undefined, { "user-agent": "Phone" });
    const asKey = { authorization: `Bearer ${token}` };
    const [byKey, byPhone, control] = await Promise.all([
      watchStream(first.url, "/api/stream?after=0", asKey),
      watchStream(first.url, "/api/threads/bobs/stream?after=0", { cookie: phone.cookie }),
      watchStream(first.url, "/api/threads/bobs/stream?after=0", { cookie: bob.cookie }),
    ]);
    const params = { userId: bob.userId };
    const before = await ada.client.getPerson({ params });
    expect(JSON.stringify(before)).not.toContain(canary);
    expect(before.keys.map(({ name, usedAt }) => [name, usedAt !== null])).toEqual(
      expect.arrayContaining([
        ["Laptop", true],
        ["Other", false],
      ]),
    );
    expect(before.sessions).toHaveLength(2);
    expect(before.sessions.some(({ current }) => current)).toBe(false);
    const session = before.sessions.find(({ agent }) => agent === "Phone");
    expect(await ada.client.revokePersonKey({ params: { ...params, keyId: "laptop" } })).toEqual({ id: "laptop" });
    await ada.client.endPersonSession({ params: { ...params, sessionId: session?.id ?? "" } });
    await Promise.all([byKey.ended, byPhone.ended]);
    await bob.client.changeThread({ params: { threadId: "bobs" }, body: { id: "t1", title: "A later title" } });
    await expect.poll(() => control.seen.text.includes("A later title")).toBe(true);
    for (const { seen } of [byKey, byPhone]) expect(seen.text).not.toContain("A later title");
    const after = await ada.client.getPerson({ params });
    expect(after.keys.map(({ name }) => name)).toEqual(["Other"]);
    expect(after.sessions).toHaveLength(1);
    const { entries } = await ada.client.listAudit({ params: {}, query: { limit: 2 } });
    expect(entries.map(({ action, actor, target }) => [action, actor?.name, target?.name])).toEqual([
      ["session-ended-by-admin", "Ada", "Bob"],
      ["key-revoked-by-admin", "Ada", "Bob"],
    ]);
    // A foreign or unknown id is not found, and members may do none of it.
    const statusOf = async (route: string, cookie: string) => (await send(first.url, route, { cookie })).status;
    expect(await statusOf(`DELETE /api/people/${ada.userId}/keys/other`, ada.cookie)).toBe(404);
    expect(await statusOf(`DELETE /api/people/${bob.userId}/sessions/unknown`, ada.cookie)).toBe(404);
    expect(await statusOf("GET /api/people/nobody", ada.cookie)).toBe(404);
    expect(await statusOf(`GET /api/people/${ada.userId}`, bob.cookie)).toBe(403);
    expect(await statusOf(`DELETE /api/people/${bob.userId}/keys/other`, bob.cookie)).toBe(403);
  });

  test("transfers a project only to one of its members", async () => {
    const { first, second } = await open();
    const { ada, bob, cy, dee, projectId } = await shareProject(second);
    const eve = await join(first.url, ada, { email: "eve@example.com", role: "admin" });
    const transfer = (to: string, id = projectId) =>
      send(first.url, `POST /api/people/${ada.userId}/transfer`, { cookie: eve.cookie, body: { projectId: id, to } });
    expect((await eve.client.getPerson({ params: { userId: ada.userId } })).projects).toMatchObject([
      { id: projectId, members: [{ name: "Bob" }, { name: "Cy" }] },
    ]);
    expect((await transfer(dee.userId)).status).toBe(404);
    expect((await transfer(eve.userId)).status).toBe(404);
    expect((await transfer(bob.userId, "no-project")).status).toBe(404);
    expect((await transfer(bob.userId)).status).toBe(200);
    const { members } = await bob.client.listMembers({ params: { projectId } });
    expect(members.map(({ userId, role }) => [userId, role])).toEqual(
      expect.arrayContaining([
        [bob.userId, "owner"],
        [ada.userId, "editor"],
        [cy.userId, "viewer"],
      ]),
    );
    expect((await send(first.url, `GET /api/projects/${projectId}`, { cookie: eve.cookie })).status).toBe(404);
    const { entries } = await eve.client.listAudit({ params: {}, query: { limit: 1 } });
    expect(entries[0]).toMatchObject({ action: "project-transferred", actor: { name: "eve" } });
  });

  test("deletes an account with all its data, and nothing of others is lost", async () => {
    const { first, second, place } = await open();
    const { ada, bob, cy, projectId } = await shareProject(second);
    // Bob owns a project with Cy, wrote in Ada's project, and has private data.
    await bob.client.createProject({ body: { id: "bobs", name: "Ours" } });
    await bob.client.addMember({ params: { projectId: "bobs" }, body: { email: cy.email, role: "editor" } });
    await cy.client.createThread({ body: { id: "cys", projectId: "bobs" } });
    await ask(cy, "cys", "c1", "Words of Cy.");
    await bob.client.createThread({ body: { id: "in-adas", projectId } });
    await ask(bob, "in-adas", "b1", "Words of Bob.");
    await bob.client.createThread({ body: { id: "private" } });
    await ask(bob, "private", "p1", canary);
    await bob.client.setMemory({ body: { id: "memory", field: "notes", value: canary } });
    const { token } = await bob.client.createKey({ body: { id: "k", name: "k", scopes: ["read"] } });
    await ada.client.setPersonLimits({
      params: { userId: bob.userId },
      body: { limits: { dayUsd: 1, monthUsd: null, models: null, storageBytes: null } },
    });
    const stream = await watchStream(first.url, "/api/stream?after=0", { cookie: bob.cookie });
    const remove = (owners: readonly object[], userId = bob.userId, cookie = ada.cookie) =>
      send(second.url, `POST /api/people/${userId}/delete`, { cookie, body: { id: "gone", owners } });

    expect((await remove([], ada.userId)).status).toBe(409);
    expect((await remove([], "nobody")).status).toBe(404);
    expect((await remove([], ada.userId, bob.cookie)).status).toBe(403);
    expect(await remove([])).toMatchObject({ status: 409 });
    expect((await remove([{ projectId: "bobs", to: ada.userId }])).status).toBe(409);
    expect((await bob.client.getMe({})).userId).toBe(bob.userId);
    expect(await remove([{ projectId: "bobs", to: cy.userId }])).toMatchObject({ status: 200 });

    await stream.ended;
    expect((await send(first.url, "GET /api/me", { cookie: bob.cookie })).status).toBe(401);
    expect((await send(first.url, "GET /api/threads", { headers: { authorization: `Bearer ${token}` } })).status).toBe(
      401,
    );
    expect((await signIn(first.url, bob.email)).status).toBe(401);
    expect((await ada.client.listPeople({})).people.map(({ name }) => name)).not.toContain("Bob");
    const { members } = await cy.client.listMembers({ params: { projectId: "bobs" } });
    expect(members.map(({ userId, role }) => [userId, role])).toEqual([[cy.userId, "owner"]]);
    expect(JSON.stringify(await cy.client.getThread({ params: { threadId: "cys" } }))).toContain("Words of Cy.");
    const inAdas = await ada.client.getThread({ params: { threadId: "in-adas" } });
    expect(JSON.stringify(inAdas)).toContain("Words of Bob.");
    for (const table of ["accounts", "sessions", "api_keys", "limits", "memory"] as const) {
      const column = { accounts: "id", limits: "subject" }[table as string] ?? "owner";
      const value = table === "limits" ? `user:${bob.userId}` : bob.userId;
      const rows = await query(place, `select ${column} from ${table} where ${column} = '${value}'`);
      expect(rows, table).toEqual([]);
    }
    await expect.poll(() => query(place, "select id from threads where id = 'private'")).toEqual([]);
    const { entries } = await ada.client.listAudit({ params: {}, query: {} });
    const actions = entries.filter(({ actor }) => actor?.name === "Ada").map(({ action }) => action);
    // The first two are of one commit.
    expect(actions.slice(0, 2).toSorted()).toEqual(["data-deleted", "person-deleted"]);
    expect(actions.slice(2, 5).toSorted()).toEqual([
      "project-member-removed",
      "project-member-removed",
      "project-transferred",
    ]);
    // The address is free again, for a new account without data of the old one.
    const again = await join(first.url, ada, { email: bob.email, name: "Bob" });
    expect(again.userId).not.toBe(bob.userId);
    expect((await clientOf(first.url, again.cookie).listThreads({})).threads).toEqual([]);
  });
});
