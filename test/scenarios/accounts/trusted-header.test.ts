import { request } from "node:http";
import { expect, test } from "vitest";
import { accountsOn, send, setUp, watchStream } from "../../support/accounts/accounts-instance.ts";
import { startInstance } from "../../support/instance.ts";
import { describeOnBoth } from "../settings/on-both.ts";

const env = {
  ...accountsOn,
  STONECHAT_TRUSTED_HEADER: "X-Forwarded-User",
  STONECHAT_TRUSTED_PROXIES: "127.0.0.1",
} as const;
const as = (email: string) => ({ "x-forwarded-user": email });
const fromPage = { "sec-fetch-site": "same-origin", "sec-fetch-mode": "cors" } as const;

describeOnBoth("the header of a trusted proxy", (start) => {
  test("signs in to the account with this address, with its role, until it is suspended", async () => {
    const instance = await start({ env });
    const { url } = instance;
    // No one becomes the first admin with it.
    expect((await raw(url, "GET /api/me", as("ada@example.com"))).status).toBe(401);
    const ada = await setUp(instance);
    const invited = await ada.client.createInvitation({ body: { id: "i", email: "bob@example.com" } });
    const bob = await send(url, "POST /api/invitations/accept", {
      body: { token: invited.token, name: "Bob", email: "bob@example.com", password: "a password for tests" },
    });
    const userId = String(bob.body["userId"]);
    expect((await raw(url, "GET /api/me", as(" BOB@example.com "))).body).toMatchObject({
      ...{ userId, signIn: "proxy" },
      account: { email: "bob@example.com", role: "member" },
    });
    // The header goes before the cookie of another user.
    expect((await raw(url, "GET /api/me", { ...as("bob@example.com"), cookie: ada.cookie })).body).toMatchObject({
      userId,
    });
    expect((await raw(url, "GET /api/people", as("bob@example.com"))).status).toBe(403);
    expect((await raw(url, "GET /api/people", as("ada@example.com"))).status).toBe(200);
    // Without the header, the session counts.
    expect((await raw(url, "GET /api/me", { cookie: ada.cookie })).body).toMatchObject({
      userId: ada.userId,
      signIn: "password",
    });

    const { ended, seen } = await watchStream(url, "/api/stream", as("bob@example.com"));
    await ada.client.changePerson({ params: { userId }, body: { state: "suspended" } });
    await ended;
    expect(seen.text).not.toContain("error");
    const refused = await raw(url, "GET /api/me", as("bob@example.com"));
    expect([refused.status, JSON.stringify(refused.body)]).toEqual([401, expect.stringContaining("suspended")]);
  });

  test("creates accounts only if the operator allows it, one for each address", async () => {
    const instance = await start({ env: { ...env, STONECHAT_TRUSTED_HEADER_SIGN_UP: "on" } });
    const { url } = instance;
    const ada = await setUp(instance);
    const replies = await Promise.all(Array.from({ length: 8 }, () => raw(url, "GET /api/me", as("bob@example.com"))));
    expect(new Set(replies.map(({ status, body }) => `${status} ${String(body["userId"])}`)).size).toBe(1);
    expect(replies[0]).toMatchObject({ status: 200, body: { account: { name: "bob", role: "member" } } });
    for (const given of ["", "bob", "bob@example.com, ada@example.com", "a b@example.com"])
      expect((await raw(url, "GET /api/me", as(given))).status, given).toBe(401);
    expect((await ada.client.listPeople({ params: {} })).people).toHaveLength(2);
    const entries = (await ada.client.listAudit({ query: {} })).entries.map(({ action }) => action);
    expect(entries).toEqual(["signed-up", "set-up"]);
  });
});

test("the header is ignored from an address that is not listed", async () => {
  const instance = await startInstance({ env: { ...env, STONECHAT_TRUSTED_PROXIES: "192.0.2.7" } });
  const { url } = instance;
  const ada = await setUp(instance);
  for (const headers of [
    as(ada.email),
    { ...as(ada.email), "x-forwarded-for": "192.0.2.7" },
    { ...as(ada.email), forwarded: "for=192.0.2.7" },
    { ...as(ada.email), "x-real-ip": "192.0.2.7" },
  ])
    expect((await raw(url, "GET /api/me", headers)).status, JSON.stringify(headers)).toBe(401);
  // Its session is what counts.
  const { body } = await raw(url, "GET /api/me", { ...as("eve@example.com"), cookie: ada.cookie });
  expect(body).toMatchObject({ userId: ada.userId, signIn: "password" });
});

test("without the setting no proxy can sign in", async () => {
  const instance = await startInstance({ env: { ...accountsOn, STONECHAT_TRUSTED_PROXIES: "127.0.0.1" } });
  const ada = await setUp(instance);
  for (const name of ["x-forwarded-user", "x-forwarded-email", "remote-user", "x-remote-user"])
    expect((await raw(instance.url, "GET /api/me", { [name]: ada.email })).status).toBe(401);
});

test("only our page can change something: a proxy's cookie may come from another site", async () => {
  const instance = await startInstance({ env });
  const { url } = instance;
  const ada = await setUp(instance);
  const user = as(ada.email);
  const host = new URL(url).host;
  const body = JSON.stringify({ id: "t1" });
  const refused: readonly Record<string, string>[] = [
    {},
    { origin: "https://evil.example" },
    { origin: "null" },
    { origin: "https://evil.example", "sec-fetch-site": "same-origin" },
    { "sec-fetch-site": "cross-site" },
    { "sec-fetch-site": "same-site" },
    { "sec-fetch-site": "none" },
    { referer: `http://${host}/` },
    { origin: "https://evil.example", authorization: "Basic YTpi" },
  ];
  for (const headers of refused)
    expect((await raw(url, "POST /api/threads", { ...user, ...headers }, body)).status, JSON.stringify(headers)).toBe(
      403,
    );
  expect((await raw(url, "GET /api/export", { ...user, "sec-fetch-site": "cross-site" })).status).toBe(403);
  expect((await raw(url, "POST /mcp", user, "{}")).status).toBe(403);
  expect((await raw(url, "GET /api/threads", user)).body).toMatchObject({ threads: [] });
  // The control: our page can, and so can a program with a key.
  expect((await raw(url, "POST /api/threads", { ...user, ...fromPage }, body)).status).toBe(201);
  expect(
    (await raw(url, "POST /api/threads", { ...user, origin: `http://${host}` }, JSON.stringify({ id: "t2" }))).status,
  ).toBe(201);
  const { token } = await ada.client.createKey({ body: { id: "k", name: "k", scopes: ["chat"] } });
  const withKey = { ...user, authorization: `Bearer ${token}` };
  expect((await raw(url, "POST /api/threads", withKey, JSON.stringify({ id: "t3" }))).status).toBe(201);
  expect((await raw(url, "GET /api/people", withKey)).status).toBe(403);
});

test("no one can take the address of another user", async () => {
  const instance = await startInstance({ env: { ...env, STONECHAT_TRUSTED_HEADER_SIGN_UP: "on" } });
  const { url } = instance;
  const ada = await setUp(instance);
  const change = { email: "boss@example.com", password: "a password for tests" };
  const changed = await send(url, "PATCH /api/account", { cookie: ada.cookie, body: change });
  expect([changed.status, JSON.stringify(changed.body)]).toEqual([
    403,
    expect.stringContaining("cannot be changed here"),
  ]);
  const open = await send(url, "POST /api/invitations", { cookie: ada.cookie, body: { id: "i" } });
  expect([open.status, JSON.stringify(open.body)]).toEqual([400, expect.stringContaining("Enter the address")]);
  expect((await raw(url, "GET /api/me", as("boss@example.com"))).body).not.toMatchObject({ userId: ada.userId });
});

/** Not by `fetch`, which sets its own `Sec-Fetch-Mode` and refuses some headers. */
async function raw(url: string, route: string, headers: Record<string, string>, body?: string) {
  const [method = "", path = ""] = route.split(" ");
  const type: Record<string, string> = body === undefined ? {} : { "content-type": "application/json" };
  return new Promise<{ status: number; body: Record<string, unknown> }>((resolve, reject) => {
    const sent = request(url + path, { method, headers: { ...type, ...headers } }, (response) => {
      let text = "";
      response.on("data", (chunk: Buffer) => (text += chunk.toString()));
      response.on("end", () => {
        const parsed = text.startsWith("{") ? (JSON.parse(text) as Record<string, unknown>) : {};
        resolve({ status: response.statusCode ?? 0, body: parsed });
      });
    });
    sent.on("error", reject);
    sent.end(body);
  });
}
