import { describe, expect, onTestFinished, test } from "vitest";
import type { Client } from "../../../protocol/client.ts";
import { ResponseError } from "../../../protocol/client.ts";
import { findPostgres } from "../../support/postgres-binaries.ts";
import { createDatabase } from "../../support/postgres.ts";
import { startServer, type ServerProcess } from "../../support/server-process.ts";

const KILLS = process.env["STONECHAT_DEEP"] === "1" ? 40 : 3;
const projectId = "project";

/** Writes until the process is gone. Returns the acknowledged acts and those whose outcome is unknown. */
async function write(client: Client, round: number) {
  const known: string[] = [];
  for (let n = 0; ; n += 1) {
    const id = `act-${round}-${n}`;
    try {
      await client.act({ params: { projectId }, body: toBody(id) });
      known.push(id);
    } catch (error) {
      if (error instanceof ResponseError && error.status > 0 && error.status < 500) throw error;
      return { known, open: id };
    }
  }
}

/** Two entities and a link between them: three rows and three changes. */
const toBody = (id: string) => ({
  id,
  ops: [
    { do: "create" as const, id: `${id}-a`, kind: "task", title: id },
    { do: "create" as const, id: `${id}-b`, kind: "task", title: id, parentId: `${id}-a` },
    { do: "link" as const, sourceId: `${id}-a`, targetId: `${id}-b`, relation: "supports" },
  ],
});

async function tryKills(server: ServerProcess): Promise<void> {
  await server.client.createProject({ body: { id: projectId, name: "Harbour" } });
  const done: string[] = [];
  for (let round = 0; round < KILLS; round += 1) {
    const writing = write(server.client, round);
    await seeActs(server.client, done.length + 3 + round);
    await server.kill();
    const { known, open } = await writing;
    await server.restart();
    const { total } = await server.client.listEntities({ params: { projectId }, query: { limit: 1 } });
    const before = done.length + known.length;
    expect([2 * before, 2 * (before + 1)]).toContain(total);
    // Repeated with the same id, it is stored once.
    await server.client.act({ params: { projectId }, body: toBody(open) });
    await server.client.act({ params: { projectId }, body: toBody(open) });
    done.push(...known, open);
    const { project } = await server.client.getProject({ params: { projectId } });
    const { acts } = await server.client.listActs({ params: { projectId }, query: { limit: 1 } });
    expect(acts[0]).toMatchObject({ id: open, seq: project.seq });
    const { totals } = await server.client.getGraph({ params: { projectId }, query: { limit: 1 } });
    expect(totals).toEqual({ entities: 2 * done.length, edges: done.length });
  }
  expect(done.length).toBeGreaterThan(KILLS);
}

/** Resolves when this many acts are stored. */
async function seeActs(client: Client, count: number): Promise<void> {
  for (;;) {
    const { project } = await client.getProject({ params: { projectId } });
    if (project.seq > count) return;
  }
}

describe("a server killed while it writes to a project", () => {
  test("stores all of an act or nothing, on SQLite", async () => {
    const server = await startServer({ spare: true });
    onTestFinished(server.close);
    await tryKills(server);
  }, 240_000);

  describe.skipIf(!findPostgres())("and", () => {
    test("on PostgreSQL", async () => {
      const server = await startServer({ spare: true, databaseUrl: await createDatabase() });
      onTestFinished(server.close);
      await tryKills(server);
    }, 240_000);
  });
});
