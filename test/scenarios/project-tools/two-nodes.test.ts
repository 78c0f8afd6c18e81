import type { Script } from "../../../server/model/scripted.ts";
import { describe, expect, onTestFinished, test } from "vitest";
import { call, createInstance, mintId, say, type Instance } from "../../support/instance.ts";
import { findPostgres } from "../../support/postgres-binaries.ts";
import { createDatabase } from "../../support/postgres.ts";
import { toolParts } from "../../support/server/loop-tools.ts";

const ROUNDS = 6;
const names = ["a", "b"];
const isName = (text: string): boolean => names.includes(text);

describe.skipIf(!findPostgres())("two nodes on one PostgreSQL", () => {
  /** A thread's model adds a line by the name it is given to the same document with every step, then reads it. */
  const read: string[] = [];
  const script: Script = (request) => {
    const name = request.messages.map((message) => (message.role === "user" ? message.text : "")).find(isName) ?? "";
    const made = request.messages.filter(({ role }) => role === "tool").length;
    const last = request.messages.findLast(({ role }) => role === "tool");
    if (made > ROUNDS && last?.role === "tool") read.push(last.results.map(({ text }) => text).join());
    if (made > ROUNDS) return say("done");
    if (made === ROUNDS) return call({ name: "get_entity", input: '{"ids":["log"]}' });
    const updates = [{ id: "log", append: `${name}${made}` }];
    const entities = [{ kind: "task", title: `${name}${made}` }];
    return call(
      { name: "update_entities", input: JSON.stringify({ updates }) },
      { name: "create_entities", input: JSON.stringify({ entities }) },
    );
  };
  /** Whichever of them takes a thread drives it. */
  const startNode = async (url: string): Promise<Instance> => {
    const instance = await createInstance({ env: { STONECHAT_DATABASE_URL: url }, script });
    onTestFinished(instance.close);
    return instance;
  };

  test("concurrent writes to the same entity on two nodes are all kept and visible on both", async () => {
    const url = await createDatabase();
    const nodes = [await startNode(url), await startNode(url)] as const;
    const [{ client }] = nodes;
    const projectId = mintId("project");
    await client.createProject({ body: { id: projectId, name: "Harbour" } });
    const create = { do: "create" as const, id: "log", kind: "document", title: "Log" };
    await client.act({ params: { projectId }, body: { id: mintId(), ops: [create] } });
    const lives = await Promise.all(
      nodes.map(async ({ start, send, follow }, at) => {
        const threadId = await start({ profile: "project", projectId });
        const live = follow(threadId);
        await send(threadId, names[at] ?? "");
        return live;
      }),
    );
    for (const live of lives) expect((await live.ended()).outcome).toBe("done");
    for (const live of lives) expect(new Set(toolParts(live).map(({ state }) => state))).toEqual(new Set(["ok"]));

    const { entity } = await client.getEntity({ params: { projectId, entityId: "log" } });
    const lines = names.flatMap((name) => Array.from({ length: ROUNDS }, (_, n) => `${name}${n}`));
    expect(entity.body.split("\n\n").toSorted()).toEqual(lines);
    expect(entity.version).toBe(1 + lines.length);
    const tasks = await client.listEntities({ params: { projectId }, query: { kind: "task" } });
    expect(tasks.entities.map(({ title }) => title).toSorted()).toEqual(lines);
    // Who came second has read all of it.
    expect(read.some((text) => lines.every((line) => text.includes(line)))).toBe(true);
  });
});
