import { expect, onTestFinished, test } from "vitest";
import type { PersonLimits } from "../../../protocol/account/limits.ts";
import { accountsOn, join, send, setUp, type Person } from "../../support/accounts/accounts-instance.ts";
import { shareProject, waitForAnswer } from "../../support/accounts/shared-project.ts";
import { finish, text, toSse } from "../../support/chat-wire.ts";
import { say } from "../../support/instance.ts";
import { createProviderServer } from "../../support/provider-server.ts";
import { query } from "../../support/server/database.ts";
import { openLoopback, send as respond, sendJson } from "../../support/web/loopback.ts";
import { describeOnBoth } from "../settings/on-both.ts";

const mini = "openrouter/openai/gpt-5-mini";
const large = "openrouter/openai/gpt-5";
/** 16,000 tokens of answer at $2 a million. */
const usage = { prompt_tokens: 400, completion_tokens: 16_000, total_tokens: 16_400 };
const CALL_USD = 0.0321;
const none: PersonLimits = { dayUsd: null, monthUsd: null, models: null, storageBytes: null };

const list = { data: [mini, large].map((id) => ({ id: id.slice(id.indexOf("/") + 1), context_length: 200_000 })) };

/** A provider that lists two models and notes which one each call asked for. */
async function startProvider(fails: readonly string[] = []) {
  const asked: string[] = [];
  const provider = await createProviderServer({
    next: ({ path, body }) => {
      if (path.endsWith("/models")) return { status: 200, body: JSON.stringify(list) };
      if (!path.endsWith("/chat/completions")) return { status: 404, body: "" };
      const { model } = body as { readonly model: string };
      asked.push(`openrouter/${model}`);
      if (fails.includes(model)) return { status: 404, body: JSON.stringify({ error: { message: "no such model" } }) };
      return { status: 200, body: toSse([text("An answer."), finish("stop", usage)]) };
    },
  });
  onTestFinished(provider.close);
  return { url: provider.url, asked };
}

describeOnBoth("limits set by admins", (start, kind) => {
  const open = async (more: Readonly<Record<string, string>> = {}, fails: readonly string[] = []) => {
    const provider = await startProvider(fails);
    const env = {
      ...{ ...accountsOn, OPENROUTER_API_KEY: "sk-or-v1-0123456789abcdef", OPENROUTER_BASE_URL: provider.url },
      ...{ STONECHAT_MODEL: mini, STONECHAT_FALLBACKS: "", STONECHAT_TITLES: "off", ...more },
    };
    const first = await start({ env });
    const second = kind === "postgres" ? await start({ env }, first.databaseUrl) : first;
    const ada = await setUp(second);
    const bob = await join(first.url, ada, { email: "bob@example.com", name: "Bob" });
    return { provider, first, second, ada, bob };
  };
  const askIn = async (person: Person, threadId: string, body: { id: string; model?: string }) => {
    await person.client.sendMessage({ params: { threadId }, body: { text: "Write at length.", ...body } });
    await waitForAnswer(person, threadId, body.id);
    return (await person.client.listRuns({ params: { threadId } })).runs[0];
  };
  const ofRole = (ada: Person, limits: Partial<PersonLimits>) =>
    ada.client.setRoleLimits({ params: { role: "member" }, body: { ...none, ...limits } });
  const ofBob = (ada: Person, bob: Person, limits: Partial<PersonLimits> | null) =>
    ada.client.setPersonLimits({
      params: { userId: bob.userId },
      body: { limits: limits === null ? null : { ...none, ...limits } },
    });

  test("a budget of the role refuses calls on every node, and own limits of the user replace it", async () => {
    const { provider, first, ada, bob } = await open();
    await ofRole(ada, { dayUsd: CALL_USD * 0.9 });
    await bob.client.createThread({ body: { id: "bobs" } });
    expect(await askIn(bob, "bobs", { id: "m1" })).toMatchObject({ outcome: "done" });
    const refused = await askIn(bob, "bobs", { id: "m2" });
    expect(refused).toMatchObject({ outcome: "failed", reason: { code: "budget" } });
    expect(refused?.reason?.text).toContain("An admin of this server set this budget.");
    expect(provider.asked).toHaveLength(1);
    const { budgets } = await bob.client.getBudgets({ params: {} });
    expect(budgets).toMatchObject([{ scope: "day", fixed: true, byAdmin: true }]);
    expect(budgets[0]?.spentUsd).toBeCloseTo(CALL_USD, 4);
    const more = await send(first.url, "POST /api/budgets", {
      ...{ cookie: bob.cookie, body: { id: "b", scope: "day", limitUsd: 5 } },
    });
    expect(more).toMatchObject({ status: 400 });
    // The role of the admin has no limit.
    await ada.client.createThread({ body: { id: "adas" } });
    expect(await askIn(ada, "adas", { id: "a1" })).toMatchObject({ outcome: "done" });
    expect(await askIn(ada, "adas", { id: "a2" })).toMatchObject({ outcome: "done" });

    expect(await ofBob(ada, bob, { monthUsd: 1 })).toMatchObject({
      own: { dayUsd: null, monthUsd: 1 },
      ofRole: { dayUsd: CALL_USD * 0.9 },
    });
    expect(await askIn(bob, "bobs", { id: "m3" })).toMatchObject({ outcome: "done" });
    await ofBob(ada, bob, null);
    expect(await askIn(bob, "bobs", { id: "m4" })).toMatchObject({ outcome: "failed" });
    const { people } = await ada.client.listPeople({});
    expect(people.map(({ name, monthUsd }) => [name, monthUsd.toFixed(3)])).toEqual([
      ["Ada", (2 * CALL_USD).toFixed(3)],
      ["Bob", (2 * CALL_USD).toFixed(3)],
    ]);
    const details = await ada.client.getPerson({ params: { userId: bob.userId } });
    expect(details.spent.dayUsd).toBeCloseTo(2 * CALL_USD, 3);
    const { entries } = await ada.client.listAudit({ params: {}, query: {} });
    expect(
      entries
        .filter(({ action }) => action.startsWith("limits"))
        .map(({ action, target, detail }) => [action, target?.name ?? detail["role"]]),
    ).toEqual([
      ["limits-removed", "Bob"],
      ["limits-changed", "Bob"],
      ["limits-changed", "member"],
    ]);
  });

  test("a spent budget refuses POST /api/search before the provider is asked, and pages still cost nothing", async () => {
    const site = await openLoopback((asked, response) =>
      asked.path === "/search"
        ? sendJson({ results: [{ url: `${site.url}/a`, title: "A", content: "About it." }] })(asked, response)
        : respond("text/html", "<html><title>A</title><body><p>A page.</p></body></html>")(asked, response),
    );
    onTestFinished(site.close);
    const { first, ada, bob } = await open({
      ...{ STONECHAT_SEARCH: "searxng", STONECHAT_SEARXNG_URL: site.url },
      STONECHAT_ALLOW_PRIVATE: "search=127.0.0.1,scrape=127.0.0.1",
    });
    await ofRole(ada, { dayUsd: CALL_USD * 0.9 });
    await bob.client.setBudget({ body: { id: "own", scope: "thread", limitUsd: CALL_USD * 0.5 } });
    const search = (query: string) => send(first.url, "POST /api/search", { cookie: bob.cookie, body: { query } });
    const searches = () => site.asked.filter(({ path }) => path === "/search").length;
    expect((await search("one")).status).toBe(200);
    expect(searches()).toBe(1);
    await bob.client.createThread({ body: { id: "bobs" } });
    await askIn(bob, "bobs", { id: "m1" });
    const refused = await search("two");
    expect(refused.status).toBe(403);
    expect(JSON.stringify(refused.body)).toContain("An admin of this server set this budget.");
    expect(searches()).toBe(1);
    const page = { cookie: bob.cookie, body: { url: `${site.url}/a` } };
    expect((await send(first.url, "POST /api/scrape", page)).status).toBe(200);
    // Budgets of single threads do not concern it.
    await ofRole(ada, {});
    expect((await search("three")).status).toBe(200);
  });

  test("a model that is not allowed is neither listed nor called, also if it was chosen before and by other APIs", async () => {
    const { provider, first, ada, bob } = await open();
    await bob.client.createThread({ body: { id: "before", model: mini } });
    await bob.client.createThread({ body: { id: "free", model: "offline/stone" } });
    await ofRole(ada, { models: [large] });
    const { models } = await bob.client.listModels({});
    const listed = models.filter(({ provider: one }) => one !== "offline").map(({ id }) => id);
    expect(listed).toEqual([large]);
    expect((await ada.client.listModels({})).models.map(({ id }) => id)).toContain(mini);
    expect((await bob.client.getMe({})).defaultModel).toBe(large);
    expect((await bob.client.createThread({ body: { id: "new" } })).model).toBe(large);
    const statusOf = async (route: string, body: object) =>
      (await send(first.url, route, { cookie: bob.cookie, body })).status;
    expect(await statusOf("POST /api/threads", { id: "other", model: mini })).toBe(403);
    expect(await statusOf("PATCH /api/threads/new", { id: "c1", model: mini })).toBe(403);
    expect(await statusOf("POST /api/threads/new/messages", { id: "m0", text: "hi", model: mini })).toBe(403);
    expect(
      await statusOf("POST /v1/chat/completions", { model: mini, messages: [{ role: "user", content: "hi" }] }),
    ).toBe(403);
    const v1 = await send(first.url, "GET /v1/models", { cookie: bob.cookie });
    expect(JSON.stringify(v1.body)).not.toContain(mini);

    const refused = await askIn(bob, "before", { id: "m1" });
    expect(refused).toMatchObject({ outcome: "failed", reason: { code: "budget" } });
    expect(refused?.reason?.text).toContain("An admin of this server does not allow");
    expect(provider.asked).toEqual([]);
    expect(await askIn(bob, "free", { id: "m2" })).toMatchObject({ outcome: "done" });
    expect(await askIn(bob, "new", { id: "m3" })).toMatchObject({ outcome: "done" });
    expect(provider.asked).toEqual([large]);
    await ofBob(ada, bob, { models: ["openrouter/*"] });
    expect(await askIn(bob, "before", { id: "m4" })).toMatchObject({ outcome: "done" });
    await ofBob(ada, bob, { models: [] });
    expect(await askIn(bob, "new", { id: "m5" })).toMatchObject({ outcome: "failed" });
    expect(provider.asked).toEqual([large, mini]);
  });

  test("a fallback is only a model that the user may use", async () => {
    const { provider, ada, bob } = await open(
      { STONECHAT_FALLBACKS: `${large},offline/stone`, STONECHAT_MODEL: mini },
      ["openai/gpt-5-mini"],
    );
    await ofRole(ada, { models: [mini] });
    await bob.client.createThread({ body: { id: "bobs" } });
    await askIn(bob, "bobs", { id: "m1" });
    expect(provider.asked).not.toContain(large);
    await ada.client.createThread({ body: { id: "adas" } });
    await askIn(ada, "adas", { id: "a1" });
    expect(provider.asked).toContain(large);
  });

  test("uploads and files beyond the storage are refused with 413, and both sides see how much is stored", async () => {
    const { first, ada, bob } = await open();
    const upload = async (person: Person, bytes: number, path = "/api/attachments?name=notes.txt") => {
      const body = "x".repeat(bytes);
      const response = await fetch(first.url + path, {
        method: "POST",
        headers: { cookie: person.cookie, "content-type": "application/octet-stream" },
        body,
      });
      return { status: response.status, text: await response.text() };
    };
    await ofRole(ada, { storageBytes: 5000 });
    expect((await upload(bob, 3000)).status).toBe(201);
    const tooMuch = await upload(bob, 3000);
    expect(tooMuch).toMatchObject({ status: 413 });
    expect(tooMuch.text).toContain("Your storage is full");
    expect((await upload(ada, 3000)).status).toBe(201);
    await bob.client.createProject({ body: { id: "plan", name: "Plan" } });
    const write = (id: string, size: number) =>
      send(first.url, "POST /api/projects/plan/files", {
        cookie: bob.cookie,
        body: { id, ops: [{ do: "write", path: `${id}.txt`, was: null, text: "y".repeat(size) }] },
      });
    expect((await write("w1", 1500)).status).toBe(200);
    expect((await write("w2", 1500)).status).toBe(413);
    const stored = { attachments: 3000, files: 1500, imports: 0 };
    expect(await bob.client.getLimits({})).toEqual({ limits: { ...none, storageBytes: 5000 }, stored });
    expect((await ada.client.getPerson({ params: { userId: bob.userId } })).stored).toEqual(stored);
    await ofRole(ada, { storageBytes: 4500 });
    expect((await upload(bob, 1)).status).toBe(413);
    await ofBob(ada, bob, {});
    expect((await upload(bob, 3000)).status).toBe(201);
  });

  test("files in data URLs of other APIs count like uploads, and are refused with 413 when the storage is full", async () => {
    const { first, ada, bob } = await open();
    await ofRole(ada, { storageBytes: 5000 });
    const toUrl = (letter: string, bytes: number) =>
      `data:text/plain;base64,${Buffer.from(letter.repeat(bytes)).toString("base64")}`;
    const openAi = (letter: string, bytes: number) =>
      send(first.url, "POST /v1/chat/completions", {
        cookie: bob.cookie,
        body: {
          model: mini,
          messages: [
            {
              role: "user",
              content: [{ type: "file", file: { filename: "a.txt", file_data: toUrl(letter, bytes) } }],
            },
          ],
        },
      });
    const aiSdk = (letter: string, bytes: number) => {
      const file = { type: "file", mediaType: "text/plain", filename: "a.txt", url: toUrl(letter, bytes) };
      const message = { id: `m-${letter}`, role: "user", parts: [{ type: "text", text: "Read it." }, file] };
      return send(first.url, "POST /api/chat", {
        cookie: bob.cookie,
        body: { id: `chat-${letter}`, model: mini, messages: [message] },
      });
    };
    const usedBytes = async () => (await bob.client.getLimits({})).stored.attachments;
    expect((await openAi("a", 6000)).status).toBe(413);
    expect((await aiSdk("b", 6000)).status).toBe(413);
    expect(await usedBytes()).toBe(0);
    expect((await openAi("c", 2000)).status).toBe(200);
    expect((await aiSdk("d", 2000)).status).toBe(200);
    expect(await usedBytes()).toBe(4000);
    expect((await openAi("e", 2000)).status).toBe(413);
    expect((await aiSdk("f", 2000)).status).toBe(413);
    expect(await usedBytes()).toBe(4000);
  });

  test("copies that others make of a thread with files do not count for the user who attached them", async () => {
    const instance = await start({ env: accountsOn, script: () => say("An answer.") });
    const { ada, bob, cy, projectId } = await shareProject(instance);
    await ofRole(ada, { storageBytes: 10_000 });
    await bob.client.createThread({ body: { id: "shared", projectId } });
    const upload = async (letter: string, thread = "shared") => {
      const response = await fetch(`${instance.url}/api/attachments?name=${letter}.txt&threadId=${thread}`, {
        method: "POST",
        headers: { cookie: bob.cookie, "content-type": "application/octet-stream" },
        body: letter.repeat(3000),
      });
      const { id } = (await response.json()) as { readonly id: string };
      return { status: response.status, id };
    };
    const { id } = await upload("a");
    await bob.client.sendMessage({
      params: { threadId: "shared" },
      body: { id: "b1", text: "Read it.", attachments: [id] },
    });
    await waitForAnswer(bob, "shared", "b1");
    const usedBytes = async () => (await bob.client.getLimits({})).stored.attachments;
    expect(await usedBytes()).toBe(3000);
    for (const copy of ["copy-1", "copy-2", "copy-3"]) {
      await cy.client.forkThread({ params: { threadId: "shared", messageId: "b1" }, body: { id: copy } });
    }
    const place = kind === "postgres" ? instance : { dataDir: instance.dataDir };
    // The control: the copies exist, and are Bob's.
    expect(await query(place, "select id from attachments where owner = ?", [bob.userId])).toHaveLength(4);
    expect(await usedBytes()).toBe(3000);
    expect((await upload("b")).status).toBe(201);
    expect(await usedBytes()).toBe(6000);
    expect((await ada.client.getPerson({ params: { userId: bob.userId } })).stored.attachments).toBe(6000);
  });

  test("requests beyond the rate get 429 with Retry-After on routes, uploads and other APIs, for this user only", async () => {
    const { first, ada, bob } = await open({ STONECHAT_REQUESTS_PER_MINUTE: "10" });
    const { token } = await bob.client.createKey({ body: { id: "k", name: "k", scopes: ["chat"] } });
    const create = (n: number) =>
      send(first.url, "POST /api/threads", { cookie: bob.cookie, body: { id: `t${n}`, title: "x" } });
    const made = [];
    for (let n = 0; n < 12; n += 1) made.push((await create(n)).status);
    expect(made.filter((status) => status === 201).length).toBeGreaterThanOrEqual(8);
    expect(made).toContain(429);
    const refused = await Promise.all([
      create(100),
      send(first.url, "POST /api/threads", { headers: { authorization: `Bearer ${token}` }, body: { id: "by-key" } }),
      send(first.url, "POST /v1/chat/completions", {
        ...{ cookie: bob.cookie, body: { model: mini, messages: [{ role: "user", content: "hi" }] } },
      }),
      send(first.url, "POST /api/attachments?name=a.txt", {
        ...{ cookie: bob.cookie, headers: { "content-type": "application/octet-stream" } },
      }),
    ]);
    for (const { status, retry, body } of refused) {
      expect(status).toBe(429);
      expect(Number(retry)).toBeGreaterThanOrEqual(1);
      expect(JSON.stringify(body)).toContain("Too many requests from your account. Try again in");
    }
    expect((await bob.client.listThreads({})).threads.length).toBe(made.filter((status) => status === 201).length);
    expect((await ada.client.createThread({ body: { id: "adas" } })).id).toBe("adas");
  });

  test("only admins set limits, of existing accounts, and what they set is stored once for each subject", async () => {
    const { first, ada, bob } = await open();
    const statusOf = async (person: Person, route: string, body: object) =>
      (await send(first.url, route, { cookie: person.cookie, body })).status;
    expect(await statusOf(bob, "PUT /api/limits/member", none)).toBe(403);
    expect(await statusOf(bob, `PUT /api/people/${bob.userId}/limits`, { limits: null })).toBe(403);
    expect(await statusOf(ada, "PUT /api/people/nobody/limits", { limits: none })).toBe(404);
    expect(await statusOf(ada, "PUT /api/limits/member", { ...none, dayUsd: -1 })).toBe(400);
    expect(await statusOf(ada, "PUT /api/limits/member", { ...none, models: ["all"] })).toBe(400);
    expect(await statusOf(ada, "PUT /api/limits/owner", none)).toBe(400);
    await ofRole(ada, { dayUsd: 1 });
    await ofRole(ada, { dayUsd: 2, models: ["openrouter/*"], storageBytes: 0 });
    expect(await ada.client.listRoleLimits({})).toEqual({
      admin: none,
      member: { dayUsd: 2, monthUsd: null, models: ["openrouter/*"], storageBytes: 0 },
    });
    const place = kind === "postgres" ? first : { dataDir: first.dataDir };
    expect(await query(place, "select subject from limits")).toEqual([{ subject: "member" }]);
  });
});
