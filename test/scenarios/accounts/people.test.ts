import { expect, test } from "vitest";
import { mintId, say, type Instance } from "../../support/instance.ts";
import {
  accountsOn,
  clientOf,
  join,
  password,
  send,
  setUp,
  signIn,
  tokenOf,
  watchStream,
  type Person,
} from "../../support/accounts/accounts-instance.ts";
import { query } from "../../support/server/database.ts";
import { describeOnBoth } from "../settings/on-both.ts";

const cutWithinMs = process.env["STONECHAT_DEEP"] ? 5_000 : 20_000;
type Node = Instance & { readonly databaseUrl: string };
const script = () => say("An answer.");

describeOnBoth("people", (start, kind) => {
  const startNodes = async (options: Parameters<typeof start>[0] = {}): Promise<readonly [Node, Node]> => {
    const first = await start({ ...options, env: { ...accountsOn, ...options.env } });
    if (kind === "sqlite") return [first, first];
    return [first, await start({ ...options, env: { ...accountsOn, ...options.env } }, first.databaseUrl)];
  };
  const placeOf = (node: Node) => (kind === "postgres" ? node : { dataDir: node.dataDir });
  const statusOf = async (url: string, route: string, credentials: Parameters<typeof send>[2]) =>
    (await send(url, route, credentials)).status;

  test("suspending cuts sessions, keys and open streams on another node, and ending it restores keys and shares", async () => {
    const [first, second] = await startNodes({ script });
    const ada = await setUp(second);
    const bob = await join(first.url, ada, { email: "bob@example.com" });
    await bob.client.createThread({ body: { id: "bobs" } });
    const { path } = await bob.client.createShare({ params: { threadId: "bobs" }, body: { id: "share" } });
    const shared = `GET /api/shared/${path.split("/").at(-1) ?? ""}`;
    await bob.client.createProject({ body: { id: "project", name: "Bob's" } });
    const preview = await bob.client.openPreview({ params: { projectId: "project" }, body: {} });
    const { token: key } = await bob.client.createKey({ body: { id: "k", name: "k", scopes: ["read", "chat"] } });
    const asKey = { authorization: `Bearer ${key}` };
    const { token: reset } = await ada.client.createResetLink({ params: { userId: bob.userId }, body: {} });
    const streams = await Promise.all([
      watchStream(second.url, "/api/stream?after=0", { cookie: bob.cookie }),
      watchStream(second.url, "/api/threads/bobs/stream?after=0", { cookie: bob.cookie }),
      watchStream(second.url, "/api/stream?after=0", asKey),
      watchStream(first.url, "/api/stream?after=0", { cookie: bob.cookie }),
    ]);
    const control = await watchStream(second.url, "/api/stream?after=0", { cookie: ada.cookie });
    expect(await statusOf(second.url, shared, {})).toBe(200);
    expect(await statusOf(second.url, `GET ${preview.url}`, {})).not.toBe(404);

    const startedAt = performance.now();
    const suspended = await ada.client.changePerson({ params: { userId: bob.userId }, body: { state: "suspended" } });
    expect(suspended.person).toMatchObject({ state: "suspended", role: "member" });
    for (const { url } of [first, second]) {
      expect(await statusOf(url, "GET /api/me", { cookie: bob.cookie })).toBe(401);
      expect(await statusOf(url, "GET /api/threads", { headers: asKey })).toBe(401);
      expect(await statusOf(url, shared, {})).toBe(404);
      expect(await statusOf(url, `GET ${preview.url}`, {})).toBe(404);
      expect((await signIn(url, bob.email)).status).toBe(401);
      const body = { token: reset, password: "another password entirely" };
      expect(await statusOf(url, "POST /api/password-reset", { body })).toBe(404);
    }
    const endedAt = await Promise.all(streams.map(({ ended }) => ended));
    expect(Math.max(...endedAt) - startedAt).toBeLessThan(cutWithinMs);
    await ada.client.createThread({ body: { id: "adas" } });
    await expect.poll(() => control.seen.text.includes("adas")).toBe(true);

    await ada.client.changePerson({ params: { userId: bob.userId }, body: { state: "active" } });
    expect(await statusOf(first.url, "GET /api/threads/bobs", { headers: asKey })).toBe(200);
    expect(await statusOf(first.url, shared, {})).toBe(200);
    expect(await statusOf(first.url, "GET /api/me", { cookie: bob.cookie })).toBe(401);
    expect((await signIn(first.url, bob.email)).status).toBe(200);
    // The streams were over before the thread that follows was renamed.
    for (const { seen } of streams) expect(seen.text).not.toContain("adas");
  });

  test("suspending stops running answers, keeps queued messages and jobs waiting, and they continue afterwards", async () => {
    const calls: string[] = [];
    const [first, second] = await startNodes({
      env: { STONECHAT_TITLES: "on" },
      script: async function* (request, _, signal) {
        const last = request.messages.at(-1);
        const text = last?.role === "user" ? last.text : "";
        calls.push(text);
        yield { type: "start", key: "t", kind: "text" };
        yield { type: "delta", key: "t", text: "Begun. " };
        if (text === "forever")
          await new Promise((resolve) => signal.addEventListener("abort", resolve, { once: true }));
        yield* say(`re: ${text}`);
      },
    });
    const ada = await setUp(second);
    const bob = await join(first.url, ada, { email: "bob@example.com" });
    const threadId = "bobs";
    await bob.client.createThread({ body: { id: threadId } });
    const sendMessage = (id: string, text: string) =>
      bob.client.sendMessage({ params: { threadId }, body: { id, text } });
    await sendMessage("m1", "forever");
    await expect.poll(() => calls.includes("forever")).toBe(true);
    await sendMessage("m2", "queued");
    await ada.client.changePerson({ params: { userId: bob.userId }, body: { state: "suspended" } });
    const runs = () => query<{ ended: number }>(placeOf(first), "select ended from runs");
    await expect.poll(runs).toMatchObject([{ ended: 1 }]);
    // An answer of another user on each node comes after all wakes of the suspended one.
    for (const [n, node] of [first, second].entries()) {
      const ids = { threadId: `adas-${n}` };
      await ada.client.createThread({ body: { id: ids.threadId } });
      await send(node.url, `POST /api/threads/${ids.threadId}/messages`, {
        ...{ cookie: ada.cookie, body: { id: `a${n}`, text: `ada ${n}` } },
      });
      await expect.poll(async () => (await runs()).filter(({ ended }) => ended === 1).length).toBe(2 + n);
    }
    expect(await first.server.store.read.abandonedThreads(100)).toEqual([]);
    expect(calls).not.toContain("queued");
    expect(await query(placeOf(first), "select id from inputs where state = 'queued'")).toEqual([{ id: "m2" }]);
    await ada.client.changePerson({ params: { userId: bob.userId }, body: { state: "active" } });
    await expect.poll(() => calls.includes("queued")).toBe(true);
    await expect.poll(async () => (await runs()).filter(({ ended }) => ended === 1).length).toBe(4);
  });

  test("the last active admin can be neither demoted nor suspended, also if two admins do it to each other", async () => {
    const [first, second] = await startNodes();
    const ada = await setUp(second);
    // The open response of a session that ends is cut, as a stream is.
    const change = (by: Person, url: string, userId: string, body: object) =>
      statusOf(url, `PATCH /api/people/${userId}`, { cookie: by.cookie, body }).catch(() => "cut" as const);
    expect(await change(ada, first.url, ada.userId, { role: "member" })).toBe(409);
    expect(await change(ada, first.url, ada.userId, { state: "suspended" })).toBe(409);
    const bob = await join(first.url, ada, { email: "bob@example.com", role: "admin" });
    let admins: readonly Person[] = [ada, bob];
    for (let round = 0; round < 10; round += 1) {
      const [one, other] = admins as [Person, Person];
      const body = round % 2 === 0 ? { role: "member" } : { state: "suspended" };
      const statuses = await Promise.all([
        change(one, first.url, other.userId, body),
        change(other, second.url, one.userId, body),
      ]);
      expect(statuses.filter((status) => status === 200)).toHaveLength(1);
      const { people } = await (statuses[0] === 200 ? one : other).client.listPeople({});
      expect(people.filter(({ role, state }) => role === "admin" && state === "active")).toHaveLength(1);
      const [winner, loser] = statuses[0] === 200 ? [one, other] : [other, one];
      expect(await change(winner, first.url, loser.userId, { role: "admin", state: "active" })).toBe(200);
      const signedIn = await signIn(first.url, loser.email);
      admins = [winner, { ...loser, cookie: signedIn.cookie, client: clientOf(first.url, signedIn.cookie) }];
    }
  });

  test("an invitation is used once, also by many at once, and only by its address", async () => {
    const [first, second] = await startNodes();
    const ada = await setUp(second);
    const { token, path, invitation } = await ada.client.createInvitation({ body: { id: "i1", role: "admin" } });
    expect(path).toBe(`/invite#${token}`);
    expect(invitation).toMatchObject({ id: "i1", email: null, role: "admin", createdBy: ada.userId });
    await expect(ada.client.createInvitation({ body: { id: "i1" } })).rejects.toMatchObject({ status: 409 });
    const open = (url: string, given: string) => send(url, "POST /api/invitations/open", { body: { token: given } });
    expect((await open(first.url, token)).body).toMatchObject({ email: null, role: "admin" });
    const accept = (url: string, given: string, email: string) =>
      send(url, "POST /api/invitations/accept", { body: { token: given, name: "Somebody", email, password } });
    expect((await accept(first.url, token, ada.email)).status).toBe(409);
    const replies = await Promise.all(
      Array.from({ length: 8 }, (_, n) => accept([first, second][n % 2]?.url ?? "", token, `new${n}@example.com`)),
    );
    expect(replies.map(({ status }) => status).toSorted()).toEqual([200, 404, 404, 404, 404, 404, 404, 404]);
    expect((await ada.client.listPeople({})).people).toHaveLength(2);
    const unknown = await open(first.url, "x".repeat(43));
    expect((await open(first.url, token)).status).toBe(404);
    expect((await open(first.url, token)).body["error"]).toMatchObject({
      message: (unknown.body["error"] as { message: string }).message,
    });
    expect((await ada.client.listInvitations({})).invitations).toEqual([]);

    const only = await ada.client.createInvitation({ body: { id: "i2", email: "Dora@Example.com" } });
    expect((await accept(first.url, only.token, "eve@example.com")).status).toBe(400);
    expect((await accept(first.url, only.token, "dora@example.com")).status).toBe(200);
    const gone = await ada.client.createInvitation({ body: { id: "i3" } });
    expect(await ada.client.revokeInvitation({ params: { invitationId: "i3" } })).toEqual({ id: "i3" });
    expect((await accept(first.url, gone.token, "eve@example.com")).status).toBe(404);
    await expect(ada.client.revokeInvitation({ params: { invitationId: "i3" } })).rejects.toMatchObject({
      status: 404,
    });
  });

  test("links of an admin who was demoted stop working, and a reset link is used once and ends all sessions", async () => {
    const [first, second] = await startNodes();
    const ada = await setUp(second);
    const bob = await join(first.url, ada, { email: "bob@example.com", role: "admin" });
    const invitation = await bob.client.createInvitation({ body: { id: "i1", role: "admin" } });
    const { path: old } = await ada.client.createResetLink({ params: { userId: bob.userId }, body: {} });
    const { path, token } = await ada.client.createResetLink({ params: { userId: bob.userId }, body: {} });
    expect(path).toBe(`/reset#${token}`);
    const reset = (given: string, next: string) =>
      send(first.url, "POST /api/password-reset", { body: { token: given, password: next } });
    expect((await reset(tokenOf(old), "another password entirely")).status).toBe(404);
    expect((await reset(token, "short")).status).toBe(400);
    const replies = await Promise.all(
      Array.from({ length: 6 }, (_, n) => reset(token, `another password entirely ${n}`)),
    );
    expect(replies.map(({ status }) => status).toSorted()).toEqual([200, 404, 404, 404, 404, 404]);
    expect(await statusOf(second.url, "GET /api/me", { cookie: bob.cookie })).toBe(401);
    expect((await signIn(first.url, bob.email)).status).toBe(401);
    const used = replies.findIndex(({ status }) => status === 200);
    expect((await signIn(first.url, bob.email, `another password entirely ${used}`)).status).toBe(200);
    await ada.client.changePerson({ params: { userId: bob.userId }, body: { role: "member" } });
    const body = { token: invitation.token, name: "Eve", email: "eve@example.com", password };
    expect(await statusOf(first.url, "POST /api/invitations/accept", { body })).toBe(404);
  });

  test("every change has one audit row with who, whom and from where, and no secret", async () => {
    const first = await start({ env: { ...accountsOn, STONECHAT_TRUSTED_PROXIES: "127.0.0.1" } });
    const ada = await setUp(first);
    const bob = await join(first.url, ada, { email: "bob@example.com" });
    const params = { userId: bob.userId };
    const from = { "x-forwarded-for": "192.0.2.9" };
    const spare = await signIn(first.url, bob.email);
    const as = (route: string, person: Person, body: object = {}) =>
      send(first.url, route, { cookie: person.cookie, body, headers: from });
    const next = "another password entirely";
    const steps: readonly (readonly [string, () => Promise<unknown>])[] = [
      ["signed-out", () => send(first.url, "POST /api/sign-out", { cookie: spare.cookie, headers: from })],
      ["signed-in", () => signIn(first.url, bob.email, password, from)],
      ["account-changed", () => as("PATCH /api/account", bob, { name: "Robert" })],
      ["password-changed", () => as("POST /api/account/password", bob, { current: password, next })],
      ["other-sessions-ended", () => as("POST /api/sessions/end-others", bob)],
      ["key-created", () => as("POST /api/keys", bob, { id: "k", name: "k", scopes: ["read"] })],
      ["key-revoked", () => as("DELETE /api/keys/k", bob)],
      ["role-changed", () => as(`PATCH /api/people/${bob.userId}`, ada, { role: "admin" })],
      ["renamed", () => as(`PATCH /api/people/${bob.userId}`, ada, { name: "Bob" })],
      ["reset-link-created", () => as(`POST /api/people/${bob.userId}/reset-link`, ada)],
      ["suspended", () => as(`PATCH /api/people/${bob.userId}`, ada, { state: "suspended" })],
      ["suspension-ended", () => as(`PATCH /api/people/${bob.userId}`, ada, { state: "active" })],
      ["signed-out-by-admin", () => as(`POST /api/people/${bob.userId}/sign-out`, ada)],
      ["invitation-created", () => as("POST /api/invitations", ada, { id: "i2" })],
      ["invitation-revoked", () => as("DELETE /api/invitations/i2", ada)],
      ["model-changed", () => as("PATCH /api/models", ada, { id: "scripted/script", favorite: true })],
      ["provider-changed", () => as("PUT /api/providers/openai/key", ada, { key: "sk-a-secret-key-of-a-test" })],
      ["data-deleted", () => as("POST /api/delete-everything", ada, { id: "d", confirm: "delete everything" })],
    ];
    for (const [action, step] of steps) {
      const before = (await ada.client.listAudit({ query: { limit: 200 } })).entries;
      await step();
      const after = (await ada.client.listAudit({ query: { limit: 200 } })).entries;
      expect(after.length - before.length, action).toBe(1);
      expect(after[0], action).toMatchObject({ action, address: "192.0.2.9" });
    }
    const { entries } = await ada.client.listAudit({ query: { limit: 200 } });
    const about = entries.find(({ action }) => action === "role-changed");
    expect(about).toMatchObject({
      actor: { id: ada.userId, name: "Ada" },
      target: { id: params.userId, name: "Bob" },
      detail: { from: "member", to: "admin" },
    });
    const text = JSON.stringify(entries);
    for (const secret of [password, next, "sk-a-secret", ada.cookie.split("=")[1] ?? ""])
      expect(text).not.toContain(secret);
    const page = await ada.client.listAudit({ query: { limit: 4 } });
    expect(page.entries).toEqual(entries.slice(0, 4));
    const more = await ada.client.listAudit({ query: { limit: 4, before: page.nextBefore ?? "" } });
    expect(more.entries).toEqual(entries.slice(4, 8));
    const place = placeOf(first);
    const [{ count }] = (await query<{ count: number }>(place, "select count(*) as count from audit")) as [
      { count: number },
    ];
    expect(Number(count)).toBe(entries.length);
  });

  test("an admin's deletion of all their data keeps the server's providers and other users' data", async () => {
    const first = await start({ env: accountsOn, script });
    const ada = await setUp(first);
    const bob = await join(first.url, ada, { email: "bob@example.com" });
    await ada.client.setProviderKey({ params: { provider: "openai" }, body: { key: "sk-a-secret-key-of-a-test" } });
    await bob.client.createThread({ body: { id: mintId("bobs") } });
    await ada.client.createThread({ body: { id: mintId("adas") } });
    await ada.client.deleteEverything({ body: { id: "d1", confirm: "delete everything" } });
    expect((await ada.client.listThreads({})).threads).toEqual([]);
    expect((await bob.client.listThreads({})).threads).toHaveLength(1);
    expect(await query(placeOf(first), "select provider from providers")).toEqual([{ provider: "openai" }]);
    expect((await ada.client.listPeople({})).people).toHaveLength(2);
  });
});
