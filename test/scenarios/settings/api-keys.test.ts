import { expect, onTestFinished, test } from "vitest";
import { createClient, type Client } from "../../../protocol/client.ts";
import type { Scope } from "../../../protocol/scopes.ts";
import { accountsOn, join, password, send, setUp } from "../../support/accounts/accounts-instance.ts";
import { say, startInstance, type Instance } from "../../support/instance.ts";
import { query } from "../../support/server/database.ts";
import { describeOnBoth } from "./on-both.ts";

const token = "a-token-for-tests-only";
const env = { STONECHAT_TOKEN: token };
const everything: Scope[] = ["read", "chat", "projects", "admin"];

const clientWith = ({ url: baseUrl }: Pick<Instance, "url">, secret: string): Client =>
  createClient({ baseUrl, headers: { authorization: `Bearer ${secret}` } });

const errorOf = (work: Promise<unknown>): Promise<{ status: number; code: string; message: string }> =>
  work.then(
    () => ({ status: 200, code: "passed", message: "" }),
    (error: { status: number; code: string; message: string }) => error,
  );

/** Opens the user's stream with a key and records its text and its end. */
async function watch({ url }: Pick<Instance, "url">, key: string) {
  const controller = new AbortController();
  onTestFinished(() => controller.abort());
  const headers = { authorization: `Bearer ${key}` };
  const response = await fetch(`${url}/api/stream?after=0`, { headers, signal: controller.signal });
  expect(response.status).toBe(200);
  const seen = { text: "" };
  const ended = (async () => {
    try {
      for await (const chunk of response.body?.pipeThrough(new TextDecoderStream()) ?? []) seen.text += chunk;
    } catch {
      // The connection was closed.
    }
  })();
  return { seen, ended };
}

describeOnBoth("an API key", (start, kind) => {
  test("works on every node until it is revoked, which refuses it and ends its streams, and no other key's", async () => {
    const first = await start({ env });
    const nodes = kind === "postgres" ? [first, await start({ env }, first.databaseUrl)] : [first];
    const owner = clientWith(first, token);
    const { key, token: secret } = await owner.createKey({ body: { id: "k1", name: "Editor", scopes: ["read"] } });
    const { token: other } = await owner.createKey({ body: { id: "k2", name: "Terminal", scopes: ["read", "chat"] } });
    expect(secret).toMatch(/^sc_[\w-]{43}$/);
    expect(key).toMatchObject({ id: "k1", name: "Editor", scopes: ["read"], expiresAt: null, usedAt: null });
    expect(secret.startsWith(key.start)).toBe(true);

    for (const node of nodes) expect((await clientWith(node, secret).getMe({})).userId).toBe("local");
    const streams = await Promise.all(nodes.map((node) => watch(node, secret)));
    const control = await Promise.all(nodes.map((node) => watch(node, other)));
    const saw = (all: typeof streams, id: string) => all.filter(({ seen }) => seen.text.includes(id)).length;
    await clientWith(first, other).createThread({ body: { id: "before-the-end" } });
    await expect.poll(() => saw([...streams, ...control], "before-the-end")).toBe(2 * nodes.length);

    const revokedAt = performance.now();
    await owner.revokeKey({ params: { keyId: "k1" } });
    for (const node of nodes) {
      expect(await errorOf(clientWith(node, secret).getMe({}))).toMatchObject({
        status: 401,
        message: "This API key does not exist, has expired or was revoked. Create another one in the settings.",
      });
    }
    await Promise.all(streams.map(({ ended }) => ended));
    // Other nodes check every two seconds. A loaded machine gets more than the promised five seconds.
    const cutAfterMs = performance.now() - revokedAt;
    expect(cutAfterMs).toBeLessThan(process.env["STONECHAT_DEEP"] ? 5_000 : 20_000);
    await clientWith(first, other).createThread({ body: { id: "after-the-end" } });
    await expect.poll(() => saw(control, "after-the-end")).toBe(nodes.length);
    expect(saw(streams, "after-the-end")).toBe(0);
    expect((await owner.listKeys({})).keys.map(({ id }) => id)).toEqual(["k2"]);
    expect(await errorOf(owner.revokeKey({ params: { keyId: "k1" } }))).toMatchObject({ status: 404 });
  });

  test("is stored as a hash, is listed without its token, and keeps the minute of its last use", async () => {
    const time = { now: 1_900_000_000_000 };
    const clock = { now: () => time.now, monotonic: () => performance.now() };
    const instance = await start({ env, clock });
    const owner = clientWith(instance, token);
    const body = { id: "k", name: "  Backup ", scopes: ["chat", "read", "read"] as Scope[] };
    const { token: secret } = await owner.createKey({ body });
    const client = clientWith(instance, secret);
    const usedAt = async () => (await owner.listKeys({})).keys.map((key) => key.usedAt);

    await client.listThreads({});
    expect(await usedAt()).toEqual([time.now]);
    time.now += 59_000;
    await client.listThreads({});
    expect(await usedAt()).toEqual([time.now - 59_000]);
    time.now += 1_000;
    await client.listThreads({});
    expect(await usedAt()).toEqual([time.now]);

    const rows = await query(kind === "postgres" ? instance : { dataDir: instance.dataDir }, "select * from api_keys");
    expect(rows).toHaveLength(1);
    expect(rows[0]).toMatchObject({ owner: "local", id: "k", name: "Backup", scopes: "read chat" });
    const stored = JSON.stringify(rows) + JSON.stringify(await owner.listKeys({}));
    expect(stored).not.toContain(secret.slice(10));
    expect(await errorOf(owner.createKey({ body }))).toMatchObject({
      status: 409,
      message: "A key with this id exists, and its token cannot be shown again. Revoke it, or use a new id.",
    });
  });

  test("with accounts needs a recent proof, and ends with a password reset or a new password if the user says so", async () => {
    const time = { now: 1_900_000_000_000 };
    const clock = { now: () => time.now, monotonic: () => performance.now() };
    const instance = await start({ env: accountsOn, clock });
    const { url } = instance;
    const ada = await setUp(instance);
    const bob = await join(url, ada, { email: "bob@example.com" });
    const create = (by: Client, id: string, scopes: Scope[] = ["read"]) =>
      by.createKey({ body: { id, name: id, scopes } });
    const { token: first } = await create(bob.client, "first", ["admin", "read"]);
    time.now += 11 * 60_000;
    expect(await errorOf(create(bob.client, "second"))).toMatchObject({ status: 428, code: "unconfirmed" });
    expect((await bob.client.listKeys({})).keys.map(({ id }) => id)).toEqual(["first"]);
    // A key has no session, and may create keys that have no further rights.
    expect((await create(clientWith({ url }, first), "by-key")).key.id).toBe("by-key");
    await bob.client.confirmUser({ body: { password } });
    const { token: second } = await create(bob.client, "second");

    const isLive = async (secret: string) => (await errorOf(clientWith({ url }, secret).getMe({}))).code === "passed";
    const change = (current: string, next: string, more: object) =>
      bob.client.changePassword({ body: { current, next, ...more } });
    await change(password, "the second password", {});
    expect([await isLive(first), await isLive(second)]).toEqual([true, true]);
    const stream = await watch(instance, second);
    await change("the second password", "the third password", { revokeKeys: true });
    expect([await isLive(first), await isLive(second)]).toEqual([false, false]);
    await stream.ended;
    expect((await bob.client.listKeys({})).keys).toEqual([]);

    const { token: third } = await create(bob.client, "third");
    const { token: ofAda } = await create(ada.client, "adas").catch(async () => {
      await ada.client.confirmUser({ body: { password } });
      return create(ada.client, "adas");
    });
    const { token: link } = await ada.client.createResetLink({ params: { userId: bob.userId } });
    expect(await isLive(third)).toBe(true);
    await send(url, "POST /api/password-reset", { body: { token: link, password: "the fourth password" } });
    expect([await isLive(third), await isLive(ofAda)]).toEqual([false, true]);
  });

  test("expires, also for its open streams", async () => {
    const time = { now: 1_900_000_000_000 };
    const clock = { now: () => time.now, monotonic: () => performance.now() };
    const instance = await start({ env, clock });
    const owner = clientWith(instance, token);
    const create = (id: string, expiresAt: number) =>
      owner.createKey({ body: { id, name: id, scopes: ["read"], expiresAt } });
    expect(await errorOf(create("past", time.now))).toMatchObject({ status: 400 });
    const { token: secret } = await create("hour", time.now + 3_600_000);
    const stream = await watch(instance, secret);
    time.now += 3_600_000 - 1;
    expect(await errorOf(clientWith(instance, secret).getMe({}))).toMatchObject({ code: "passed" });
    time.now += 1;
    expect(await errorOf(clientWith(instance, secret).getMe({}))).toMatchObject({ status: 401 });
    await stream.ended;
    expect((await owner.listKeys({})).keys).toMatchObject([{ id: "hour", expiresAt: time.now }]);
  });

  test("creates no key that outlives it", async () => {
    const time = { now: 1_900_000_000_000 };
    const clock = { now: () => time.now, monotonic: () => performance.now() };
    const instance = await start({ env, clock });
    const owner = clientWith(instance, token);
    const expiresAt = time.now + 3_600_000;
    const create = (by: Client, id: string, more: { readonly expiresAt?: number | null }) =>
      by.createKey({ body: { id, name: id, scopes: ["admin", "read"], ...more } });
    const limited = clientWith(instance, (await create(owner, "limited", { expiresAt })).token);
    expect(await errorOf(create(limited, "later", { expiresAt: expiresAt + 1 }))).toMatchObject({
      status: 403,
      message: expect.stringContaining("cannot expire later") as string,
    });
    const dates = [];
    for (const [id, more] of [
      ["same", { expiresAt }],
      ["earlier", { expiresAt: expiresAt - 1 }],
      ["none", {}],
      ["null", { expiresAt: null }],
    ] as const) {
      dates.push((await create(limited, id, more)).key.expiresAt);
    }
    expect(dates).toEqual([expiresAt, expiresAt - 1, expiresAt, expiresAt]);
    // The control: a key without an end may create one without an end.
    const endless = clientWith(instance, (await create(owner, "endless", {})).token);
    expect((await create(endless, "another", {})).key.expiresAt).toBeNull();
  });

  test("is deleted with everything else", async () => {
    const instance = await start();
    const { token: secret } = await instance.client.createKey({ body: { id: "k", name: "k", scopes: ["admin"] } });
    await clientWith(instance, secret).deleteEverything({ body: { id: "all", confirm: "delete everything" } });
    expect(await errorOf(clientWith(instance, secret).listKeys({}))).toMatchObject({ status: 401 });
    expect((await instance.client.listKeys({})).keys).toEqual([]);
  });
});

test("a key without a route's scope gets an error that names the scope, and cannot create a key that may do more", async () => {
  const instance = await startInstance({ script: () => say("Hello.") });
  const { client } = instance;
  const create = async (by: Client, id: string, scopes: Scope[]) =>
    (await by.createKey({ body: { id, name: id, scopes } })).token;
  const reader = clientWith(instance, await create(client, "reader", ["read"]));
  expect(await errorOf(reader.createThread({ body: { id: "t" } }))).toMatchObject({
    status: 403,
    code: "forbidden",
    message: 'This API key lacks the scope "chat". Create a key that has it in the settings.',
  });
  expect(await errorOf(reader.createProject({ body: { id: "p", name: "P" } }))).toMatchObject({
    message: expect.stringContaining('"projects"') as string,
  });
  expect(await errorOf(reader.listKeys({}))).toMatchObject({ message: expect.stringContaining('"admin"') as string });

  const admin = clientWith(instance, await create(client, "admin", ["admin"]));
  expect(await errorOf(create(admin, "more", everything))).toMatchObject({ status: 403 });
  expect(await create(admin, "same", ["admin"])).toMatch(/^sc_/);
  expect((await client.listKeys({})).keys.map(({ id }) => id).toSorted()).toEqual(["admin", "reader", "same"]);

  const writer = clientWith(instance, await create(client, "writer", ["chat"]));
  const threadId = "answered";
  await writer.createThread({ body: { id: threadId } });
  await writer.sendMessage({ params: { threadId }, body: { id: "m", text: "Hello?" } });
  await instance.follow(threadId).ended();
  expect((await reader.getThread({ params: { threadId } })).messages).toHaveLength(2);
  expect(await errorOf(writer.getThread({ params: { threadId } }))).toMatchObject({ status: 403 });
});

test("without a token this machine needs no key, other bearer tokens are ignored, and a wrong key is refused", async () => {
  const instance = await startInstance();
  const status = (headers: Readonly<Record<string, string>>) =>
    fetch(`${instance.url}/api/me`, { headers }).then((response) => response.status);
  expect(await status({})).toBe(200);
  expect(await status({ authorization: "Bearer not-needed" })).toBe(200);
  expect(await status({ "x-api-key": "not-needed" })).toBe(200);
  expect(await status({ authorization: `Bearer sc_${"A".repeat(43)}` })).toBe(401);
  expect(await status({ "x-api-key": `sc_${"A".repeat(43)}` })).toBe(401);
});

test("the token of the instance still works if it looks like a key", async () => {
  const instance = await startInstance({ env: { STONECHAT_TOKEN: "sc_a-token-for-tests" } });
  expect(await clientWith(instance, "sc_a-token-for-tests").getMe({})).toMatchObject({ userId: "local" });
});
