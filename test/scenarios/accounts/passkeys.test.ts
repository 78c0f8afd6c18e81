import { expect, test } from "vitest";
import {
  accountsOn,
  clientOf,
  join,
  password,
  send,
  setUp,
  signIn,
  type Person,
} from "../../support/accounts/accounts-instance.ts";
import { createAuthenticator, type Quirks } from "../../support/accounts/authenticator.ts";
import { oidcSignIn, startWithOidc } from "../../support/accounts/oidc-instance.ts";
import { addApp, createTestClock } from "../../support/accounts/second-factors.ts";
import { query } from "../../support/server/database.ts";
import { createClient } from "../../../protocol/client.ts";
import { startInstance } from "../../support/instance.ts";
import { describeOnBoth } from "../settings/on-both.ts";

type Authenticator = ReturnType<typeof createAuthenticator>;

/** There are no passkeys at an IP address. */
const toLocalhost = (url: string) => url.replace("127.0.0.1", "localhost");
const clientAt = (url: string, { cookie }: { readonly cookie: string }) =>
  createClient({ baseUrl: url, headers: { cookie, origin: url } });

async function addPasskey(url: string, person: Person, name: string, quirks: Quirks = {}) {
  const client = clientAt(url, person);
  const authenticator = createAuthenticator(url);
  const { options, state } = await client.startPasskey({ body: {} });
  const credential = authenticator.create(options, quirks);
  const { passkey } = await client.addPasskey({ body: { state, name, credential } });
  return { authenticator, passkey };
}

async function begin(url: string, headers: Record<string, string> = {}) {
  const started = await send(url, "POST /api/sign-in/passkey/start", {
    headers: { origin: url, ...headers },
  });
  return { ...started, options: started.body["options"] as { readonly challenge: string } };
}

const finish = (url: string, cookie: string, credential: object, headers: Record<string, string> = {}) =>
  send(url, "POST /api/sign-in/passkey", {
    cookie,
    body: { credential },
    headers: { origin: url, ...headers },
  });

async function signInWith(url: string, authenticator: Authenticator, quirks: Quirks = {}) {
  const { options, cookie } = await begin(url);
  return finish(url, cookie, authenticator.get(options, quirks));
}

describeOnBoth("passkeys", (start, kind) => {
  const startNodes = async () => {
    const clock = createTestClock();
    const first = await start({ env: accountsOn, clock });
    const second = kind === "postgres" ? await start({ env: accountsOn, clock }, first.databaseUrl) : first;
    const ada = await setUp(second);
    return { clock, first, ada, url: toLocalhost(first.url), other: toLocalhost(second.url) };
  };
  type World = Awaited<ReturnType<typeof startNodes>>;
  const placeOf = ({ first }: World) => (kind === "postgres" ? first : { dataDir: first.dataDir });

  test("a passkey signs in without an address, a password or a code, until it is removed", async () => {
    const world = await startNodes();
    const { clock, url, other, ada } = world;
    await addApp(ada.client, clock);
    const { authenticator, passkey } = await addPasskey(url, ada, " Laptop ");
    expect(passkey).toMatchObject({ name: "Laptop", usedAt: null });
    const { options, cookie } = await begin(url);
    expect(options).toMatchObject({ rpId: "localhost", userVerification: "required" });
    // It names no account.
    expect(JSON.stringify(options)).not.toContain(authenticator.id);
    expect(cookie).toMatch(/^stonechat-passkey=[\w-]+$/);
    clock.pass(60_000);
    const signedIn = await finish(url, cookie, authenticator.get(options));
    expect([signedIn.status, signedIn.body]).toEqual([200, { userId: ada.userId }]);
    const client = clientOf(other, signedIn.cookie);
    expect((await client.listSessions({})).sessions.find(({ current }) => current)).toMatchObject({
      method: "passkey",
    });
    const { passkeys } = await client.getFactors({});
    expect(passkeys).toMatchObject([{ id: passkey.id, name: "Laptop", usedAt: clock.now() }]);
    expect(await client.renamePasskey({ params: { passkeyId: passkey.id }, body: { name: "Key" } })).toMatchObject({
      passkey: { name: "Key" },
    });
    // Removing it ends the session that it opened.
    expect(await ada.client.removePasskey({ params: { passkeyId: passkey.id } })).toEqual({ id: passkey.id, ended: 1 });
    expect((await send(url, "GET /api/me", { cookie: signedIn.cookie })).status).toBe(401);
    expect((await signInWith(url, authenticator)).status).toBe(401);
    expect((await ada.client.getFactors({})).passkeys).toEqual([]);
    const { entries } = await ada.client.listAudit({ query: { limit: 4 } });
    expect(entries).toMatchObject([
      { action: "passkey-removed", detail: { name: "Key", ended: 1 } },
      { action: "passkey-renamed", detail: { from: "Laptop", to: "Key" } },
      { action: "signed-in", detail: { with: "passkey" } },
      { action: "passkey-added", detail: { name: "Laptop" } },
    ]);
    expect(await query(placeOf(world), "select * from passkeys")).toEqual([]);
  });

  test("a challenge is answered once, within five minutes, by the browser that asked for it", async () => {
    const { clock, url, other, ada } = await startNodes();
    // Passkeys that are synced between devices have no counter, which would also reveal a repetition.
    const counter = 0;
    const { authenticator } = await addPasskey(url, ada, "Laptop", { counter });
    const { options, cookie } = await begin(url);
    const second = await begin(url);
    const credential = authenticator.get(options, { counter });
    for (const given of ["", "stonechat-passkey=x", second.cookie, ada.cookie]) {
      expect([400, 401], given).toContain((await finish(url, given, credential)).status);
    }
    const replies = await Promise.all(
      Array.from({ length: 4 }, (_, n) => finish(n % 2 ? url : other, cookie, credential)),
    );
    expect(replies.map(({ status }) => status === 200).toSorted()).toEqual([false, false, false, true]);
    expect((await finish(url, cookie, credential)).status).not.toBe(200);
    const late = await begin(url);
    clock.pass(5 * 60_000);
    expect((await finish(url, late.cookie, authenticator.get(late.options, { counter }))).status).toBe(400);
    expect((await signInWith(url, authenticator, { counter })).status).toBe(200);
  });

  test("refuses an assertion that does not fit, and says no more than that", async () => {
    const { url, ada } = await startNodes();
    const bob = await join(url, ada, { email: "bob@example.com" });
    const { authenticator } = await addPasskey(url, bob, "Laptop");
    const adas = await addPasskey(url, ada, "Phone");
    const texts = new Set<unknown>();
    const refused = async (quirks: Quirks, one: Authenticator = authenticator) => {
      const reply = await signInWith(url, one, quirks);
      expect(reply.status, JSON.stringify(quirks)).toBe(401);
      texts.add((reply.body["error"] as { message: string }).message);
    };
    const { options } = await begin(url);
    await refused({ challenge: options.challenge });
    await refused({ origin: "https://chat.example.com" });
    await refused({ origin: url.replace("localhost", "127.0.0.1") });
    await refused({ rpId: "example.com" });
    await refused({ isVerified: false });
    await refused({ userHandle: "" }, createAuthenticator(url));
    await refused({ userHandle: "bG9jYWw" });
    expect((await signInWith(url, authenticator, { counter: 41 })).status).toBe(200);
    // A clone of the authenticator has an older counter.
    await refused({ counter: 41 });
    await refused({ counter: 40 });
    expect((await signInWith(url, authenticator, { counter: 42 })).status).toBe(200);
    await ada.client.changePerson({ params: { userId: bob.userId }, body: { state: "suspended" } });
    await refused({ counter: 43 });
    expect(texts.size).toBe(1);
    // The signature of another passkey under this id.
    const started = await begin(url);
    const forged = { ...adas.authenticator.get(started.options), id: authenticator.id };
    expect((await finish(url, started.cookie, forged)).status).toBe(401);
    expect((await signInWith(url, adas.authenticator)).body).toEqual({ userId: ada.userId });
  });

  test("is added only to the account and by the session that asked, with a verified user", async () => {
    const { clock, url, ada } = await startNodes();
    const bob = await join(url, ada, { email: "bob@example.com" });
    const client = clientAt(url, ada);
    const { options, state } = await client.startPasskey({ body: {} });
    expect(options).toMatchObject({
      rp: { id: "localhost" },
      attestation: "none",
      authenticatorSelection: { residentKey: "required", userVerification: "required" },
    });
    const add = (by: { readonly cookie: string }, body: { state: string; credential: object; name?: string }) =>
      send(url, "POST /api/account/passkeys", { cookie: by.cookie, body: { name: "x", ...body } });
    const authenticator = createAuthenticator(url);
    const credential = authenticator.create(options);
    expect((await add(bob, { state, credential })).status).toBe(400);
    expect((await add({ cookie: (await signIn(url, ada.email)).cookie }, { state, credential })).status).toBe(400);
    expect((await add(ada, { state: "x", credential })).status).toBe(400);
    for (const quirks of [
      { isVerified: false },
      { origin: "http://localhost" },
      { rpId: "example.com" },
      { challenge: "AAAA" },
    ]) {
      const bad = createAuthenticator(url).create(options, quirks);
      expect((await add(ada, { state, credential: bad })).status, JSON.stringify(quirks)).toBe(400);
    }
    for (const name of ["", " ", "x".repeat(101)]) {
      expect((await add(ada, { state, credential, name })).status).toBe(400);
    }
    expect((await add(ada, { state, credential })).status).toBe(201);
    expect((await add(ada, { state, credential })).status).toBe(409);
    // The authenticator is asked not to make a second one for the same account.
    expect((await client.startPasskey({ body: {} })).options).toMatchObject({
      excludeCredentials: [{ id: authenticator.id, transports: ["internal"] }],
    });
    const { passkeys } = await ada.client.getFactors({});
    const params = { passkeyId: passkeys[0]?.id ?? "" };
    await expect(bob.client.removePasskey({ params })).rejects.toMatchObject({ status: 404 });
    await expect(bob.client.renamePasskey({ params, body: { name: "mine" } })).rejects.toMatchObject({ status: 404 });
    clock.pass(10 * 60_000);
    await expect(client.startPasskey({ body: {} })).rejects.toMatchObject({ status: 428 });
    await expect(client.removePasskey({ params })).rejects.toMatchObject({ status: 428 });
  });

  test("a passkey of the account confirms a change, and one of another account does not", async () => {
    const { clock, url, ada } = await startNodes();
    const bob = await join(url, ada, { email: "bob@example.com" });
    const own = await addPasskey(url, bob, "Laptop");
    const foreign = await addPasskey(url, ada, "Phone");
    clock.pass(10 * 60_000);
    const client = clientAt(url, bob);
    await expect(client.confirmUser({ body: {} })).rejects.toMatchObject({ status: 428 });
    const confirm = async (authenticator: Authenticator, by = bob) => {
      const { options, state } = await client.startConfirmation({ body: {} });
      const passkey = { state, credential: authenticator.get(options) };
      return (await send(url, "POST /api/account/confirm", { cookie: by.cookie, body: { passkey } })).status;
    };
    expect(await confirm(foreign.authenticator)).toBe(403);
    expect(await confirm(own.authenticator, ada)).toBe(400);
    await expect(client.confirmUser({ body: {} })).rejects.toMatchObject({ status: 428 });
    expect(await confirm(own.authenticator)).toBe(200);
    expect(await client.confirmUser({ body: {} })).toEqual({});
    expect(await client.removePasskey({ params: { passkeyId: own.passkey.id } })).toMatchObject({ id: own.passkey.id });
    await expect(client.startConfirmation({ body: {} })).rejects.toMatchObject({ status: 400 });
  });

  test("an account without a password keeps one way to sign in, also if two are removed at once", async () => {
    const { oidc, ...instance } = await startWithOidc(start, { STONECHAT_OIDC_SIGN_UP: "on" });
    const url = toLocalhost(instance.url);
    oidc.users.set("bob", { sub: "bob", email: "bob@example.com", name: "Bob" });
    const { jar } = await oidcSignIn(instance.url, "bob");
    const cookie = [...jar.cookies].map(([name, value]) => `${name}=${value}`).join("; ");
    const bob: Person = { userId: "", cookie, client: clientAt(url, { cookie }), email: "bob@example.com" };
    const { passkey, authenticator } = await addPasskey(url, bob, "Laptop");
    await expect(bob.client.startAuthenticator({ body: {} })).rejects.toMatchObject({ status: 400 });
    const { identities } = await bob.client.listIdentities({});
    const settled = await Promise.allSettled([
      bob.client.removePasskey({ params: { passkeyId: passkey.id } }),
      bob.client.removeIdentity({ params: { identityId: identities[0]?.id ?? "" } }),
    ]);
    expect(settled.filter(({ status }) => status === "fulfilled")).toHaveLength(1);
    const left = [
      ...(await bob.client.getFactors({})).passkeys.map(({ id }) => id),
      ...(await bob.client.listIdentities({})).identities.map(({ id }) => id),
    ];
    expect(left).toHaveLength(1);
    const isPasskey = left[0] === passkey.id;
    await expect(
      isPasskey
        ? bob.client.removePasskey({ params: { passkeyId: passkey.id } })
        : bob.client.removeIdentity({ params: { identityId: left[0] ?? "" } }),
    ).rejects.toMatchObject({ status: 409 });
    const again = isPasskey ? await signInWith(url, authenticator) : await oidcSignIn(instance.url, "bob");
    expect([200, 303]).toContain(again.status);
    // A recent proof sets the first password. Then the last one can go.
    expect(await bob.client.changePassword({ body: { next: password } })).toMatchObject({ ended: expect.any(Number) });
    expect((await signIn(url, bob.email)).status).toBe(200);
    await expect(bob.client.changePassword({ body: { next: "another password entirely" } })).rejects.toMatchObject({
      status: 400,
    });
  });
});

test("passkeys belong to the public address, and are refused elsewhere and at an IP address", async () => {
  const plain = await startInstance({ env: accountsOn });
  await setUp(plain);
  const messageOf = async (url: string, origin: string) => {
    const reply = await send(url, "POST /api/sign-in/passkey/start", { headers: { origin } });
    return [reply.status, String((reply.body["error"] as { message?: string } | undefined)?.message ?? "")];
  };
  expect(await messageOf(plain.url, plain.url)).toEqual([400, expect.stringContaining("IP address")]);
  expect((await send(plain.url, "GET /api/instance")).body).not.toHaveProperty("passkeyOrigin");
  const set = await startInstance({
    env: { ...accountsOn, STONECHAT_PUBLIC_URL: "https://chat.example.com", STONECHAT_HOSTS: "chat.example.com" },
  });
  await setUp(set);
  expect(await messageOf(toLocalhost(set.url), toLocalhost(set.url))).toEqual([
    400,
    expect.stringContaining("chat.example.com"),
  ]);
  expect((await send(set.url, "GET /api/instance")).body).toMatchObject({ passkeyOrigin: "https://chat.example.com" });
  const { status, cookie, options } = await begin(set.url, { origin: "https://chat.example.com" });
  expect([status, options]).toMatchObject([200, { rpId: "chat.example.com" }]);
  expect(cookie).toMatch(/^__Host-stonechat-passkey=/);
});
