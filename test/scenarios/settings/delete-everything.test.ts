import { expect, onTestFinished, test } from "vitest";
import type { Client } from "../../../protocol/client.ts";
import { systemClock as clock } from "../../../server/lib/clock.ts";
import { systemIds as ids } from "../../../server/lib/ids.ts";
import { createLog } from "../../../server/log/log.ts";
import { createErasing } from "../../../server/user-data/erase.ts";
import { openStore } from "../../../server/store/open.ts";
import { projectTables, threadTables } from "../../../server/store/schema.ts";
import { createThreads } from "../../../server/thread/threads.ts";
import { followStream, mintId, say, type Instance } from "../../support/instance.ts";
import { query } from "../../support/server/database.ts";
import { until } from "../../support/server/until.ts";
import { describeOnBoth, type Start } from "./on-both.ts";

const confirm = "delete everything";

/** Creates data of every kind. */
async function fill({ client, start, send, follow }: Instance): Promise<readonly string[]> {
  const threads: string[] = [];
  for (let n = 0; n < 3; n += 1) {
    const threadId = await start();
    threads.push(threadId);
    const live = follow(threadId);
    await send(threadId, "tell me of basalt");
    await live.ended();
    live.close();
    await client.setDraft({ params: { threadId }, body: { text: "begun", at: 1 } });
    await client.createShare({ params: { threadId }, body: { id: mintId() } });
  }
  await client.setFirstDraft({ body: { text: "begun", at: 1 } });
  await client.setMemory({ body: { id: mintId(), field: "name", value: "Ann" } });
  await client.createProfile({ body: { id: "mine", name: "Mine" } });
  await client.setProviderKey({ params: { provider: "openai" }, body: { key: "sk-test-0123456789" } });
  await client.setBudget({ body: { id: mintId(), scope: "day", limitUsd: 5 } });
  await client.addServer({ body: { name: "own", url: "https://mcp.example/" } });
  for (const id of ["p1", "p2"]) {
    await client.createProject({ body: { id, name: "Basalt" } });
    const op = { do: "create" as const, id: "doc", kind: "document", title: "Basalt", body: "columns" };
    await client.act({ params: { projectId: id }, body: { id: mintId(), ops: [op] } });
  }
  return threads;
}

/** Counts everything that the user can see. */
const look = async (client: Client) => ({
  threads: (await client.listThreads({})).threads.length,
  archived: (await client.listThreads({ query: { archived: "true" } })).threads.length,
  hits: (await client.search({ query: { q: "basalt" } })).hits.length,
  projects: (await client.listProjects({})).projects.length,
  memory: Object.values((await client.getMemory({})).memory).filter(Boolean).length,
  changes: (await client.getMemory({})).changes.length,
  drafts: (await client.listDrafts({})).drafts.length,
  shares: (await client.listShares({})).shares.length,
  profiles: (await client.listProfiles({})).profiles.filter(({ builtIn }) => !builtIn).length,
  keys: (await client.listProviders({})).providers.filter(({ key }) => key === "here").length,
  servers: (await client.listServers({})).servers.length,
  budgets: (await client.getBudgets({})).budgets.filter(({ limitUsd }) => limitUsd !== null).length,
});

const nothing = {
  threads: 0,
  archived: 0,
  hits: 0,
  projects: 0,
  memory: 0,
  changes: 0,
  drafts: 0,
  shares: 0,
  profiles: 0,
  keys: 0,
  servers: 0,
  budgets: 0,
};

type Where = { readonly dataDir: string; readonly databaseUrl: string };
const placeOf = ({ dataDir, databaseUrl }: Where) => ({ dataDir, ...(databaseUrl ? { databaseUrl } : {}) });

const countLeft = async (where: Where): Promise<number> => {
  let left = 0;
  const owned = ["threads", "projects", "memory", "memory_changes", "providers", "profiles", "budgets"];
  for (const table of [...owned, ...threadTables, ...projectTables].filter((name) => name !== "jobs")) {
    const [row] = await query<{ n: number | string }>(placeOf(where), `select count(*) as n from ${table}`);
    left += Number(row?.n ?? 0);
  }
  return left;
};

const prepare = async (start: Start) => {
  const instance = await start({ script: () => say("Basalt is dark.") });
  const threads = await fill(instance);
  const seen = await look(instance.client);
  expect(Object.entries(seen).filter(([, count]) => count === 0)).toEqual([["archived", 0]]);
  return { instance, threads };
};

/** Runs the first commit of the deletion, then stops as if the process had died. */
const beginToErase = async ({ dataDir, databaseUrl }: Where, removeOne: boolean): Promise<void> => {
  const store = await openStore({ directory: dataDir, databaseUrl: databaseUrl || null });
  const log = createLog({ store, clock, onError: () => {} });
  const models = { forUser: () => Promise.reject(new Error("No models in this test.")) as never };
  const threads = createThreads({ store, log, models, clock, ids });
  let removed = 0;
  const erasing = createErasing({
    store,
    log,
    clock,
    ids,
    wake: () => {},
    members: { leaveAll: async () => {} },
    projects: { remove: () => Promise.reject(new Error("not reached")) },
    threads: {
      remove: (principal, id, more) => {
        if (removed === 1) throw new Error("the process dies here");
        removed += 1;
        return threads.remove(principal, id, more);
      },
    },
  });
  await erasing.erase({ userId: "local" }, { id: "all", costs: false });
  if (removeOne) {
    const body = { gone: "deleted:local:all", person: "local" };
    const job = { id: "j", kind: "", key: "", threadId: null, ownerId: "", body, attempts: 1, epoch: 1 };
    const run = erasing.kind.run(job, new AbortController().signal);
    await expect(run).rejects.toThrow("the process dies here");
    expect(removed).toBe(1);
  }
  await log.close();
  await store.close();
};

describeOnBoth("deleting everything", (start) => {
  test("hides everything at once, deletes every row soon after, and keeps costs", async () => {
    const { instance, threads } = await prepare(start);
    const { client, url } = instance;
    const person = followStream(`${url}/api/stream?after=0`);
    onTestFinished(() => person.close());
    const unsure = client.deleteEverything({ body: { id: "x", confirm: "yes" as never } });
    await expect(unsure).rejects.toMatchObject({ code: "invalid" });
    const spent = (await client.getCosts({})).total.calls;
    expect(spent).toBeGreaterThan(0);
    const answer = await client.deleteEverything({ body: { id: "all", confirm } });
    expect(answer).toMatchObject({ threads: 3, projects: 2 });
    expect(await look(client)).toEqual(nothing);
    for (const threadId of threads) {
      await expect(client.getThread({ params: { threadId } })).rejects.toMatchObject({ code: "not-found" });
    }
    await person.until(() => person.rows.some(({ event }) => event.type === "everything-deleted"));
    await until("every row is gone", async () => (await countLeft(instance)) === 0);
    const events = await instance.server.store.read.events("user:local", 0, 1000);
    expect(events.every(({ body }) => !/basalt|begun|Ann/i.test(body))).toBe(true);
    expect((await client.getCosts({})).total.calls).toBe(spent);

    // New data can be created, and repeating the request does not delete it.
    const threadId = await instance.start();
    expect(await client.deleteEverything({ body: { id: "all", confirm } })).toMatchObject({ threads: 0 });
    expect((await client.listThreads({})).threads.map(({ id }) => id)).toEqual([threadId]);
  });

  test("deletes costs too when asked", async () => {
    const { instance } = await prepare(start);
    await instance.client.deleteEverything({ body: { id: "all", confirm, costs: true } });
    expect((await instance.client.getCosts({})).total.calls).toBe(0);
    await until("every row is gone", async () => (await countLeft(instance)) === 0);
  });

  test.each([false, true])(
    "after a crash nothing is visible, and the rest is deleted (one thread was already deleted: %s)",
    async (removeOne) => {
      const { instance } = await prepare(start);
      const where = { dataDir: await instance.leave(), databaseUrl: instance.databaseUrl };
      await beginToErase(where, removeOne);
      expect(await countLeft(where)).toBeGreaterThan(0);
      const again = await start({ dataDir: where.dataDir }, where.databaseUrl);
      expect(await look(again.client)).toEqual(nothing);
      await until("every row is gone", async () => (await countLeft(where)) === 0);
    },
  );
});
