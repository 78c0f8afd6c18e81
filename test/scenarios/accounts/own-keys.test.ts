import { expect, onTestFinished, test } from "vitest";
import { accountsOn, clientOf, join, send, setUp, type Person } from "../../support/accounts/accounts-instance.ts";
import { shareProject, waitForAnswer } from "../../support/accounts/shared-project.ts";
import { finish, text, toSse } from "../../support/chat-wire.ts";
import { startInstance } from "../../support/instance.ts";
import { createProviderServer } from "../../support/provider-server.ts";
import { query } from "../../support/server/database.ts";
import { describeOnBoth } from "../settings/on-both.ts";

const model = "openrouter/openai/gpt-5-mini";
const SERVER_KEY = "sk-or-v1-server-0123456789abcdef";
const BOBS = "sk-or-v1-bobs-hornblende-0123456789";
const CYS = "sk-or-v1-cys-feldspar-0123456789";
/** 16,000 tokens of answer at $2 a million. */
const usage = { prompt_tokens: 400, completion_tokens: 16_000, total_tokens: 16_400 };
const CALL_USD = 0.0321;
const provider = { provider: "openrouter" } as const;

/** A provider that records the key of each model call. */
async function startProvider() {
  const keys: string[] = [];
  const lists: string[] = [];
  const server = await createProviderServer({
    next: ({ path, headers }) => {
      const key = headers.authorization?.replace("Bearer ", "") ?? "";
      const json = { "content-type": "application/json" };
      if (path.endsWith("/models"))
        return {
          headers: json,
          body: JSON.stringify({ data: [{ id: "openai/gpt-5-mini", context_length: 200_000 }] }),
        };
      if (path.endsWith("/key")) {
        lists.push(key);
        return { headers: json, status: key.includes("wrong") ? 401 : 200, body: "{}" };
      }
      keys.push(key);
      return { body: toSse([text("A short title."), finish("stop", usage)]) };
    },
  });
  onTestFinished(server.close);
  return { url: server.url, keys, lists };
}

const ask = async (person: Person, threadId: string, id: string) => {
  await person.client.sendMessage({ params: { threadId }, body: { id, text: "What is granite?" } });
  await waitForAnswer(person, threadId, id);
  return (await person.client.listRuns({ params: { threadId } })).runs[0];
};

const begin = async (person: Person, threadId: string, more: object = {}) => {
  await person.client.createThread({ body: { id: threadId, model, ...more } });
  return ask(person, threadId, `${threadId}-1`);
};

/** The session of a user on another node, or after a restart. */
const openAs = (url: string, person: Person): Person => ({ ...person, client: clientOf(url, person.cookie) });

const toPlace = ({ dataDir, databaseUrl }: { dataDir: string; databaseUrl: string }) => ({
  dataDir,
  ...(databaseUrl === "" ? {} : { databaseUrl }),
});

const setKey = (person: Person, key: string) => person.client.setOwnKey({ params: provider, body: { key } });

const find = async (person: Person) =>
  (await person.client.listOwnProviders({})).providers.find(({ id }) => id === "openrouter");

describeOnBoth("own provider keys", (start, kind) => {
  const open = async (more: Readonly<Record<string, string>> = {}) => {
    const calls = await startProvider();
    const env = {
      ...{ ...accountsOn, OPENROUTER_BASE_URL: calls.url, STONECHAT_FALLBACKS: "", STONECHAT_MODEL: model },
      ...more,
    };
    const first = await start({ env });
    return { calls, env, first };
  };

  test("a user's answers and titles are made with the user's key, those of others with the server's, on every node and after a restart", async () => {
    const { calls, env, first } = await open({ OPENROUTER_API_KEY: SERVER_KEY, STONECHAT_TITLES: "on" });
    const second = kind === "postgres" ? await start({ env }, first.databaseUrl) : first;
    const ada = await setUp(second);
    const bob = await join(first.url, ada, { email: "bob@example.com" });
    expect(await find(bob)).toMatchObject({ applies: "server", hasOwnKey: false, keySetAt: null });
    const answers: unknown[] = [await setKey(bob, BOBS)];
    expect(await find(bob)).toMatchObject({ applies: "own", hasOwnKey: true, problem: null });
    await begin(bob, "bobs");
    await expect.poll(() => calls.keys).toEqual([BOBS, BOBS]);
    calls.keys.length = 0;
    await begin(ada, "adas");
    await expect.poll(() => calls.keys).toEqual([SERVER_KEY, SERVER_KEY]);
    expect(await find(ada)).toMatchObject({ applies: "server", hasOwnKey: false });

    answers.push(
      await bob.client.testOwnKey({ params: provider, body: {} }),
      await bob.client.listOwnProviders({}),
      await bob.client.exportEverything({}),
      await ada.client.listProviders({}),
      await ada.client.getPerson({ params: { userId: bob.userId } }),
      await ada.client.listAudit({}),
    );
    expect(JSON.stringify(answers)).not.toContain("hornblende");
    expect(calls.lists).toContain(BOBS);
    const place = toPlace(first);
    const [row] = await query<{ sealed: string }>(place, "select sealed from own_keys where owner = ?", [bob.userId]);
    expect(row?.sealed.length).toBeGreaterThan(40);
    expect(row?.sealed).not.toContain("hornblende");

    calls.keys.length = 0;
    const dataDir = await first.leave();
    const restarted = kind === "postgres" ? await start({ env }, first.databaseUrl) : await start({ env, dataDir });
    const again = openAs(restarted.url, bob);
    await ask(again, "bobs", "bobs-2");
    expect(calls.keys).toEqual([BOBS]);
    await again.client.removeOwnKey({ params: provider });
    await ask(again, "bobs", "bobs-3");
    expect(calls.keys).toEqual([BOBS, SERVER_KEY]);
  });

  test("a provider without a key of the server works for users who have a key and is not called for others", async () => {
    const { calls, first } = await open();
    const ada = await setUp(first);
    const bob = await join(first.url, ada, { email: "bob@example.com" });
    await setKey(bob, BOBS);
    const listed = async (person: Person) =>
      (await person.client.listModels({})).models.find(({ id }) => id === model)?.available;
    expect([await listed(bob), await listed(ada)]).toEqual([true, false]);
    expect(await find(ada)).toMatchObject({ applies: "none", models: 0 });
    expect(await begin(bob, "bobs")).toMatchObject({ outcome: "done" });
    expect(await begin(ada, "adas")).toMatchObject({ outcome: "failed" });
    expect(calls.keys).toEqual([BOBS]);
    const other = await send(first.url, "PUT /api/account/providers/azure/key", {
      ...{ cookie: bob.cookie, body: { key: BOBS } },
    });
    expect(other.status).toBe(404);
  });

  test("in a shared thread each answer is made with the key of the user who asked", async () => {
    const { calls, first } = await open({ OPENROUTER_API_KEY: SERVER_KEY });
    const { ada, bob, projectId } = await shareProject(first);
    await setKey(bob, BOBS);
    await begin(ada, "shared", { projectId });
    await ask(bob, "shared", "shared-2");
    await ask(ada, "shared", "shared-3");
    expect(calls.keys).toEqual([SERVER_KEY, BOBS, SERVER_KEY]);
    await setKey(ada, CYS);
    await ask(ada, "shared", "shared-4");
    await ask(bob, "shared", "shared-5");
    expect(calls.keys.slice(3)).toEqual([CYS, BOBS]);
  });

  test("a stored key is not sent to another address, and is used again at its own", async () => {
    const { calls, env, first } = await open({ OPENROUTER_API_KEY: SERVER_KEY });
    const ada = await setUp(first);
    const bob = await join(first.url, ada, { email: "bob@example.com" });
    await setKey(bob, BOBS);
    await begin(bob, "bobs");
    const moved = await startProvider();
    const dataDir = await first.leave();
    const movedEnv = { ...env, OPENROUTER_BASE_URL: moved.url };
    const next =
      kind === "postgres" ? await start({ env: movedEnv }, first.databaseUrl) : await start({ env: movedEnv, dataDir });
    const there = openAs(next.url, bob);
    expect(await find(there)).toMatchObject({ applies: "server", hasOwnKey: true, problem: "other-address" });
    await ask(there, "bobs", "bobs-2");
    expect(moved.keys).toEqual([SERVER_KEY]);
    expect(moved.lists).not.toContain(BOBS);
    expect((await there.client.testOwnKey({ params: provider, body: {} })).provider.lastTest?.outcome).toBe("no-key");
    const kept = await next.leave();
    const back = kind === "postgres" ? await start({ env }, first.databaseUrl) : await start({ env, dataDir: kept });
    await ask(openAs(back.url, bob), "bobs", "bobs-3");
    expect(calls.keys).toEqual([BOBS, BOBS]);
  });

  test("keys are deleted with the account and with all data of a user", async () => {
    const { first } = await open({ OPENROUTER_API_KEY: SERVER_KEY });
    const ada = await setUp(first);
    const bob = await join(first.url, ada, { email: "bob@example.com" });
    const cy = await join(first.url, ada, { email: "cy@example.com" });
    await setKey(ada, SERVER_KEY);
    await setKey(bob, BOBS);
    await setKey(cy, CYS);
    const place = toPlace(first);
    const owners = async () =>
      (await query<{ owner: string }>(place, "select owner from own_keys", [])).map(({ owner }) => owner).toSorted();
    expect(await owners()).toEqual([ada.userId, bob.userId, cy.userId].toSorted());
    await ada.client.deletePerson({ params: { userId: bob.userId }, body: { id: "gone", owners: [] } });
    expect(await owners()).toEqual([ada.userId, cy.userId].toSorted());
    await cy.client.deleteEverything({ body: { id: "all", confirm: "delete everything", costs: false } });
    expect(await owners()).toEqual([ada.userId]);
  });

  test("an admin can turn own keys off: they are stored, but not used", async () => {
    const { calls, first } = await open({ OPENROUTER_API_KEY: SERVER_KEY });
    const ada = await setUp(first);
    const bob = await join(first.url, ada, { email: "bob@example.com" });
    await setKey(bob, BOBS);
    expect((await send(first.url, "PUT /api/own-keys", { cookie: bob.cookie, body: { allowed: false } })).status).toBe(
      403,
    );
    await ada.client.setOwnKeysAllowed({ body: { allowed: false } });
    expect(await bob.client.listOwnProviders({})).toMatchObject({ allowed: false });
    expect(await find(bob)).toMatchObject({ applies: "server", hasOwnKey: true });
    await begin(bob, "bobs");
    const refused = await send(first.url, "PUT /api/account/providers/openai/key", {
      ...{ cookie: bob.cookie, body: { key: BOBS } },
    });
    expect(refused.status).toBe(403);
    await ada.client.setOwnKeysAllowed({ body: { allowed: true } });
    await ask(bob, "bobs", "bobs-2");
    expect(calls.keys).toEqual([SERVER_KEY, BOBS]);
  });

  test("calls with an own key are recorded, and count only for the user's own budget", async () => {
    const { calls, first } = await open({ OPENROUTER_API_KEY: SERVER_KEY });
    const ada = await setUp(first);
    const bob = await join(first.url, ada, { email: "bob@example.com" });
    const limits = { dayUsd: CALL_USD * 0.9, monthUsd: null, models: null, storageBytes: null };
    await ada.client.setPersonLimits({ params: { userId: bob.userId }, body: { limits } });
    await setKey(bob, BOBS);
    await begin(bob, "bobs");
    expect(await ask(bob, "bobs", "bobs-2")).toMatchObject({ outcome: "done" });
    const { total } = await bob.client.getCosts({ query: { by: "model" } });
    expect(total.costUsd).toBeCloseTo(2 * CALL_USD, 4);
    expect((await bob.client.getBudgets({})).budgets).toMatchObject([{ scope: "day", fixed: true, spentUsd: 0 }]);
    expect((await ada.client.getPerson({ params: { userId: bob.userId } })).spent).toEqual({ dayUsd: 0, monthUsd: 0 });
    // The user's own limit counts them.
    await bob.client.setBudget({ body: { id: "own", scope: "day", limitUsd: CALL_USD * 0.8 } });
    expect(await ask(bob, "bobs", "bobs-3")).toMatchObject({ outcome: "failed", reason: { code: "budget" } });
    await bob.client.setBudget({ body: { id: "none", scope: "day", limitUsd: null } });
    await bob.client.removeOwnKey({ params: provider });
    expect(await ask(bob, "bobs", "bobs-4")).toMatchObject({ outcome: "done" });
    expect(await ask(bob, "bobs", "bobs-5")).toMatchObject({ outcome: "failed", reason: { code: "budget" } });
    expect(calls.keys).toEqual([BOBS, BOBS, SERVER_KEY]);
  });

  test("a key that the provider rejects is reported to its user only", async () => {
    const { calls, first } = await open({ OPENROUTER_API_KEY: SERVER_KEY });
    const ada = await setUp(first);
    const bob = await join(first.url, ada, { email: "bob@example.com" });
    await setKey(bob, "sk-or-v1-wrong-0123456789");
    const tested = await bob.client.testOwnKey({ params: provider, body: {} });
    expect(tested.provider.lastTest).toMatchObject({ outcome: "refused-key" });
    const failing = async (person: Person) =>
      (await person.client.listModels({})).models.find(({ id }) => id === model)?.failing;
    expect([await failing(bob), await failing(ada)]).toEqual([true, undefined]);
    expect(await begin(ada, "adas")).toMatchObject({ outcome: "done" });
    expect(calls.keys).toEqual([SERVER_KEY]);
  });
});

test("a server without accounts has no own keys", async () => {
  const { url } = await startInstance();
  for (const route of ["GET /api/account/providers", "PUT /api/own-keys"])
    expect(await send(url, route, { body: { allowed: false } })).toMatchObject({ status: 400 });
});
