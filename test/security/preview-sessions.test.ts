import { expect, test } from "vitest";
import { describeOnBoth } from "../scenarios/settings/on-both.ts";
import { accountsOn, clientOf, join, send, setUp, signIn } from "../support/accounts/accounts-instance.ts";
import { createClient } from "../../protocol/client.ts";
import { createTestApp, origin } from "./test-app.ts";

describeOnBoth("a preview address", (start) => {
  test("works until the session or key that opened it ends, on every node, and no other preview ends with it", async () => {
    const instance = await start({ env: accountsOn });
    const { url } = instance;
    const ada = await setUp(instance);
    const bob = await join(url, ada, { email: "bob@example.com" });
    await bob.client.createProject({ body: { id: "site", name: "Site" } });
    const ops = [{ do: "write" as const, path: "index.html", was: null, text: "<h1>Bob's page</h1>" }];
    await bob.client.writeFiles({ params: { projectId: "site" }, body: { id: "w", ops } });
    const laptop = await signIn(url, bob.email);
    const { token } = await bob.client.createKey({ body: { id: "k", name: "k", scopes: ["read", "projects"] } });
    const byKey = createClient({ baseUrl: url, headers: { authorization: `Bearer ${token}` } });
    const open = async (client: typeof byKey) =>
      (await client.openPreview({ params: { projectId: "site" }, body: {} })).url;
    const [own, ofLaptop, ofKey] = [
      await open(bob.client),
      await open(clientOf(url, laptop.cookie)),
      await open(byKey),
    ];
    const statuses = () => Promise.all([own, ofLaptop, ofKey].map(async (path) => (await fetch(url + path)).status));
    expect(await statuses()).toEqual([200, 200, 200]);
    await send(url, "POST /api/sign-out", { cookie: laptop.cookie });
    expect(await statuses()).toEqual([200, 404, 200]);
    await bob.client.revokeKey({ params: { keyId: "k" } });
    expect(await statuses()).toEqual([200, 404, 404]);
    const { sessions } = await ada.client.getPerson({ params: { userId: bob.userId } });
    for (const { id } of sessions) await ada.client.endPersonSession({ params: { userId: bob.userId, sessionId: id } });
    expect(await statuses()).toEqual([404, 404, 404]);
  });
});

test("no log line of a request for a preview or a share has its token", async () => {
  const { app, lines } = createTestApp();
  const token = "t".repeat(60);
  for (const path of [`/preview/${token}/index.html`, `/preview/${token}/`, `/api/shared/${token}`]) {
    await app.fetch(new Request(origin + path));
  }
  expect(lines.filter((line) => line.includes("Request handled."))).toHaveLength(3);
  expect(lines.filter((line) => line.includes(token.slice(0, 20)))).toEqual([]);
  expect(lines.join()).toContain("/preview/...");
});
