import { expect, test } from "vitest";
import {
  accountsOn,
  clientOf,
  join,
  password,
  send,
  setUp,
  signIn,
  tokenOf,
  type Person,
  type Reply,
} from "../../support/accounts/accounts-instance.ts";
import { addApp, createTestClock, nextCode, showCode } from "../../support/accounts/second-factors.ts";
import { query } from "../../support/server/database.ts";
import { describeOnBoth } from "../settings/on-both.ts";

const MINUTE_MS = 60_000;
const proxied = { ...accountsOn, STONECHAT_TRUSTED_PROXIES: "127.0.0.1" };
const from = (address: string) => ({ "x-forwarded-for": address });
const errorOf = ({ status, body }: Reply) => ({ status, ...(body["error"] as { code: string; message: string }) });
const sendCode = (url: string, cookie: string, code: string, headers: Record<string, string> = {}) =>
  send(url, "POST /api/sign-in/code", { cookie, body: { code }, headers });

describeOnBoth("an authenticator app", (start, kind) => {
  const startNodes = async (env: Readonly<Record<string, string>> = accountsOn) => {
    const clock = createTestClock();
    const first = await start({ env, clock });
    const second = kind === "postgres" ? await start({ env, clock }, first.databaseUrl) : first;
    const ada = await setUp(second);
    return { clock, first, second, ada, urls: [first.url, second.url] as const };
  };
  type World = Awaited<ReturnType<typeof startNodes>>;
  const placeOf = ({ first }: World) => (kind === "postgres" ? first : { dataDir: first.dataDir });

  test("is asked for after the password, and its code signs in", async () => {
    const world = await startNodes();
    const { clock, urls, ada } = world;
    const other = await signIn(urls[0], ada.email);
    const { key, uri, recoveryCodes, ended } = await addApp(ada.client, clock);
    expect(ended).toBe(1);
    expect((await send(urls[0], "GET /api/me", { cookie: other.cookie })).status).toBe(401);
    expect((await ada.client.getMe({})).userId).toBe(ada.userId);
    expect(new URL(uri).searchParams.get("secret")).toBe(key);
    expect(recoveryCodes).toHaveLength(10);
    expect(new Set(recoveryCodes).size).toBe(10);

    const first = await signIn(urls[0], ada.email);
    expect([first.status, first.body]).toEqual([200, { next: "code" }]);
    expect(first.cookie).toMatch(/^stonechat-sign-in=[\w-]+$/);
    // The cookie between the steps is no session, and has nothing that the browser could read.
    expect((await send(urls[0], "GET /api/me", { cookie: first.cookie })).status).toBe(401);
    expect(Buffer.from(first.cookie, "base64url").toString()).not.toContain("local");
    const response = await fetch(`${urls[1]}/api/sign-in/code`, {
      method: "POST",
      headers: { "content-type": "application/json", cookie: first.cookie },
      body: JSON.stringify({ code: ` ${nextCode(key, clock).replace(/^.../, "$& ")} ` }),
    });
    const [session, cleared] = response.headers.getSetCookie();
    expect([response.status, await response.json()]).toEqual([200, { userId: ada.userId }]);
    expect(cleared).toMatch(/^stonechat-sign-in=; Path=\/; Max-Age=0; HttpOnly; SameSite=Strict$/);
    const client = clientOf(urls[0], session?.split(";")[0] ?? "");
    expect((await client.getMe({})).account?.email).toBe(ada.email);
    expect(await client.getFactors({})).toMatchObject({ password: true, authenticator: { recoveryCodesLeft: 10 } });

    // Neither the key nor a code can be read from the database.
    const stored = JSON.stringify([
      await query(placeOf(world), "select * from authenticators"),
      await query(placeOf(world), "select * from recovery_codes"),
      await query(placeOf(world), "select * from audit"),
    ]);
    for (const secret of [key, ...recoveryCodes, ...recoveryCodes.map((code) => code.replaceAll("-", ""))])
      expect(stored.toLowerCase()).not.toContain(secret.toLowerCase());
    const { entries } = await ada.client.listAudit({ query: { limit: 10 } });
    expect(entries.slice(0, 2)).toMatchObject([
      { action: "signed-in", detail: { with: "authenticator" } },
      { action: "authenticator-added", detail: { ended: 1 } },
    ]);
  });

  test("accepts each code once: not again, not an earlier one, and only one of many at the same time", async () => {
    const { clock, urls, ada } = await startNodes();
    const { key } = await addApp(ada.client, clock);
    const enrolled = showCode(key, clock.now());
    const begin = async () => (await signIn(urls[0], ada.email)).cookie;
    // The code that turned it on is used already.
    expect((await sendCode(urls[0], await begin(), enrolled)).status).toBe(401);
    const code = nextCode(key, clock);
    const cookies = await Promise.all(Array.from({ length: 6 }, begin));
    const replies = await Promise.all(cookies.map((cookie, n) => sendCode(urls[n % 2] ?? "", cookie, code)));
    expect(replies.map(({ status }) => status).toSorted()).toEqual([200, 401, 401, 401, 401, 401]);
    expect((await sendCode(urls[1], await begin(), code)).status).toBe(401);
    const before = showCode(key, clock.now() - 30_000);
    expect((await sendCode(urls[1], await begin(), before)).status).toBe(401);
    clock.pass(10 * MINUTE_MS);
    expect((await sendCode(urls[1], await begin(), nextCode(key, clock))).status).toBe(200);
  });

  test("each recovery code signs in once, also if it is sent many times at once, and new ones replace them", async () => {
    const { clock, urls, ada } = await startNodes();
    const { recoveryCodes } = await addApp(ada.client, clock);
    const begin = async () => (await signIn(urls[0], ada.email)).cookie;
    const [code = "", second = "", third = ""] = recoveryCodes;
    const cookies = await Promise.all(Array.from({ length: 4 }, begin));
    const replies = await Promise.all(cookies.map((cookie, n) => sendCode(urls[n % 2] ?? "", cookie, code)));
    expect(replies.map(({ status }) => status).toSorted()).toEqual([200, 401, 401, 401]);
    expect((await sendCode(urls[0], await begin(), code)).status).toBe(401);
    // As typed from paper.
    const typed = second.toUpperCase().replaceAll("-", " ").replaceAll("O", "0");
    expect((await sendCode(urls[0], await begin(), typed)).status).toBe(200);
    expect((await ada.client.getFactors({})).authenticator?.recoveryCodesLeft).toBe(8);
    const renewed = await ada.client.createRecoveryCodes({ body: {} });
    expect((await sendCode(urls[0], await begin(), third)).status).toBe(401);
    expect((await sendCode(urls[0], await begin(), renewed.recoveryCodes[0] ?? "")).status).toBe(200);
    expect((await ada.client.getFactors({})).authenticator?.recoveryCodesLeft).toBe(9);
    const { entries } = await ada.client.listAudit({ query: { limit: 2 } });
    expect(entries).toMatchObject([
      { action: "signed-in", detail: { with: "recovery-code" } },
      { action: "recovery-codes-created" },
    ]);
  });

  test("the first step is the same for all who do not know the password", async () => {
    const { clock, urls, ada, first } = await startNodes(proxied);
    const bob = await join(urls[0], ada, { email: "bob@example.com" });
    await addApp(ada.client, clock);
    const cy = await join(urls[0], ada, { email: "cy@example.com" });
    await addApp(cy.client, clock);
    await ada.client.changePerson({ params: { userId: cy.userId }, body: { state: "suspended" } });
    const replies: unknown[] = [];
    for (const [n, [email, given]] of [
      ["nobody@example.com", "a wrong password"],
      [bob.email, "a wrong password"],
      [ada.email, "a wrong password"],
      [cy.email, password],
    ].entries()) {
      const reply = await signIn(first.url, email ?? "", given, from(`198.51.100.${n}`));
      const { requestId: _, ...error } = errorOf(reply) as Record<string, unknown>;
      replies.push({ ...error, cookie: reply.cookie });
    }
    const expected = { status: 401, code: "unauthenticated", message: "Wrong email or password.", cookie: "" };
    expect(replies).toEqual([expected, expected, expected, expected]);
  });

  test("the second step belongs to the browser of the first, for five minutes, while the account is unchanged", async () => {
    const { clock, urls, ada } = await startNodes();
    const bob = await join(urls[0], ada, { email: "bob@example.com" });
    const { key, recoveryCodes } = await addApp(bob.client, clock);
    const adas = await addApp(ada.client, clock);
    const begin = async (person: Person) => (await signIn(urls[0], person.email)).cookie;
    const [code = ""] = recoveryCodes;
    for (const cookie of ["", "stonechat-sign-in=", "stonechat-sign-in=x", bob.cookie]) {
      expect(errorOf(await sendCode(urls[0], cookie, code)), cookie).toMatchObject({ status: 409 });
    }
    // A code of another account.
    expect((await sendCode(urls[0], await begin(ada), code)).status).toBe(401);
    expect((await sendCode(urls[0], await begin(bob), adas.recoveryCodes[0] ?? "")).status).toBe(401);
    const expired = await begin(bob);
    clock.pass(5 * MINUTE_MS);
    expect((await sendCode(urls[0], expired, code)).status).toBe(409);
    // A sealed text of another kind.
    const { state } = await ada.client.startAuthenticator({ body: {} }).catch(() => ({ state: "" }));
    expect((await sendCode(urls[0], `stonechat-sign-in=${state}`, code)).status).toBe(409);

    const stale = await begin(bob);
    await bob.client.changePassword({ body: { current: password, next: "another password entirely" } });
    expect((await sendCode(urls[0], stale, nextCode(key, clock))).status).toBe(409);
    const again = (await signIn(urls[0], bob.email, "another password entirely")).cookie;
    await ada.client.changePerson({ params: { userId: bob.userId }, body: { state: "suspended" } });
    expect((await sendCode(urls[1], again, nextCode(key, clock))).status).toBe(409);
    await ada.client.changePerson({ params: { userId: bob.userId }, body: { state: "active" } });
    expect((await sendCode(urls[1], again, nextCode(key, clock))).status).toBe(200);
  });

  test("guessing codes is slowed down for all strange networks together, and never locks out the owner", async () => {
    const { clock, urls, ada } = await startNodes(proxied);
    const url = urls[0];
    const { key, recoveryCodes } = await addApp(ada.client, clock);
    const begin = async (address: string) => {
      const reply = await signIn(url, ada.email, password, from(address));
      expect(reply.body).toEqual({ next: "code" });
      return reply.cookie;
    };
    const wrong = (n: number) => String((Number(showCode(key, clock.now())) + 100 + n) % 1_000_000).padStart(6, "0");
    const known = "203.0.113.5";
    expect((await sendCode(url, await begin(known), nextCode(key, clock), from(known))).status).toBe(200);
    const statuses: number[] = [];
    for (let n = 0; n < 8; n += 1) {
      const address = `198.51.100.${n}`;
      statuses.push((await sendCode(url, await begin(address), wrong(n), from(address))).status);
    }
    expect(statuses).toEqual([401, 401, 401, 401, 401, 429, 429, 429]);
    // Parallel guesses are counted too.
    clock.pass(2_000);
    const cookies = await Promise.all(Array.from({ length: 5 }, (_, n) => begin(`192.0.2.${n}`)));
    const parallel = await Promise.all(cookies.map((one, n) => sendCode(url, one, wrong(n), from(`192.0.2.${n}`))));
    expect(parallel.map(({ status }) => status).toSorted()).toEqual([401, 429, 429, 429, 429]);
    // Now a strange network waits even with the right code; the owner's known network and a recovery code do not.
    const right = nextCode(key, clock);
    for (let n = 0; n < 9; n += 1) {
      clock.pass(15 * MINUTE_MS);
      await sendCode(url, await begin("198.51.100.77"), wrong(n), from("198.51.100.77"));
    }
    const waiting = await sendCode(url, await begin("192.0.2.99"), right, from("192.0.2.99"));
    expect([waiting.status, Number(waiting.retry) > 60]).toEqual([429, true]);
    expect((await sendCode(url, await begin(known), nextCode(key, clock), from(known))).status).toBe(200);
    expect((await sendCode(url, await begin("192.0.2.98"), recoveryCodes[0] ?? "", from("192.0.2.98"))).status).toBe(
      200,
    );
  });

  test("changes need a recent proof, by the password or by signing in, and never an API key", async () => {
    const { clock, urls, ada } = await startNodes();
    const confirm = (given: string) =>
      send(urls[0], "POST /api/account/confirm", { cookie: ada.cookie, body: { password: given } });
    const attempts: readonly (() => Promise<unknown>)[] = [
      () => ada.client.startAuthenticator({ body: {} }),
      () => ada.client.addAuthenticator({ body: { state: "x", code: "123456" } }),
      () => ada.client.removeAuthenticator({}),
      () => ada.client.createRecoveryCodes({ body: {} }),
      () => ada.client.startPasskey({ body: {} }),
      () => ada.client.removePasskey({ params: { passkeyId: "x" } }),
      () => ada.client.removeIdentity({ params: { identityId: "x" } }),
      () => ada.client.confirmUser({ body: {} }),
    ];
    clock.pass(10 * MINUTE_MS);
    for (const attempt of attempts) {
      await expect(attempt()).rejects.toMatchObject({ status: 428, code: "unconfirmed" });
    }
    expect((await confirm("not the password")).status).toBe(403);
    await expect(ada.client.startAuthenticator({ body: {} })).rejects.toMatchObject({ status: 428 });
    expect((await confirm(password)).status).toBe(200);
    const { key } = await addApp(ada.client, clock);
    clock.pass(10 * MINUTE_MS);
    await expect(ada.client.removeAuthenticator({})).rejects.toMatchObject({ status: 428 });
    await confirm(password);
    const spare = await signIn(urls[0], ada.email);
    await sendCode(urls[0], spare.cookie, nextCode(key, clock));
    expect(await ada.client.removeAuthenticator({})).toEqual({ ended: 1 });
    expect((await signIn(urls[0], ada.email)).body).toEqual({ userId: ada.userId });
    const { token } = await ada.client.createKey({ body: { id: "k", name: "k", scopes: ["admin", "read"] } });
    for (const route of ["POST /api/account/authenticator/start", "POST /api/account/passkeys/start"]) {
      const reply = await send(urls[0], route, { headers: { authorization: `Bearer ${token}` } });
      expect([reply.status, reply.body["error"]]).toMatchObject([400, { code: "invalid" }]);
    }
  });

  test("a key is added with a right code, once, by the session that asked for it", async () => {
    const { clock, urls, ada } = await startNodes();
    const bob = await join(urls[0], ada, { email: "bob@example.com" });
    const { key, state } = await ada.client.startAuthenticator({ body: {} });
    const code = () => nextCode(key, clock);
    const add = (person: Person, body: { state: string; code: string }) =>
      person.client.addAuthenticator({ body }).then(
        () => 200,
        ({ status }: { status: number }) => status,
      );
    expect(await add(ada, { state, code: "000000" })).toBe(403);
    expect(await add(bob, { state, code: code() })).toBe(400);
    expect(await add(ada, { state: `${state.slice(0, -3)}AAA`, code: code() })).toBe(400);
    const right = code();
    const statuses = await Promise.all([add(ada, { state, code: right }), add(ada, { state, code: right })]);
    expect(statuses.toSorted()).toEqual([200, 409]);
    await expect(ada.client.startAuthenticator({ body: {} })).rejects.toMatchObject({ status: 409 });
    expect((await bob.client.getFactors({})).authenticator).toBeNull();
    await expect(bob.client.createRecoveryCodes({ body: {} })).rejects.toMatchObject({ status: 404 });
    const { state: old } = await bob.client.startAuthenticator({ body: {} });
    clock.pass(16 * MINUTE_MS);
    await send(urls[0], "POST /api/account/confirm", { cookie: bob.cookie, body: { password } });
    expect(await add(bob, { state: old, code: "123456" })).toBe(400);
  });

  test("no sign-in with the password alone survives turning it on, also at the same time", async () => {
    const { clock, urls, ada } = await startNodes();
    for (let round = 0; round < 5; round += 1) {
      await send(urls[0], "POST /api/account/confirm", { cookie: ada.cookie, body: { password } });
      const { key, state } = await ada.client.startAuthenticator({ body: {} });
      const code = nextCode(key, clock);
      const before = await signIn(urls[0], ada.email);
      const attempts = Array.from({ length: 6 }, (_, n) => signIn(urls[n % 2] ?? "", ada.email));
      const added = ada.client.addAuthenticator({ body: { state, code } });
      const [, ...replies] = await Promise.all([added, ...attempts]);
      const signedIn = [before, ...replies].filter(({ body }) => body["userId"] === ada.userId);
      expect(signedIn).toContain(before);
      for (const { cookie } of signedIn) expect((await send(urls[0], "GET /api/me", { cookie })).status).toBe(401);
      for (const { body } of replies.filter((reply) => !signedIn.includes(reply)))
        expect(body).toEqual({ next: "code" });
      await ada.client.removeAuthenticator({});
    }
  });

  test("a reset link keeps the second factor, and an admin sees and removes it", async () => {
    const { clock, urls, ada } = await startNodes();
    const bob = await join(urls[0], ada, { email: "bob@example.com" });
    const { key } = await addApp(bob.client, clock);
    const params = { userId: bob.userId };
    const next = "another password entirely";
    const { path } = await ada.client.createResetLink({ params, body: {} });
    const reset = await send(urls[0], "POST /api/password-reset", { body: { token: tokenOf(path), password: next } });
    expect([reset.status, reset.body]).toEqual([200, { next: "code" }]);
    expect(reset.cookie).toMatch(/^stonechat-sign-in=/);
    expect((await send(urls[0], "GET /api/me", { cookie: bob.cookie })).status).toBe(401);
    const done = await sendCode(urls[1], reset.cookie, nextCode(key, clock));
    expect(done.status).toBe(200);
    expect((await clientOf(urls[0], done.cookie).listSessions({})).sessions).toMatchObject([{ method: "reset" }]);

    const { people } = await ada.client.listPeople({});
    expect(people.map(({ name, authenticator, passkeys }) => ({ name, authenticator, passkeys }))).toEqual([
      { name: "Ada", authenticator: false, passkeys: 0 },
      { name: "bob", authenticator: true, passkeys: 0 },
    ]);
    expect(JSON.stringify(people)).not.toContain(key);
    const pending = await signIn(urls[0], bob.email, next);
    const asBob = clientOf(urls[0], done.cookie);
    await expect(asBob.removeFactors({ params: { userId: ada.userId } })).rejects.toMatchObject({ status: 403 });
    await expect(ada.client.removeFactors({ params: { userId: ada.userId } })).rejects.toMatchObject({ status: 409 });
    await expect(ada.client.removeFactors({ params: { userId: "nobody" } })).rejects.toMatchObject({ status: 404 });
    expect(await ada.client.removeFactors({ params })).toEqual({ ended: 1 });
    expect((await send(urls[1], "GET /api/me", { cookie: done.cookie })).status).toBe(401);
    // The sign-in that waited for a code starts again, and then needs none.
    expect((await sendCode(urls[0], pending.cookie, nextCode(key, clock))).status).toBe(409);
    expect((await signIn(urls[0], bob.email, next)).body).toEqual({ userId: bob.userId });
    const { entries } = await ada.client.listAudit({ query: { limit: 2 } });
    expect(entries[1]).toMatchObject({
      ...{ action: "factors-removed", detail: { ended: 1 } },
      ...{ actor: { id: ada.userId }, target: { id: bob.userId } },
    });
  });
});
