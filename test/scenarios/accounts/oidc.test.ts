import { expect, test } from "vitest";
import { accountsOn, join, send, setUp, signIn } from "../../support/accounts/accounts-instance.ts";
import { authorizeAs, startOidcServer } from "../../support/accounts/oidc-server.ts";
import {
  createJar,
  keepCookies,
  me,
  oidcSignIn,
  startAs,
  startWithOidc,
  visit,
} from "../../support/accounts/oidc-instance.ts";
import { findFreePort } from "../../support/free-port.ts";
import { startInstance } from "../../support/instance.ts";
import { query } from "../../support/server/database.ts";
import { describeOnBoth } from "../settings/on-both.ts";

describeOnBoth("sign-in with a provider", (start, kind) => {
  const placeOf = (instance: { dataDir: string; databaseUrl: string }) =>
    kind === "postgres" ? instance : { dataDir: instance.dataDir };

  test("a user links it and signs in with it; removing it ends that", async () => {
    const { url, oidc, ada, ...instance } = await startWithOidc(start);
    oidc.users.set("u1", { sub: "u1", email: "someone@else.example" });
    expect((await send(url, "GET /api/instance")).body).toMatchObject({ oidc: { name: "Example Login" } });
    // Unknown users get no account.
    const unknown = await oidcSignIn(url, "u1");
    expect([unknown.status, unknown.text]).toEqual([403, expect.stringContaining("No account is linked")]);
    expect((await me(url, unknown.jar)).status).toBe(401);

    const jar = createJar();
    jar.cookies.set("stonechat-session", ada.cookie.split("=")[1] ?? "");
    const linked = await oidcSignIn(url, "u1", { jar, query: "?link=1&to=/settings/account" });
    expect([linked.status, linked.location]).toEqual([303, "/settings/account"]);
    // The session stays as it was.
    expect(linked.setCookies.some((one) => one.startsWith("stonechat-session="))).toBe(false);
    const { identities, provider } = await ada.client.listIdentities({ params: {} });
    expect(provider).toEqual({ name: "Example Login" });
    expect(identities).toMatchObject([{ issuer: oidc.issuer, label: "someone@else.example" }]);

    const signedIn = await oidcSignIn(url, "u1", { query: "?to=/t/harbour" });
    expect([signedIn.status, signedIn.location]).toEqual([303, "/t/harbour#signed-in"]);
    expect(await me(url, signedIn.jar)).toMatchObject({ status: 200, body: { userId: ada.userId } });
    const [session] = signedIn.setCookies.filter((one) => one.startsWith("stonechat-session="));
    expect(session).toMatch(/^stonechat-session=[\w-]{43}; Path=\/; Max-Age=2592000; HttpOnly; SameSite=Strict$/);
    const { sessions } = await ada.client.listSessions({ params: {} });
    expect(sessions.map(({ method }) => method).toSorted()).toEqual(["oidc", "setup"]);

    await ada.client.removeIdentity({ params: { identityId: identities[0]?.id ?? "" } });
    expect((await oidcSignIn(url, "u1")).status).toBe(403);
    const actions = await query<{ action: string }>(placeOf(instance), "select action from audit order by id");
    expect(actions.map(({ action }) => action)).toEqual([
      ...["set-up", "identity-linked", "signed-in", "identity-removed"],
    ]);
  });

  test("a callback works once, in the browser that started it, with its state", async () => {
    const { url, oidc, ada } = await startWithOidc(start, { STONECHAT_OIDC_SIGN_UP: "on" });
    oidc.users.set("u1", { sub: "u1", email: "bob@example.com", name: "Bob" });
    oidc.users.set("evil", { sub: "evil", email: "evil@example.com" });
    const refused = "was started in another browser";

    // Another browser, with no cookie or with that of another sign-in.
    const jar = createJar();
    const callback = await startAs(url, jar, "u1");
    for (const other of [createJar(), await otherBrowser(url)]) {
      const before = new Map(other.cookies);
      const reply = await visit(other, callback);
      expect([reply.status, reply.text]).toEqual([400, expect.stringContaining(refused)]);
      expect(other.cookies).toEqual(before);
    }
    // A wrong state, and the code of another user with the right state.
    const wrong = new URL(callback);
    wrong.searchParams.set("state", "x".repeat(43));
    expect((await visit(jar, wrong.href)).status).toBe(400);
    const evil = new URL(await startAs(url, createJar(), "evil"));
    const mixed = new URL(callback);
    mixed.searchParams.set("code", evil.searchParams.get("code") ?? "");
    const attacker = await visit(jar, mixed.href);
    expect([attacker.status, attacker.text]).toEqual([400, expect.stringContaining("did not confirm")]);
    expect((await me(url, jar)).status).toBe(401);

    // A replay of a complete sign-in, with the cookie that the browser had.
    const fresh = createJar();
    const second = await startAs(url, fresh, "u1");
    const copy = { cookies: new Map(fresh.cookies) };
    expect((await visit(fresh, second)).status).toBe(303);
    expect((await me(url, fresh)).body).toMatchObject({
      account: { name: "Bob", email: "bob@example.com", role: "member" },
    });
    const replay = await visit(copy, second);
    expect([replay.status, replay.text]).toEqual([400, expect.stringContaining(refused)]);
    expect((await me(url, copy)).status).toBe(401);
    // The control: one account was created, and no more.
    expect((await ada.client.listPeople({ params: {} })).people.map(({ email }) => email)).toEqual([
      ...["ada@example.com", "bob@example.com"],
    ]);
  });

  async function otherBrowser(url: string) {
    const other = createJar();
    await visit(other, `${url}/api/sign-in/oidc`);
    expect(other.cookies.size).toBe(1);
    return other;
  }

  test("accounts are created only for verified addresses of allowed domains, and never merged by address", async () => {
    const { url, oidc, ada } = await startWithOidc(start, { STONECHAT_OIDC_SIGN_UP: "example.com" });
    oidc.users.set("unverified", { sub: "unverified", email: "mallory@example.com", verified: false });
    oidc.users.set("other", { sub: "other", email: "mallory@else.example" });
    oidc.users.set("sub-domain", { sub: "sub-domain", email: "mallory@evil-example.com" });
    oidc.users.set("as-ada", { sub: "as-ada", email: "ada@example.com" });
    oidc.users.set("as-ada-unverified", { sub: "as-ada-unverified", email: "ADA@example.com", verified: false });
    oidc.users.set("nothing", { sub: "nothing" });
    const texts: Readonly<Record<string, [number, string]>> = {
      unverified: [403, "has not verified your email address"],
      other: [403, "No account is linked"],
      "sub-domain": [403, "No account is linked"],
      "as-ada": [409, "An account with the address ada@example.com exists"],
      "as-ada-unverified": [403, "has not verified your email address"],
      nothing: [403, "has not verified your email address"],
      denied: [403, "The provider refused this sign-in"],
    };
    for (const [sub, [status, text]] of Object.entries(texts)) {
      const reply = await oidcSignIn(url, sub);
      expect([reply.status, reply.text], sub).toEqual([status, expect.stringContaining(text)]);
      expect(reply.text).not.toContain("<b>no</b>");
      expect((await me(url, reply.jar)).status, sub).toBe(401);
    }
    expect((await ada.client.listPeople({ params: {} })).people).toHaveLength(1);
    oidc.users.set("good", { sub: "good", email: "Grace@Example.com", name: "Grace" });
    const good = await oidcSignIn(url, "good");
    expect((await me(url, good.jar)).body).toMatchObject({ account: { name: "Grace", email: "grace@example.com" } });
    // She has no password and no other way to sign in.
    const people = await ada.client.listPeople({ params: {} });
    expect(people.people.map(({ name }) => name)).toEqual(["Ada", "Grace"]);
    expect((await signIn(url, "grace@example.com", "")).status).toBe(400);
    expect((await signIn(url, "grace@example.com", "anything at all")).status).toBe(401);
    const cookie = [...good.jar.cookies].map(([name, value]) => `${name}=${value}`).join("; ");
    const { identities } = (await send(url, "GET /api/account/identities", { cookie })).body as {
      identities: { id: string }[];
    };
    const removal = await send(url, `DELETE /api/account/identities/${identities[0]?.id}`, { cookie });
    expect([removal.status, JSON.stringify(removal.body)]).toEqual([
      409,
      expect.stringContaining("only way to sign in"),
    ]);
    // With a reset link she gets one, and then she can remove it.
    const { token } = await ada.client.createResetLink({ params: { userId: people.people[1]?.id ?? "" }, body: {} });
    const reset = await send(url, "POST /api/password-reset", { body: { token, password: "a password of grace" } });
    expect(reset.status).toBe(200);
    const removed = await send(url, `DELETE /api/account/identities/${identities[0]?.id}`, { cookie: reset.cookie });
    expect(removed.status).toBe(200);
  });

  test("a suspended account and an ended session are refused, and an identity stays with its account", async () => {
    const { url, oidc, ada } = await startWithOidc(start);
    oidc.users.set("u1", { sub: "u1", email: "bob@example.com" });
    const bob = await join(url, ada, { email: "bob@example.com" });
    const jarOf = (cookie: string) => ({ cookies: new Map([["stonechat-session", cookie.split("=")[1] ?? ""]]) });
    expect((await oidcSignIn(url, "u1", { jar: jarOf(bob.cookie), query: "?link=1" })).status).toBe(303);
    // Ada cannot take the identity of Bob.
    const taking = await oidcSignIn(url, "u1", { jar: jarOf(ada.cookie), query: "?link=1" });
    expect([taking.status, taking.text]).toEqual([409, expect.stringContaining("belongs to another account")]);
    // Nor can she see or remove it.
    const [identity] = (await bob.client.listIdentities({ params: {} })).identities;
    expect((await ada.client.listIdentities({ params: {} })).identities).toEqual([]);
    for (const identityId of [identity?.id ?? "", "unknown"]) {
      const path = `DELETE /api/account/identities/${identityId}`;
      expect((await send(url, path, { cookie: ada.cookie })).status, identityId).toBe(404);
    }
    expect((await bob.client.listIdentities({ params: {} })).identities).toEqual([identity]);
    // A sign-in that was started before the session ended links nothing.
    oidc.users.set("u2", { sub: "u2", email: "cy@example.com" });
    const jar = jarOf(bob.cookie);
    const callback = await startAs(url, jar, "u2", "?link=1");
    await ada.client.signOutPerson({ params: { userId: bob.userId }, body: {} });
    const late = await visit(jar, callback);
    expect([late.status, late.text]).toEqual([401, expect.stringContaining("session has ended")]);
    expect((await oidcSignIn(url, "u2")).status).toBe(403);
    // A key cannot link, because its owner may not sit in front of this browser.
    const { token: key } = await ada.client.createKey({ body: { id: "k", name: "k", scopes: ["admin"] } });
    expect(
      (await visit(createJar(), `${url}/api/sign-in/oidc?link=1`, { authorization: `Bearer ${key}` })).status,
    ).toBe(403);
    expect((await visit(createJar(), `${url}/api/sign-in/oidc?link=1`)).status).toBe(401);

    expect((await oidcSignIn(url, "u1")).status).toBe(303);
    const running = createJar();
    const suspended = await startAs(url, running, "u1");
    await ada.client.changePerson({ params: { userId: bob.userId }, body: { state: "suspended" } });
    const reply = await visit(running, suspended);
    expect([reply.status, reply.text]).toEqual([403, expect.stringContaining("suspended")]);
    expect((await me(url, running)).status).toBe(401);
  });

  test("an invitation can be accepted with the provider, once, by its address", async () => {
    const { url, oidc, ada } = await startWithOidc(start);
    oidc.users.set("eve", { sub: "eve", email: "eve@example.com" });
    oidc.users.set("bob", { sub: "bob", email: "bob@example.com", name: "Bob" });
    const invitation = await ada.client.createInvitation({
      body: { id: "i1", email: "bob@example.com", role: "admin" },
    });
    const accept = async (sub: string, token: string) => {
      const jar = createJar();
      const response = await fetch(`${url}/api/sign-in/oidc`, {
        method: "POST",
        headers: { "content-type": "application/json" },
        body: JSON.stringify({ invitation: token }),
      });
      keepCookies(jar, response.headers.getSetCookie());
      const { url: next } = (await response.json()) as { url: string };
      return { ...(await visit(jar, await authorizeAs(next, sub))), jar };
    };
    const eve = await accept("eve", invitation.token);
    expect([eve.status, eve.text]).toEqual([403, expect.stringContaining("This invitation is for bob@example.com")]);
    const bob = await accept("bob", invitation.token);
    expect((await me(url, bob.jar)).body).toMatchObject({ account: { email: "bob@example.com", role: "admin" } });
    expect((await accept("eve", invitation.token)).status).toBe(404);
    expect((await accept("eve", "x".repeat(43))).status).toBe(404);
    // Without a verified address the account gets that of the invitation, or none is created.
    oidc.users.set("cy", { sub: "cy", email: "ada@example.com", verified: false });
    const open = await ada.client.createInvitation({ body: { id: "i2" } });
    expect((await accept("cy", open.token)).status).toBe(403);
    const named = await ada.client.createInvitation({ body: { id: "i3", email: "cy@example.com" } });
    const cy = await accept("cy", named.token);
    expect((await me(url, cy.jar)).body).toMatchObject({ account: { email: "cy@example.com", role: "member" } });
    // The address of another account cannot be used again.
    oidc.users.set("again", { sub: "again", email: "ada@example.com" });
    expect((await accept("again", open.token)).status).toBe(409);
    expect((await oidcSignIn(url, "bob")).status).toBe(303);
  });
});

test("no path leads to another site", async () => {
  const { url, oidc } = await startWithOidc(start, { STONECHAT_OIDC_SIGN_UP: "on" });
  oidc.users.set("u1", { sub: "u1", email: "bob@example.com" });
  const targets = [
    ...[
      "https://evil.example/",
      "//evil.example/",
      "/\\evil.example/",
      "/%09/evil.example",
      "\\\\evil.example",
      "javascript:alert(1)",
    ],
    ...["/..//evil.example/", "/api/sign-out", "/t/a\r\nset-cookie: x=y", " /t/a", "http:evil.example"],
  ];
  for (const to of targets) {
    const { status, location } = await oidcSignIn(url, "u1", { query: `?to=${encodeURIComponent(to)}` });
    expect(status).toBe(303);
    expect(new URL(location ?? "", url).origin, to).toBe(new URL(url).origin);
    expect(new URL(location ?? "", url).pathname, to).not.toMatch(/^\/api/);
  }
  expect((await oidcSignIn(url, "u1", { query: "?to=/t/harbour?a=b" })).location).toBe("/t/harbour?a=b#signed-in");
});

test("another site can neither start a sign-in nor load its callback into a frame", async () => {
  const { url } = await startWithOidc(start);
  const cases: readonly [string, Record<string, string>, number][] = [
    ["/api/sign-in/oidc", { "sec-fetch-site": "cross-site", "sec-fetch-mode": "navigate" }, 403],
    ["/api/sign-in/oidc", { "sec-fetch-site": "same-site", "sec-fetch-mode": "navigate" }, 403],
    ["/api/sign-in/oidc/callback?state=a", { "sec-fetch-site": "cross-site", "sec-fetch-mode": "no-cors" }, 403],
    [
      "/api/sign-in/oidc/callback?state=a",
      { "sec-fetch-site": "cross-site", "sec-fetch-mode": "navigate", "sec-fetch-dest": "iframe" },
      403,
    ],
    [
      "/api/sign-in/oidc/callback?state=a",
      { "sec-fetch-site": "cross-site", "sec-fetch-mode": "navigate", "sec-fetch-dest": "document" },
      400,
    ],
    ["/api/sign-in/oidc", { "sec-fetch-site": "same-origin", "sec-fetch-mode": "navigate" }, 303],
  ];
  for (const [path, headers, status] of cases) {
    expect((await visit(createJar(), url + path, headers)).status, `${path} ${JSON.stringify(headers)}`).toBe(status);
  }
});

test("a provider that is down does not keep the server from starting, and is tried again", async () => {
  const [port, providerPort] = [await findFreePort(), await findFreePort()];
  const instance = await startInstance({
    env: {
      ...accountsOn,
      STONECHAT_PORT: String(port),
      STONECHAT_OIDC_ISSUER: `http://127.0.0.1:${providerPort}`,
      STONECHAT_OIDC_CLIENT_ID: "stonechat",
      STONECHAT_OIDC_CLIENT_SECRET: "a-secret-of-the-oidc-client",
    },
  });
  const { url } = instance;
  // Before there is an admin, no one can sign in.
  expect((await visit(createJar(), `${url}/api/sign-in/oidc`)).status).toBe(401);
  await setUp(instance);
  const down = await visit(createJar(), `${url}/api/sign-in/oidc`);
  expect([down.status, down.text]).toEqual([
    503,
    expect.stringContaining("127.0.0.1 cannot be reached. Try again later"),
  ]);
  expect((await signIn(url, "ada@example.com")).status).toBe(200);
  await startOidcServer([`${url}/api/sign-in/oidc/callback`], { port: providerPort });
  expect((await visit(createJar(), `${url}/api/sign-in/oidc`)).status).toBe(303);
});

test("an issuer that differs from its metadata is refused", async () => {
  const other = await startOidcServer(["http://127.0.0.1:1/api/sign-in/oidc/callback"]);
  const env = {
    ...{ ...accountsOn, STONECHAT_OIDC_ISSUER: `${other.issuer}/realm`, STONECHAT_OIDC_CLIENT_ID: "stonechat" },
    STONECHAT_OIDC_CLIENT_SECRET: "a-secret-of-the-oidc-client",
  };
  const instance = await startInstance({ env });
  await setUp(instance);
  const reply = await visit(createJar(), `${instance.url}/api/sign-in/oidc`);
  expect([reply.status, reply.text]).toEqual([503, expect.stringContaining("ask the operator to look at the log")]);
});

test("the address of the issuer is allowed for sign-in only", async () => {
  const { url, oidc, ada } = await startWithOidc(start);
  expect((await visit(createJar(), `${url}/api/sign-in/oidc`)).status).toBe(303);
  const before = oidc.requests.length;
  expect(before).toBeGreaterThan(0);
  await send(url, "POST /api/mcp", { cookie: ada.cookie, body: { name: "notes", url: oidc.issuer } });
  await send(url, "GET /api/tools", { cookie: ada.cookie });
  await expect
    .poll(async () => JSON.stringify((await send(url, "GET /api/mcp", { cookie: ada.cookie })).body))
    .toContain("not on the public internet");
  expect(oidc.requests).toHaveLength(before);
});

async function start(options: Parameters<typeof startInstance>[0]) {
  return { ...(await startInstance(options)), databaseUrl: "" };
}
