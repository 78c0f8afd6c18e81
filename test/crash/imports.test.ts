import { describe, expect, test } from "vitest";
import { createApiClient } from "../../protocol/api-client.ts";
import { findPostgres } from "../support/postgres-binaries.ts";
import { createDatabase } from "../support/postgres.ts";
import { startServer } from "../support/server-process.ts";
import { until } from "../support/server/until.ts";
import { listAll, waitForImport } from "../support/transfer.ts";

const THREADS = 120;
const MESSAGES = 6;
/** More than one commit takes, so that a kill can leave it unfinished. */
const LONG_MESSAGES = 900;

const toThread = (n: number, count: number): object => ({
  id: `killed-${n}`,
  title: `Thread ${n}`,
  messages: Array.from({ length: count }, (_, m) => ({
    role: m % 2 === 0 ? "user" : "assistant",
    content: `message ${m} of thread ${n} about granite`,
  })),
});

const file = JSON.stringify(
  Array.from({ length: THREADS }, (_, n) => toThread(n, n % 40 === 39 ? LONG_MESSAGES : MESSAGES)),
);

async function check(databaseUrl?: string): Promise<void> {
  const server = await startServer(databaseUrl === undefined ? {} : { databaseUrl });
  try {
    const api = createApiClient({ baseUrl: server.url });
    const { id } = await api.uploadImport({ query: { name: "many.json" }, body: new TextEncoder().encode(file) });
    const count = async (): Promise<number> =>
      (await api.getImport({ params: { importId: id } }).catch(() => null))?.import.counts.threads ?? -1;
    let kills = 0;
    for (const at of process.env["STONECHAT_DEEP"] === "1" ? [5, 39, 70] : [5, 39]) {
      await until(`${at} threads are imported`, async () => (await count()) >= at);
      const done = await count();
      await server.kill("SIGKILL");
      if (done < THREADS) kills += 1;
      await server.restart();
    }
    // Without a kill in the middle, nothing was tested.
    expect(kills).toBeGreaterThanOrEqual(2);
    const { import: ended, lines } = await waitForImport(api, id);
    expect(ended).toMatchObject({ state: "done", counts: { threads: THREADS, known: 0, notes: 0 } });
    expect(lines.map(({ n }) => n)).toEqual(Array.from({ length: THREADS }, (_, n) => n + 1));
    const threads = await listAll(api);
    expect(new Set(threads.map((thread) => thread.id)).size).toBe(THREADS);
    expect(threads).toHaveLength(THREADS);
    for (const n of [0, 39, 79, 80]) {
      const { messages } = await api.getThread({ params: { threadId: `killed-${n}` }, query: { limit: 200 } });
      const all = n % 40 === 39 ? LONG_MESSAGES : MESSAGES;
      expect(messages.at(-1)?.depth).toBe(all);
      expect(messages.map(({ depth }) => depth)).toEqual(
        Array.from({ length: Math.min(200, all) }, (_, m) => all - Math.min(200, all) + m + 1),
      );
    }
    const { hits } = await api.search({ query: { q: "granite 899", limit: 50 } });
    expect(hits.length).toBeGreaterThan(0);
  } finally {
    await server.close();
  }
}

/** At once, because each waits for the lease of the killed server most of the time. */
describe.concurrent("a server that is killed during an import", () => {
  test("completes it after the restart, and nothing is doubled, on SQLite", () => check());
  test.skipIf(!findPostgres())("completes it after the restart, and nothing is doubled, on PostgreSQL", async () =>
    check(await createDatabase()),
  );
});
