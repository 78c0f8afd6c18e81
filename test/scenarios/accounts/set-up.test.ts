import { expect, test } from "vitest";
import { createResetUrl } from "../../../server/accounts/mode.ts";
import { readConfig } from "../../../server/config/config.ts";
import { say, startInstance, type Instance } from "../../support/instance.ts";
import {
  accountsOn,
  clientOf,
  password,
  send,
  setUp,
  signIn,
  tokenOf,
} from "../../support/accounts/accounts-instance.ts";
import { addApp, createTestClock } from "../../support/accounts/second-factors.ts";
import { query } from "../../support/server/database.ts";
import { runCommand } from "../../support/server/run-command.ts";
import { describeOnBoth } from "../settings/on-both.ts";

const rounds = process.env["STONECHAT_DEEP"] ? 50 : 1;
const script = () => say("An answer.");
const placeOf = (instance: Instance & { databaseUrl: string }, kind: string) =>
  kind === "postgres" ? instance : { dataDir: instance.dataDir };
const adminBody = (token: string, name: string) => ({ token, name, email: `${name}@example.com`, password });

describeOnBoth("the setup link", (start, kind) => {
  test("100 parallel set-ups over all nodes give exactly one admin", { timeout: rounds * 30_000 }, async () => {
    for (let round = 0; round < rounds; round += 1) {
      // Many networks: one alone may not have so many passwords hashed at once.
      const env = { ...accountsOn, STONECHAT_TRUSTED_PROXIES: "127.0.0.1" };
      const first = await start({ env });
      const nodes = kind === "postgres" ? [first, await start({ env }, first.databaseUrl)] : [first];
      const token = tokenOf(nodes.at(-1)?.server.setupUrl ?? "");
      const replies = await Promise.all(
        Array.from({ length: 100 }, (_, n) =>
          send(nodes[n % nodes.length]?.url ?? "", "POST /api/setup", {
            body: adminBody(token, `user${n}`),
            headers: { "x-forwarded-for": `192.0.2.${n}` },
          }),
        ),
      );
      expect(replies.filter(({ status }) => status === 200)).toHaveLength(1);
      for (const { status } of replies) expect([200, 404, 429]).toContain(status);
      expect(replies.filter(({ status }) => status === 404).length).toBeGreaterThan(30);
      const place = placeOf(first, kind);
      const accounts = await query<{ id: string; role: string }>(place, "select id, role from accounts");
      expect(accounts).toEqual([{ id: "local", role: "admin" }]);
      expect(await query(place, "select action from audit")).toEqual([{ action: "set-up" }]);
      expect(await query(place, "select id from links")).toEqual([]);
      expect(await query(place, "select owner from sessions")).toHaveLength(1);
      const cookie = replies.find(({ status }) => status === 200)?.cookie ?? "";
      for (const { url } of nodes) {
        expect((await send(url, "GET /api/me", { cookie })).status).toBe(200);
        expect((await send(url, "POST /api/setup", { body: adminBody(token, "late") })).status).toBe(404);
        expect((await send(url, "GET /api/instance")).body).toEqual({ mode: "accounts", signIn: "password" });
      }
      // PostgreSQL has a limit of connections.
      for (const node of nodes) await node.close();
    }
  });

  test("only the newest link is valid, and until it is used every route but the open ones is refused", async () => {
    const first = await start({ env: accountsOn });
    const old = tokenOf(first.server.setupUrl);
    const second = await startAgain(first, kind, start);
    expect(tokenOf(second.server.setupUrl)).not.toBe(old);
    const { url } = second;
    expect((await send(url, "GET /api/instance")).body).toEqual({ mode: "accounts", signIn: "setup" });
    for (const route of [
      "GET /api/me",
      "GET /api/threads",
      "POST /api/threads",
      "GET /api/export",
      "GET /metrics",
      `GET /api/shared/${"x".repeat(43)}`,
    ]) {
      const { status, body } = await send(url, route);
      expect(status, route).toBe(401);
      expect(JSON.stringify(body)).toContain("not set up yet");
    }
    expect((await signIn(url, "ada@example.com")).status).toBe(401);
    expect((await send(url, "POST /api/setup", { body: adminBody(old, "ada") })).status).toBe(404);
    expect((await send(url, "POST /api/setup", { body: adminBody("x".repeat(43), "ada") })).status).toBe(404);
    const ada = await setUp(second);
    expect(await ada.client.getMe({})).toMatchObject({
      ...{ userId: "local", mode: "accounts", signIn: "password" },
      account: { name: "Ada", email: "ada@example.com", role: "admin" },
    });
    expect((await startAgain(second, kind, start)).server.setupUrl).toBeNull();
  });

  test("passwords and tokens are stored only as hashes", async () => {
    const instance = await start({ env: accountsOn });
    const token = tokenOf(instance.server.setupUrl);
    const place = placeOf(instance, kind);
    expect(JSON.stringify(await query(place, "select * from links"))).not.toContain(token);
    const ada = await setUp(instance);
    const { token: invitation } = await ada.client.createInvitation({ body: { id: "i1" } });
    const { token: reset } = await ada.client.createResetLink({ params: { userId: ada.userId }, body: {} });
    const rows = await Promise.all(
      ["accounts", "links", "sessions", "audit"].map((table) => query(place, `select * from ${table}`)),
    );
    const text = JSON.stringify(rows);
    for (const secret of [password, token, invitation, reset, ada.cookie.split("=")[1] ?? ""]) {
      expect(text).not.toContain(secret);
    }
    expect(text).toContain("$scrypt$ln=");
  });
});

type Start = Parameters<Parameters<typeof describeOnBoth>[1]>[0];

/** Starts the server again on the same database. */
async function startAgain(instance: Instance & { databaseUrl: string }, kind: string, start: Start) {
  if (kind === "postgres") return start({ env: accountsOn }, instance.databaseUrl);
  return start({ env: accountsOn, dataDir: await instance.leave() });
}

test("turning accounts on keeps every thread, setting and key of the single user for the first admin", async () => {
  const personal = await startInstance({ script });
  expect(await personal.client.getMe({})).toMatchObject({
    userId: "local",
    mode: "personal",
    account: null,
    signIn: "none",
  });
  expect(await personal.client.getInstance({})).toEqual({ mode: "personal", signIn: "none" });
  const threadId = await personal.start({ title: "Before accounts" });
  const follower = personal.follow(threadId);
  await personal.send(threadId, "Hello");
  await follower.ended();
  const { token: key } = await personal.client.createKey({ body: { id: "k", name: "k", scopes: ["read"] } });
  await personal.client.setMemory({ body: { id: "m", field: "notes", value: "Prefers short answers." } });
  const before = await personal.client.exportEverything({});

  const open = await startInstance({ env: accountsOn, dataDir: await personal.leave(), script });
  expect((await send(open.url, `GET /api/threads/${threadId}`)).status).toBe(401);
  expect((await send(open.url, "GET /api/threads", { headers: { authorization: `Bearer ${key}` } })).status).toBe(401);
  const ada = await setUp(open);
  expect((await ada.client.getThread({ params: { threadId } })).messages).toHaveLength(2);
  const read = await send(open.url, `GET /api/threads/${threadId}`, { headers: { authorization: `Bearer ${key}` } });
  expect(read.status).toBe(200);
  const withoutTime = (exported: unknown) => ({ ...(exported as object), exportedAt: 0 });
  expect(withoutTime(await ada.client.exportEverything({}))).toEqual(withoutTime(before));
  // A second start without the setting: the database has accounts, so the server has them too.
  const again = await startInstance({ dataDir: await open.leave(), script });
  expect((await send(again.url, `GET /api/threads/${threadId}`)).status).toBe(401);
  expect((await clientOf(again.url, ada.cookie).getThread({ params: { threadId } })).messages).toHaveLength(2);
});

test("refuses to start without accounts on a database that has them, and does not accept the token", async () => {
  const first = await startInstance({ env: accountsOn });
  const ada = await setUp(first);
  const dataDir = await first.leave();
  await expect(startInstance({ dataDir, env: { STONECHAT_ACCOUNTS: "off" } })).rejects.toThrow("belong to accounts");
  const token = "a-token-for-tests-only";
  const second = await startInstance({ dataDir, env: { STONECHAT_TOKEN: token } });
  const headers = { authorization: `Bearer ${token}` };
  expect((await send(second.url, "GET /api/me", { headers })).status).toBe(401);
  expect((await send(second.url, "POST /api/sign-in", { body: { token } })).status).toBe(400);
  expect((await send(second.url, "GET /api/me", { cookie: ada.cookie })).status).toBe(200);
});

test("a single user without accounts has all rights and no account routes", async () => {
  const { url, client, server } = await startInstance();
  expect(server.setupUrl).toBeNull();
  expect((await client.listProviders({})).providers.length).toBeGreaterThan(0);
  expect((await send(url, "GET /metrics")).status).toBe(200);
  expect(await client.listSessions({})).toEqual({ sessions: [] });
  for (const route of ["GET /api/people", "GET /api/invitations", "GET /api/audit", "PATCH /api/account"]) {
    const { status, body } = await send(url, route, { body: { name: "Ada" } });
    expect(status, route).toBe(400);
    expect(JSON.stringify(body)).toContain("STONECHAT_ACCOUNTS=on");
  }
  const body = { token: "x".repeat(43), name: "Ada", email: "a@b", password };
  expect((await send(url, "POST /api/setup", { body })).status).toBe(400);
});

test("the operator can create a reset link for the only admin on the machine", async () => {
  const first = await startInstance({ env: accountsOn });
  await setUp(first);
  const config = readConfig({ STONECHAT_DATA: first.dataDir });
  await expect(createResetUrl(config, "ada@example.com")).rejects.toThrow("Stop it");
  const dataDir = await first.leave();
  await expect(createResetUrl(config, "bob@example.com")).rejects.toThrow("No account has the email address");
  const { url: link, needsCode } = await createResetUrl(
    { ...config, publicUrl: "https://chat.example.com" },
    " Ada@Example.com ",
  );
  expect(needsCode).toBe(false);
  expect(link).toMatch(/^https:\/\/chat\.example\.com\/reset#[\w-]{43}$/);
  const { url } = await startInstance({ dataDir, env: accountsOn });
  const next = "another password for tests";
  expect((await send(url, "POST /api/password-reset", { body: { token: tokenOf(link), password: next } })).status).toBe(
    200,
  );
  expect((await send(url, "POST /api/password-reset", { body: { token: tokenOf(link), password: next } })).status).toBe(
    404,
  );
  expect((await signIn(url, "ada@example.com")).status).toBe(401);
  expect((await signIn(url, "ADA@example.com", next)).status).toBe(200);
});

async function runResetLink(dataDir: string, ...args: readonly string[]) {
  const { code, out, err } = await runCommand(["reset-link", ...args], { STONECHAT_DATA: dataDir });
  return { code, link: out.trim(), err };
}

test("the operator's command also helps an admin who has lost the second factor", async () => {
  const clock = createTestClock();
  const first = await startInstance({ env: accountsOn, clock });
  const ada = await setUp(first);
  await addApp(ada.client, clock);
  const dataDir = await first.leave();
  const config = readConfig({ STONECHAT_DATA: dataDir });
  expect(await createResetUrl(config, ada.email)).toMatchObject({ needsCode: true });
  const { code, link, err } = await runResetLink(dataDir, "--remove-second-factors", ada.email);
  expect([code, err]).toEqual([0, ""]);
  const { url } = await startInstance({ dataDir, env: accountsOn, clock });
  const next = "another password for tests";
  const reset = await send(url, "POST /api/password-reset", { body: { token: tokenOf(link), password: next } });
  expect(reset.body).toEqual({ userId: ada.userId });
  const client = clientOf(url, reset.cookie);
  expect(await client.getFactors({})).toMatchObject({ authenticator: null, passkeys: [] });
  const { entries } = await client.listAudit({ query: { limit: 5 } });
  expect(entries.find(({ action }) => action === "factors-removed")).toMatchObject({ actor: null });
});
