import { describe, expect, test } from "vitest";
import { routes, type RouteName } from "../../protocol/routes.ts";
import { scopes, type Scope } from "../../protocol/scopes.ts";
import { accountsOn, join, password, setUp, signIn, type Person } from "../support/accounts/accounts-instance.ts";
import { say } from "../support/instance.ts";
import { describeOnBoth } from "../scenarios/settings/on-both.ts";
import { bodies, queries } from "./route-bodies.ts";
import { adminRows, routeScopes } from "./route-rows.ts";

/** In all content that Bob has. No response to another user may contain it. */
const canary = "bobs-secret-content";
const rows = Object.keys(routeScopes);
const names = new Map(
  (Object.keys(routes) as RouteName[]).map((name) => [`${routes[name].method} ${routes[name].path}`, name]),
);
/** A proxy signs users in with a header; the mail server does not exist, because no row needs its mails. */
const mailAndHeader = {
  STONECHAT_TRUSTED_HEADER: "x-forwarded-user",
  STONECHAT_SMTP_URL: "smtp://127.0.0.1:1",
  STONECHAT_MAIL_FROM: "chat@example.com",
  STONECHAT_SIGN_UP_DOMAINS: "example.com",
};
const byProxy = (email: string) => ({ "x-forwarded-user": email, "sec-fetch-site": "same-origin" });

/** Ends the session, and is tested with the sessions. */
const signOut = "POST /api/sign-out";

type Ids = Readonly<Record<string, string>>;

async function request(url: string, row: string, { headers, ids }: { headers: Record<string, string>; ids: Ids }) {
  const [method = "", path = ""] = row.split(" ");
  const name = names.get(row);
  const filled = path.replace(/:(\w+)/g, (_, key: string) => ids[key] ?? "x-1");
  const query = (name && queries[name]) ?? (path.endsWith("/search") ? `?q=${canary}` : "");
  const response = await fetch(url + filled + query, {
    method,
    redirect: "manual",
    headers: { ...(method === "GET" ? {} : { "content-type": "application/json" }), ...headers },
    ...(method === "GET" ? {} : { body: JSON.stringify((name && bodies[name]) ?? {}) }),
  });
  const isStream = response.headers.get("content-type")?.startsWith("text/event-stream") ?? false;
  if (isStream) await response.body?.cancel();
  return { status: response.status, text: isStream ? "" : await response.text() };
}

describe("the tables of routes", () => {
  test("agree on which routes need the role admin", () => {
    const inTable = [...names].filter(([, name]) => "role" in routes[name]).map(([row]) => row);
    // Metrics are not in the route table.
    expect([...inTable, "GET /metrics"].toSorted()).toEqual([...adminRows].toSorted());
    for (const row of adminRows) expect(rows).toContain(row);
  });
});

describeOnBoth("every route with every user and credential", (start) => {
  const setUpWorld = async () => {
    const instance = await start({
      // Each credential comes from a separate address, because wrong keys are limited by address.
      env: { ...accountsOn, ...mailAndHeader, STONECHAT_TRUSTED_PROXIES: "127.0.0.1" },
      script: () => say(`An answer with ${canary}.`),
    });
    const { url } = instance;
    const ada = await setUp(instance);
    const [bob, cy, gone] = [
      await join(url, ada, { email: "bob@example.com" }),
      await join(url, ada, { email: "cy@example.com" }),
      await join(url, ada, { email: "gone@example.com" }),
    ];
    return { url, ada, bob, cy, gone, ids: await fillWithContent(bob) };
  };

  test("signed-out, suspended and revoked credentials are refused, roles and scopes are enforced, and content stays with its owner", async () => {
    const { url, ada, bob, cy, gone, ids } = await setUpWorld();
    const keyOf = async (person: Person, granted: readonly Scope[]) =>
      (await person.client.createKey({ body: { id: `key-${granted.join("-")}`, name: "key", scopes: [...granted] } }))
        .token;
    const revoked = await signIn(url, bob.email);
    await bob.client.endOtherSessions({ body: {} });
    const revokedKey = await keyOf(bob, ["read", "chat"]);
    await bob.client.revokeKey({ params: { keyId: "key-read-chat" } });
    const suspendedKey = await keyOf(gone, scopes);
    await ada.client.changePerson({ params: { userId: gone.userId }, body: { state: "suspended" } });

    const refused: readonly Record<string, string>[] = [
      {},
      { cookie: revoked.cookie },
      { cookie: gone.cookie },
      { cookie: "stonechat-session=" },
      { authorization: `Bearer ${revokedKey}` },
      { "x-api-key": revokedKey },
      { authorization: `Bearer ${suspendedKey}` },
      { "x-api-key": suspendedKey },
      { authorization: `Bearer ${bob.cookie.split("=")[1]}` },
      byProxy(gone.email),
      byProxy("nobody@example.com"),
      byProxy(""),
      { authorization: `Basic ${Buffer.from(`${bob.email}:${password}`).toString("base64")}` },
    ];
    let tried = 0;
    for (const [n, credentials] of refused.entries()) {
      const headers = { ...credentials, "x-forwarded-for": `192.0.2.${n + 1}` };
      for (const row of rows.filter((one) => routeScopes[one] !== "open")) {
        const { status, text } = await request(url, row, { headers, ids });
        expect(status, `${row} with ${JSON.stringify(headers)}`).toBe(401);
        expect(text).not.toContain(canary);
        tried += 1;
      }
    }
    expect(tried).toBe(refused.length * rows.filter((one) => routeScopes[one] !== "open").length);

    // Other users, admins included, with Bob's ids.
    const strangerKey = await keyOf(cy, scopes);
    const adminKey = await keyOf(ada, scopes);
    const others = [
      { isAdmin: false, headers: { cookie: cy.cookie } },
      { isAdmin: false, headers: { authorization: `Bearer ${strangerKey}` } },
      { isAdmin: true, headers: { cookie: ada.cookie } },
      { isAdmin: true, headers: { authorization: `Bearer ${adminKey}` } },
      { isAdmin: false, headers: byProxy(cy.email) },
      { isAdmin: true, headers: byProxy(ada.email) },
    ];
    const faults: string[] = [];
    for (const { isAdmin, headers } of others) {
      for (const row of rows) {
        // They would end the sessions of the next rows.
        if (row === signOut || row === "POST /api/sessions/end-others") continue;
        const { status, text } = await request(url, row, { headers, ids });
        const isRefused = status === 401 || status === 403;
        const isRight =
          !text.includes(canary) &&
          (routeScopes[row] === "open" || isRefused === (adminRows.has(row) && !isAdmin)) &&
          (!/:(threadId|projectId)/.test(row) || status === 404);
        if (!isRight) faults.push(`${row} as ${isAdmin ? "an admin" : "a stranger"}: ${status} ${text.slice(0, 200)}`);
      }
    }
    expect(faults).toEqual([]);

    // Bob, and a key of each scope, which lacks the others.
    const keys = new Map<string, Record<string, string>>();
    for (const scope of scopes) keys.set(scope, { authorization: `Bearer ${await keyOf(bob, [scope])}` });
    const own = [["", { cookie: bob.cookie }], ["", byProxy(bob.email)], ...keys] as const;
    const readsFirst = rows.toSorted((a, b) => Number(!a.startsWith("GET")) - Number(!b.startsWith("GET")));
    let found = 0;
    for (const [scope, headers] of own) {
      for (const row of readsFirst.filter((one) => one !== signOut && routeScopes[one] !== "open")) {
        const { status, text } = await request(url, row, { headers, ids });
        const isAllowed = !adminRows.has(row) && (scope === "" || routeScopes[row] === scope);
        const isRight = isAllowed ? status !== 401 && status !== 403 : status === 403;
        if (!isRight) faults.push(`${row} with ${scope || "a cookie"}: ${status} ${text.slice(0, 200)}`);
        if (text.includes(canary)) found += 1;
      }
    }
    expect(faults).toEqual([]);
    // The control: the owner does see the content.
    expect(found).toBeGreaterThan(15);
  });
});

/** Content of every kind that a user can make without files. */
async function fillWithContent({ client }: Person): Promise<Ids> {
  const threadId = "bobs-thread";
  const projectId = "bobs-project";
  await client.createProject({ body: { id: projectId, name: canary } });
  await client.writeFiles({
    params: { projectId },
    body: { id: "write", ops: [{ do: "write", path: "src/App.tsx", was: null, text: canary }] },
  });
  await client.createThread({ body: { id: threadId, title: canary } });
  await client.sendMessage({ params: { threadId }, body: { id: "bobs-message", text: `Remember ${canary}.` } });
  await expect.poll(async () => (await client.listRuns({ params: { threadId } })).runs[0]?.state).toBe("ended");
  await client.setMemory({ body: { id: "memory", field: "notes", value: canary } });
  await client.createPrompt({ body: { id: "bobs-prompt", name: "a-prompt", text: canary } });
  await client.setDraft({ params: { threadId }, body: { text: canary, at: 1 } });
  await client.addPin({ params: { threadId }, body: { id: "bobs-pin", text: canary } });
  const { share, token } = await client.createShare({ params: { threadId }, body: { id: "bobs-share" } });
  const { runs } = await client.listRuns({ params: { threadId } });
  const { receipts } = await client.listReceipts({ params: { threadId } });
  return {
    ...{ threadId, projectId, chatId: threadId, messageId: "bobs-message", runId: runs[0]?.id ?? "" },
    ...{ receiptId: receipts[0]?.id ?? "", pinId: "bobs-pin", promptId: "bobs-prompt", shareId: share.id },
    // The link is for everyone who has it, so it is not what is tested here.
    ...{ token: "x".repeat(token.length), provider: "openai", ref: "1", inputId: "bobs-message", page: "1" },
  };
}
