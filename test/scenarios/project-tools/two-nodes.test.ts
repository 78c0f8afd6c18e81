import { afterAll, beforeAll, describe, expect, onTestFinished, test } from "vitest";
import { call, createInstance, mintId, say, type Instance } from "../../support/instance.ts";
import { findPostgres } from "../../support/postgres-binaries.ts";
import { startPostgres, type Postgres } from "../../support/postgres.ts";
import { toolParts } from "../../support/server/loop-tools.ts";

const ROUNDS = 6;

describe.skipIf(!findPostgres())("two nodes on one PostgreSQL", () => {
  let postgres: Postgres;
  beforeAll(async () => {
    postgres = await startPostgres();
  });
  afterAll(() => postgres?.close());

  /** Its model adds a line of its own to the same document with every step, then reads it. */
  const startNode = async (url: string, name: string): Promise<Instance & { readonly seen: string[] }> => {
    const seen: string[] = [];
    const instance = await createInstance({
      env: { STONECHAT_DATABASE_URL: url },
      script: (request) => {
        const made = request.messages.filter(({ role }) => role === "tool").length;
        const last = request.messages.findLast(({ role }) => role === "tool");
        if (last?.role === "tool") seen.push(last.results.map(({ text }) => text).join());
        if (made > ROUNDS) return say("done");
        if (made === ROUNDS) return call({ name: "get_entity", input: '{"ids":["log"]}' });
        const updates = [{ id: "log", append: `${name}${made}` }];
        const entities = [{ kind: "task", title: `${name}${made}` }];
        return call(
          { name: "update_entities", input: JSON.stringify({ updates }) },
          { name: "create_entities", input: JSON.stringify({ entities }) },
        );
      },
    });
    onTestFinished(instance.close);
    return { ...instance, seen };
  };

  test("both write to the same thing at once, nothing is lost, and each sees what the other wrote", async () => {
    const url = await postgres.createDatabase();
    const nodes = [await startNode(url, "a"), await startNode(url, "b")] as const;
    const [{ client }] = nodes;
    const projectId = mintId("project");
    await client.createProject({ body: { id: projectId, name: "Harbour" } });
    const create = { do: "create" as const, id: "log", kind: "document", title: "Log" };
    await client.act({ params: { projectId }, body: { id: mintId(), ops: [create] } });
    const lives = await Promise.all(
      nodes.map(async ({ start, send, follow }) => {
        const threadId = await start({ profile: "project", projectId });
        const live = follow(threadId);
        await send(threadId, "go");
        return live;
      }),
    );
    for (const live of lives) expect((await live.ended()).outcome).toBe("done");
    for (const live of lives) expect(new Set(toolParts(live).map(({ state }) => state))).toEqual(new Set(["ok"]));

    const { entity } = await client.getEntity({ params: { projectId, entityId: "log" } });
    const lines = ["a", "b"].flatMap((name) => Array.from({ length: ROUNDS }, (_, n) => `${name}${n}`));
    expect(entity.body.split("\n\n").toSorted()).toEqual(lines);
    expect(entity.version).toBe(1 + lines.length);
    const tasks = await client.listEntities({ params: { projectId }, query: { kind: "task" } });
    expect(tasks.entities.map(({ title }) => title).toSorted()).toEqual(lines);
    // Who came second has read all of it.
    expect(nodes.some(({ seen }) => lines.every((line) => seen.at(-1)?.includes(line)))).toBe(true);
  });
});
