import { expect, test } from "vitest";
import { accountsOn, join, send, setUp, signIn, clientOf } from "../support/accounts/accounts-instance.ts";
import { ask, shareProject } from "../support/accounts/shared-project.ts";
import { call, mintId, say, type Instance } from "../support/instance.ts";
import { openPushServer, readClaims, readMessage, toBody } from "../support/push/push-server.ts";
import type { Script } from "../../server/model/scripted.ts";
import { createReceiver } from "../support/push/decrypt.ts";
import { query } from "../support/server/database.ts";
import { describeOnBoth } from "./settings/on-both.ts";

const secret = "only for the reader";
const question = {
  question: "Where?",
  fields: [{ name: "city", label: "City", type: "choice", options: ["Bern", "Basel"] }],
};

describeOnBoth("notifications", (start, kind) => {
  const open = async (options: Parameters<typeof start>[0] = {}, databaseUrl?: string) => {
    const service = await openPushServer();
    const env = { ...service.env, ...options.env };
    const instance = await start(
      { script: () => say(`An answer, ${secret}.`), ...options, env, pushCa: service.ca },
      databaseUrl,
    );
    return { service, instance, ...instance };
  };
  const rowsOf = ({ dataDir, databaseUrl }: { dataDir: string; databaseUrl: string }, sql: string) =>
    query<Record<string, unknown>>(kind === "postgres" ? { dataDir, databaseUrl } : { dataDir }, sql);
  /** A thread with an answer. */
  const answer = async ({ start: begin, send: write, follow }: Instance, options = {}) => {
    const threadId = await begin(options);
    const live = follow(threadId);
    await write(threadId, `A question, ${secret}`);
    await live.ended();
    return threadId;
  };

  test("reach each browser signed and encrypted, with a title only where the user chose it", async () => {
    const { service, instance, client } = await open();
    const [phone, desk] = [service.subscribe("/phone"), service.subscribe("/desk")];
    await client.subscribePush({ body: toBody(phone) });
    await client.subscribePush({ body: toBody(desk, true) });
    const threadId = await answer(instance);
    await service.received(2);
    const { publicKey, subscriptions } = await client.listPush({});
    const [toPhone, toDesk] = ["/phone", "/desk"].map((path) => service.requests.find((one) => one.path === path));
    if (!toPhone || !toDesk) throw new Error("A browser got nothing.");
    expect(readMessage(toPhone, phone)).toEqual({ v: 1, kind: "answered", threadId });
    expect(readMessage(toDesk, desk)).toEqual({ v: 1, kind: "answered", threadId, title: `A question, ${secret}` });
    expect(() => readMessage(toPhone, desk)).toThrow();
    expect(toPhone.headers).toMatchObject({ "content-encoding": "aes128gcm", ttl: "86400", urgency: "normal" });
    expect(toPhone.body.length).toBe(toDesk.body.length);
    const claims = readClaims(toPhone, publicKey);
    expect(claims.aud).toBe(service.origin);
    expect(claims.exp * 1000 - Date.now()).toBeLessThan(24 * 3600 * 1000);
    expect(() => readClaims(toPhone, createReceiver().keys.p256dh)).toThrow(/another key/);
    const bytes = JSON.stringify(service.requests.map(({ path, headers, body }) => [path, headers, body.toString()]));
    expect(bytes).not.toContain(secret);
    expect(subscriptions).toMatchObject([{ titles: false }, { titles: true }]);
    await expect
      .poll(async () => (await client.listPush({})).subscriptions.map((one) => one.sentAt !== null))
      .toEqual([true, true]);
    expect(await rowsOf(instance, "select id from jobs where kind = 'push'")).toEqual([]);
  });

  test("are stored so that the database alone can send none, and survive a restart with the same key", async () => {
    const { service, instance, client, databaseUrl } = await open();
    const phone = service.subscribe("/phone");
    await client.subscribePush({ body: toBody(phone) });
    const { publicKey } = await client.listPush({});
    const stored = JSON.stringify([
      await rowsOf(instance, "select * from push_subscriptions"),
      await rowsOf(instance, "select * from meta"),
    ]);
    expect(stored).toContain("A browser for tests");
    for (const part of [service.origin, phone.p256dh, phone.auth, publicKey]) expect(stored).not.toContain(part);
    const dataDir = await instance.leave();
    const again = await start({ dataDir, env: service.env, pushCa: service.ca, script: () => say("Hi.") }, databaseUrl);
    expect((await again.client.listPush({})).publicKey).toBe(publicKey);
    await answer(again);
    await service.received(1);
    readClaims(service.requests[0]!, publicKey);
  });

  test("say that the thread waits for an approval, and nothing after an answer that was read", async () => {
    const script: Script = ({ messages }) =>
      messages.some(({ role }) => role === "tool")
        ? say("Done.")
        : call({ name: "ask_user", input: JSON.stringify(question) });
    const { service, instance, client } = await open({ script });
    const phone = service.subscribe("/phone");
    await client.subscribePush({ body: toBody(phone) });
    const threadId = await instance.start();
    const live = instance.follow(threadId);
    await instance.send(threadId, "Ask me.");
    await live.until(({ run }) => run?.state === "waiting");
    await service.received(1);
    expect(readMessage(service.requests[0]!, phone)).toEqual({ v: 1, kind: "waiting", threadId });
    expect(service.requests[0]?.headers["urgency"]).toBe("high");
    const view = live.view();
    const part = view.messages.at(-1)?.parts.find((one) => one.kind === "tool");
    await client.answerQuestion({
      params: { threadId },
      body: { id: mintId(), partId: part?.id ?? "", answers: null },
    });
    await live.ended();
    const { thread } = await client.getThread({ params: { threadId } });
    await client.markSeen({ params: { threadId }, body: { at: thread.updatedAt } });
    await expect
      .poll(() => rowsOf(instance, "select id from jobs where kind = 'push'"), { timeout: 15_000 })
      .toEqual([]);
    expect(service.requests).toHaveLength(1);
  });

  test("are not planned for temporary threads, stopped answers and answers to programs", async () => {
    const script: Script = async function* ({ messages }, _, signal) {
      const isHeld = JSON.stringify(messages.at(-1)).includes("Hold");
      if (isHeld) yield* say("Begun").slice(0, 2);
      if (isHeld) await new Promise((resolve) => signal.addEventListener("abort", resolve, { once: true }));
      yield* say("An answer.");
    };
    const { service, instance, client, url } = await open({ script });
    await client.subscribePush({ body: toBody(service.subscribe("/phone"), true) });
    const planned = () => rowsOf(instance, "select thread from jobs where kind = 'push'");
    await answer(instance, { temporary: true });
    const threadId = await instance.start();
    const live = instance.follow(threadId);
    await instance.send(threadId, "Hold.");
    await live.until(({ messages }) => JSON.stringify(messages).includes("Begun"));
    await client.stopRun({ params: { threadId }, body: { id: mintId() } });
    await live.ended();
    const completion = { model: "scripted/script", messages: [{ role: "user", content: "Hello" }] };
    expect((await send(url, "POST /v1/chat/completions", { body: completion })).status).toBe(200);
    expect(await planned()).toEqual([]);
    const control = await answer(instance);
    expect(await planned()).toEqual([{ thread: control }]);
  });

  test("end for a browser that its push service does not know any more, and are tried again after an outage", async () => {
    const { service, instance, client } = await open();
    await client.subscribePush({ body: toBody(service.subscribe("/phone")) });
    service.answerWith(503);
    await answer(instance);
    await service.received(1);
    await expect
      .poll(async () => (await client.listPush({})).subscriptions[0]?.problem)
      .toBe("The push service responded with status 503.");
    const [job] = await rowsOf(instance, "select state, body from jobs where kind = 'push'");
    expect(job).toMatchObject({ state: "waiting" });
    expect(JSON.parse(String(job?.["body"]))).toMatchObject({ tries: 2 });

    for (const status of [404, 410]) {
      const { subscription } = await client.subscribePush({ body: toBody(service.subscribe(`/gone-${status}`)) });
      service.answerWith(status);
      const testing = client.testPush({ params: { subscriptionId: subscription.id }, body: {} });
      await expect(testing).rejects.toMatchObject({
        code: "unavailable",
        message: expect.stringContaining("off and on"),
      });
      expect((await client.listPush({})).subscriptions.map(({ id }) => id)).not.toContain(subscription.id);
    }
    service.answerWith(201);
    const [left] = (await client.listPush({})).subscriptions;
    await client.testPush({ params: { subscriptionId: left?.id ?? "" }, body: {} });
    expect((await client.listPush({})).subscriptions).toMatchObject([{ problem: null, sentAt: expect.any(Number) }]);
    await client.unsubscribePush({ params: { subscriptionId: left?.id ?? "" } });
    expect((await client.listPush({})).subscriptions).toEqual([]);
  });

  test("reach browsers after an answer that ended while an earlier notification was being sent", async () => {
    const { service, instance, client } = await open();
    const phone = service.subscribe("/phone");
    await client.subscribePush({ body: toBody(phone) });
    const release = service.hold();
    const threadId = await answer(instance);
    await service.received(1);
    const live = instance.follow(threadId);
    await instance.send(threadId, "Another question");
    await live.ended(2);
    release();
    await service.received(2);
    expect(readMessage(service.requests[1]!, phone)).toEqual({ v: 1, kind: "answered", threadId });
    await expect.poll(() => rowsOf(instance, "select id from jobs where kind = 'push'")).toEqual([]);
  });

  test("reach every browser after the next answer, also while one of them waits for a retry", async () => {
    const { service, instance, client } = await open();
    for (const path of ["/phone", "/desk"]) await client.subscribePush({ body: toBody(service.subscribe(path)) });
    service.answerPathWith("/phone", 503);
    const threadId = await answer(instance);
    await service.received(2);
    const retries = () => rowsOf(instance, "select body from jobs where kind = 'push' and state = 'waiting'");
    await expect.poll(async () => JSON.stringify(await retries())).toContain("tries");
    await expect.poll(async () => JSON.stringify(await retries())).toContain("only");
    service.answerPathWith("/phone", 201);
    const live = instance.follow(threadId);
    await instance.send(threadId, "Another question");
    await live.ended(2);
    await service.received(4);
    const paths = service.requests.slice(2).map(({ path }) => path);
    expect(paths.toSorted()).toEqual(["/desk", "/phone"]);
    await expect.poll(() => rowsOf(instance, "select id from jobs where kind = 'push'")).toEqual([]);
  });

  test("reach each user of a shared thread who asked, also within two seconds", async () => {
    const { service, instance } = await open({ env: accountsOn });
    const { ada, bob, projectId } = await shareProject(instance);
    const [adas, bobs] = [service.subscribe("/ada"), service.subscribe("/bob")];
    await ada.client.subscribePush({ body: toBody(adas) });
    await bob.client.subscribePush({ body: toBody(bobs) });
    await ada.client.createThread({ body: { id: "t", projectId, shared: true } });
    await ask(ada, "t", "m1", "A question");
    await ask(bob, "t", "m2", "Another question");
    await service.received(2);
    expect(service.requests.map(({ path }) => path).toSorted()).toEqual(["/ada", "/bob"]);
  });

  test("end with the session of their browser, and move to the user who signs in there", async () => {
    const { service, instance, url } = await open({ env: accountsOn });
    const ada = await setUp(instance);
    const bob = await join(url, ada, { email: "bob@example.com" });
    const [phone, shared] = [service.subscribe("/phone"), service.subscribe("/shared")];
    const onPhone = await signIn(url, ada.email);
    await clientOf(url, onPhone.cookie).subscribePush({ body: toBody(phone) });
    await ada.client.subscribePush({ body: toBody(shared) });
    expect((await ada.client.listPush({})).subscriptions).toHaveLength(2);
    expect((await bob.client.listPush({})).subscriptions).toEqual([]);
    await bob.client.subscribePush({ body: toBody(shared) });
    expect((await ada.client.listPush({})).subscriptions).toHaveLength(1);
    await send(url, "POST /api/sign-out", { cookie: onPhone.cookie });
    expect((await ada.client.listPush({})).subscriptions).toEqual([]);
    expect(await rowsOf(instance, "select owner from push_subscriptions")).toEqual([{ owner: bob.userId }]);
    await ada.client.signOutPerson({ params: { userId: bob.userId }, body: {} });
    expect(await rowsOf(instance, "select owner from push_subscriptions")).toEqual([]);
  });

  test("go to no address that the server may not reach, and need valid keys and a browser", async () => {
    const { service, client, instance, url } = await open({ env: { STONECHAT_TOKEN: "a-token-for-tests-only" } });
    const owner = clientOf(
      url,
      (await send(url, "POST /api/sign-in", { body: { token: "a-token-for-tests-only" } })).cookie,
    );
    const good = toBody(service.subscribe("/phone"));
    const refused = (body: object) =>
      owner.subscribePush({ body: { ...good, ...body } }).then(() => "accepted", String);
    for (const endpoint of [
      "http://127.0.0.1:9/plain",
      "https://10.1.2.3/inside",
      "https://localhost/inside",
      "https://[::1]/inside",
      "https://user:word@push.example.com/",
      "ftp://push.example.com/",
      "nothing",
    ])
      expect(await refused({ endpoint }), endpoint).toContain("This push service cannot be used.");
    expect(await refused({ p256dh: Buffer.alloc(65, 4).toString("base64url") })).toContain("not valid");
    expect(await refused({ auth: "short" })).toContain("16 bytes");
    await expect(client.listPush({})).rejects.toMatchObject({ code: "unauthenticated" });
    const { token } = await owner.createKey({ body: { id: "k", name: "Key", scopes: ["admin"] } });
    const byKey = await fetch(`${instance.url}/api/push`, {
      method: "PUT",
      headers: { authorization: `Bearer ${token}`, "content-type": "application/json" },
      body: JSON.stringify(good),
    });
    expect(byKey.status).toBe(403);
    for (let n = 0; n < 20; n += 1) await owner.subscribePush({ body: toBody(service.subscribe(`/${n}`)) });
    expect(await refused({})).toContain("Too many browsers");
    expect(service.requests).toEqual([]);
  });
});
