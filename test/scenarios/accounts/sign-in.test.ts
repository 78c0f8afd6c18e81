import { expect, test } from "vitest";
import { startInstance } from "../../support/instance.ts";
import {
  accountsOn,
  clientOf,
  join,
  password,
  send,
  setUp,
  signIn,
  watchStream,
  type Reply,
} from "../../support/accounts/accounts-instance.ts";
import { query } from "../../support/server/database.ts";
import { describeOnBoth } from "../settings/on-both.ts";

const proxied = { ...accountsOn, STONECHAT_TRUSTED_PROXIES: "127.0.0.1" };
const from = (address: string) => ({ "x-forwarded-for": address });
const withoutId = ({ status, body, retry }: Reply) => {
  const { error } = body as { error?: { code: string; message: string } };
  return { status, code: error?.code, message: error?.message, retry };
};

describeOnBoth("sign-in", (start, kind) => {
  test("gives a new session each time, in a cookie that scripts and other sites cannot use", async () => {
    const instance = await start({ env: accountsOn });
    const { url } = instance;
    const ada = await setUp(instance);
    const response = await fetch(`${url}/api/sign-in`, {
      method: "POST",
      headers: { "content-type": "application/json", cookie: ada.cookie, "user-agent": "A browser" },
      body: JSON.stringify({ email: "ADA@example.com ", password }),
    });
    const header = response.headers.get("set-cookie") ?? "";
    expect(header).toMatch(/^stonechat-session=[\w-]{43}; Path=\/; Max-Age=2592000; HttpOnly; SameSite=Strict$/);
    const cookie = header.split(";")[0] ?? "";
    expect(cookie).not.toBe(ada.cookie);
    // Fixation: a session id that another client chose does not become valid by a sign-in.
    const chosen = `stonechat-session=${"A".repeat(43)}`;
    await send(url, "POST /api/sign-in", { cookie: chosen, body: { email: ada.email, password } });
    expect((await send(url, "GET /api/me", { cookie: chosen })).status).toBe(401);
    const { sessions } = await clientOf(url, cookie).listSessions({});
    expect(sessions).toHaveLength(3);
    expect(sessions.filter(({ current }) => current)).toMatchObject([{ agent: "A browser", method: "password" }]);
    expect(sessions.map(({ method }) => method).toSorted()).toEqual(["password", "password", "setup"]);
    const rows = await query<{ id_hash: string }>(
      kind === "postgres" ? instance : { dataDir: instance.dataDir },
      "select * from sessions",
    );
    for (const { id_hash } of rows) expect(JSON.stringify(sessions)).not.toContain(id_hash);
    // Over TLS the cookie is bound to the host.
    const host = new URL(url).host;
    const secure = await send(url, "POST /api/sign-in", {
      body: { email: ada.email, password },
      headers: { origin: `https://${host}` },
    });
    expect(secure.cookie).toMatch(/^__Host-stonechat-session=/);
  });

  test("answers the same for unknown addresses, wrong passwords and suspended accounts, also when slowed down", async () => {
    const instance = await start({ env: proxied });
    const { url } = instance;
    const ada = await setUp(instance);
    const bob = await join(url, ada, { email: "bob@example.com" });
    const cy = await join(url, ada, { email: "cy@example.com" });
    await ada.client.changePerson({ params: { userId: cy.userId }, body: { state: "suspended" } });
    const attempts = async (email: string, given: string, network: string) => {
      const replies: unknown[] = [];
      for (let n = 0; n < 8; n += 1) {
        replies.push(withoutId(await signIn(url, email, n === 0 ? given : `${given}${n}`, from(network))));
      }
      return replies;
    };
    const unknown = await attempts("nobody@example.com", "a wrong password", "198.51.100.1");
    expect(unknown[0]).toEqual({
      status: 401,
      code: "unauthenticated",
      message: "Wrong email or password.",
      retry: null,
    });
    expect(unknown.at(-1)).toMatchObject({ status: 429, code: "busy", retry: expect.stringMatching(/^\d+$/) });
    expect(await attempts(bob.email, "a wrong password", "198.51.100.2")).toEqual(unknown);
    // The suspended account with its right password, from a network that has signed in to it before.
    expect(await attempts(cy.email, password, "127.0.0.1")).toEqual(unknown);
  });

  test("a stranger cannot lock out the owner, neither from many networks nor from the owner's own", async () => {
    const instance = await start({ env: proxied });
    const { url } = instance;
    await setUp(instance);
    expect((await signIn(url, "ada@example.com", password, from("203.0.113.5"))).status).toBe(200);
    const guesses = async (address: string, count: number) => {
      const statuses: number[] = [];
      for (let n = 0; n < count; n += 1) {
        statuses.push((await signIn(url, "ada@example.com", `wrong password ${address} ${n}`, from(address))).status);
      }
      return statuses;
    };
    for (let n = 0; n < 20; n += 1) await guesses(`198.51.100.${n}`, 1);
    // Each network has one guess, then it must wait.
    expect(await guesses("198.51.100.99", 3)).toEqual([401, 429, 429]);
    const waiting = await signIn(url, "ada@example.com", password, from("198.51.100.99"));
    expect(waiting.status).toBe(429);
    expect(Number(waiting.retry)).toBeGreaterThan(0);
    expect(Number(waiting.retry)).toBeLessThanOrEqual(30);
    // The owner, from a new network and from the known one while it is being used for guessing.
    expect((await signIn(url, "ada@example.com", password, from("192.0.2.77"))).status).toBe(200);
    expect(new Set(await guesses("203.0.113.5", 12))).toEqual(new Set([401, 429]));
    expect((await signIn(url, "ada@example.com", password, from("203.0.113.5"))).status).toBe(200);
  });

  test("a new password ends all other sessions and their streams on every node, and the old one is refused", async () => {
    const first = await start({ env: accountsOn });
    const nodes = kind === "postgres" ? [first, await start({ env: accountsOn }, first.databaseUrl)] : [first];
    const last = nodes.at(-1) ?? first;
    const ada = await setUp(last);
    const [other, third] = [await signIn(first.url, ada.email), await signIn(first.url, ada.email)];
    const cut = await watchStream(last.url, "/api/stream?after=0", { cookie: other.cookie });
    const kept = await watchStream(last.url, "/api/stream?after=0", { cookie: ada.cookie });
    const wrong = await send(first.url, "POST /api/account/password", {
      cookie: ada.cookie,
      body: { current: "not the password", next: "another password entirely" },
    });
    expect(wrong.status).toBe(403);
    const next = "another password entirely";
    const startedAt = performance.now();
    expect(await ada.client.changePassword({ body: { current: password, next } })).toEqual({ ended: 2 });
    expect((await cut.ended) - startedAt).toBeLessThan(process.env["STONECHAT_DEEP"] ? 5_000 : 20_000);
    await ada.client.createThread({ body: { id: "after-the-end" } });
    await expect.poll(() => kept.seen.text.includes("after-the-end")).toBe(true);
    expect(cut.seen.text).not.toContain("after-the-end");
    for (const { url } of nodes) {
      expect((await send(url, "GET /api/me", { cookie: ada.cookie })).status).toBe(200);
      for (const { cookie } of [other, third]) expect((await send(url, "GET /api/me", { cookie })).status).toBe(401);
      expect((await signIn(url, ada.email)).status).toBe(401);
    }
    expect((await signIn(first.url, ada.email, next)).status).toBe(200);
  });

  test("lists the user's sessions, ends single ones, and never those of another user", async () => {
    const instance = await start({ env: accountsOn });
    const { url } = instance;
    const ada = await setUp(instance);
    const bob = await join(url, ada, { email: "bob@example.com" });
    const more = [await signIn(url, bob.email), await signIn(url, bob.email), await signIn(url, bob.email)];
    const { sessions } = await bob.client.listSessions({});
    expect(sessions).toHaveLength(4);
    const [target] = sessions.filter(({ current }) => !current);
    const params = { sessionId: target?.id ?? "" };
    await expect(ada.client.endSession({ params })).rejects.toMatchObject({ code: "not-found" });
    await expect(bob.client.endSession({ params: { sessionId: "unknown" } })).rejects.toMatchObject({
      code: "not-found",
    });
    expect(await bob.client.endSession({ params })).toEqual({ id: params.sessionId });
    const live = async () => {
      const replies = await Promise.all(more.map(({ cookie }) => send(url, "GET /api/me", { cookie })));
      return replies.filter(({ status }) => status === 200).length;
    };
    expect(await live()).toBe(2);
    expect(await bob.client.endOtherSessions({ body: {} })).toEqual({ ended: 2 });
    expect(await live()).toBe(0);
    expect(await bob.client.listSessions({})).toMatchObject({ sessions: [{ current: true, method: "invitation" }] });
    expect((await ada.client.listSessions({})).sessions).toHaveLength(1);
    await bob.client.signOut({ body: {} });
    await expect(bob.client.getMe({})).rejects.toMatchObject({ code: "unauthenticated" });
  });

  test("refuses weak passwords, and needs the password for a new email address", async () => {
    const instance = await start({ env: accountsOn });
    const { url } = instance;
    const ada = await setUp(instance, "ada.lovelace@example.com");
    for (const next of [
      "short",
      "1234567890",
      "aaaaaaaaaaaa",
      "abcdefghijkl",
      "Password123",
      "ada.lovelace",
      "x".repeat(201),
    ]) {
      await expect(ada.client.changePassword({ body: { current: password, next } }), next).rejects.toMatchObject({
        status: 400,
      });
    }
    for (const name of ["", " ", "Ada\nLovelace", "Ada\u202e", "x".repeat(101)]) {
      await expect(ada.client.changeAccount({ body: { name } }), name).rejects.toMatchObject({ status: 400 });
    }
    const email = "countess@example.com";
    await expect(ada.client.changeAccount({ body: { email, password: "wrong" } })).rejects.toMatchObject({
      status: 403,
    });
    const { account } = await ada.client.changeAccount({
      body: { name: "Countess", email: "Countess@Example.com", password },
    });
    expect(account).toEqual({ name: "Countess", email, role: "admin" });
    expect((await signIn(url, email)).status).toBe(200);
    expect((await signIn(url, ada.email)).status).toBe(401);
    const bob = await join(url, ada, { email: "bob@example.com" });
    await expect(bob.client.changeAccount({ body: { email, password } })).rejects.toMatchObject({ status: 409 });
  });
});

test("with a token and no accounts, the sessions of the token are listed and ended", async () => {
  const token = "a-token-for-tests-only";
  const { url } = await startInstance({ env: { STONECHAT_TOKEN: token } });
  const open = async () => (await send(url, "POST /api/sign-in", { body: { token } })).cookie;
  const [first, second] = [await open(), await open()];
  const { sessions } = await clientOf(url, first).listSessions({});
  expect(
    sessions
      .map(({ method, current }) => ({ method, current }))
      .toSorted((a, b) => Number(b.current) - Number(a.current)),
  ).toEqual([
    { method: "token", current: true },
    { method: "token", current: false },
  ]);
  expect(await clientOf(url, first).endOtherSessions({ body: {} })).toEqual({ ended: 1 });
  expect((await send(url, "GET /api/me", { cookie: second })).status).toBe(401);
  expect((await send(url, "GET /api/instance")).body).toEqual({ mode: "personal", signIn: "token" });
});
