import { expect, test } from "vitest";
import { accountsOn, send, signIn } from "../../support/accounts/accounts-instance.ts";
import { ask, shareProject } from "../../support/accounts/shared-project.ts";
import { say, startInstance } from "../../support/instance.ts";
import { describeOnBoth } from "../settings/on-both.ts";

const script = () => say("An answer.");

describeOnBoth("links for signed-in users", (start) => {
  test("open for every user of the server with any credential, and for no visitor", async () => {
    const instance = await start({ env: accountsOn, script });
    const { url } = instance;
    const { ada, bob, dee } = await shareProject(instance);
    await bob.client.createThread({ body: { id: "bobs", title: "Herons" } });
    await ask(bob, "bobs", "m1", "Which birds wade?");
    const params = { threadId: "bobs" };
    const { share, token } = await bob.client.createShare({ params, body: { id: "users", people: true } });
    const open = await bob.client.createShare({ params, body: { id: "all" } });
    expect([share.people, open.share.people]).toEqual([true, false]);
    const { token: key } = await dee.client.createKey({ body: { id: "k", name: "k", scopes: ["read"] } });
    const narrow = await dee.client.createKey({ body: { id: "n", name: "n", scopes: ["chat"] } });
    const statusOf = async (path: string, credentials: Parameters<typeof send>[2] = {}) =>
      (await send(url, `GET /api/shared/${path}`, credentials)).status;

    expect(await statusOf(token)).toBe(401);
    expect(await statusOf(token, { cookie: dee.cookie })).toBe(401);
    expect(await statusOf(`${token}/user`)).toBe(401);
    expect(await statusOf(`${token}/user`, { cookie: "stonechat-session=forged" })).toBe(401);
    expect(await statusOf(`${token}/user`, { headers: { authorization: `Bearer ${narrow.token}` } })).toBe(403);
    expect(await statusOf(`${"x".repeat(43)}/user`, { cookie: dee.cookie })).toBe(404);
    for (const person of [ada, bob, dee]) expect(await statusOf(`${token}/user`, { cookie: person.cookie })).toBe(200);
    expect(await statusOf(`${token}/user`, { headers: { authorization: `Bearer ${key}` } })).toBe(200);
    expect((await dee.client.getSharedAsUser({ params: { token } })).messages[0]?.parts).toEqual([
      { kind: "text", text: "Which birds wade?" },
    ]);
    expect(await statusOf(open.token)).toBe(200);
    expect(await statusOf(`${open.token}/user`, { cookie: dee.cookie })).toBe(200);
    // The same id cannot be used again for other readers.
    const again = await send(url, "POST /api/threads/bobs/shares", { cookie: bob.cookie, body: { id: "users" } });
    expect(again.status).toBe(409);

    await ada.client.changePerson({ params: { userId: dee.userId }, body: { state: "suspended" } });
    expect(await statusOf(`${token}/user`, { cookie: dee.cookie })).toBe(401);
    expect(await statusOf(`${token}/user`, { headers: { authorization: `Bearer ${key}` } })).toBe(401);
    await bob.client.revokeShare({ params: { shareId: "users" } });
    expect(await statusOf(`${token}/user`, { cookie: ada.cookie })).toBe(404);
    expect((await signIn(url, bob.email)).status).toBe(200);
  });
});

test("a server without accounts refuses such a link and says why", async () => {
  const { url, client } = await startInstance({ script });
  await client.createThread({ body: { id: "mine" } });
  const refused = await send(url, "POST /api/threads/mine/shares", { body: { id: "s", people: true } });
  expect(refused).toMatchObject({ status: 400 });
  expect(JSON.stringify(refused.body)).toContain("This server has no accounts");
});
