import { randomUUID } from "node:crypto";
import { afterAll, beforeAll, expect, test } from "vitest";
import type { PartOf } from "../../protocol/parts.ts";
import { projectStream } from "../../protocol/ids.ts";
import { startServer, type ServerProcess } from "../support/server-process.ts";
import { query } from "../support/server/database.ts";
import { openThreadClient } from "../support/server/thread-client.ts";

/**
 * Writes of tools to a project. The process kills itself between any two writes of a step's batch and is restarted. Rows, acts
 * and the log are counted from outside: each write must be stored exactly once, with its result.
 */
const WRITES = 4;
const between = Array.from({ length: WRITES }, (_, n) => [`after-effect:${n + 1}`, `after-result:${n + 1}`]).flat();
const all = ["before-intent", "after-intent", ...between, "before-terminal"];
const points = process.env["STONECHAT_DEEP"] === "1" ? all : all.filter((_, n) => n % 2 === 0);

let server: ServerProcess;
let deaths = 0;
beforeAll(async () => {
  server = await startServer({ spare: true, env: { STONECHAT_LEASE_MS: "500" } });
});
afterAll(() => server?.close());

const startProject = async () => {
  const projectId = randomUUID();
  const { client } = server;
  await client.createProject({ body: { id: projectId, name: "Harbour" } });
  const ops = ["wall", "gate"].map((id) => ({ do: "create" as const, id, kind: "goal", title: id }));
  await client.act({ params: { projectId }, body: { id: randomUUID(), ops } });
  return projectId;
};

const toScript = (project_id: string): string => {
  const calls: readonly (readonly [string, object])[] = [
    [
      "create_entities",
      { project_id, entities: [{ kind: "task", title: "Granite", links: [{ relation: "supports", to: "wall" }] }] },
    ],
    ["update_entities", { project_id, updates: [{ id: "wall", append: "stone" }] }],
    ["link_entities", { project_id, links: [{ from: "gate", relation: "part-of", to: "wall" }] }],
    [
      "update_entities",
      {
        project_id,
        updates: [
          { id: "wall", append: "mortar" },
          { id: "gate", state: "active" },
        ],
      },
    ],
  ];
  return `${calls.map(([name, input]) => `call ${name} ${JSON.stringify(input)}`).join(" and ")} then say done`;
};

/** The stored rows and the events about them. */
const audit = async (projectId: string, runId: string) => {
  const ask = <Row>(sql: string, ...values: readonly string[]) => query<Row>(server, sql, values);
  const [project] = await ask<{ seq: number }>("select seq from projects where id = ?", projectId);
  const acts = await ask<{ id: string; seq: number }>(
    "select id, seq from acts where project = ? and run = ? order by seq",
    projectId,
    runId,
  );
  const logged = await ask<{ seq: number; body: string }>(
    "select seq, body from events where stream = ? order by seq",
    projectStream(projectId),
  );
  const rows = await ask<{ id: string; title: string; body: string; version: number }>(
    "select id, title, body, version from entities where project = ? order by title",
    projectId,
  );
  const edges = await ask<{ relation: string }>(
    "select relation from edges where project = ? order by relation",
    projectId,
  );
  const events = logged.map(({ body }) => JSON.parse(body) as { act: { id: string } });
  return {
    acts: acts.length,
    // The log contains each act once, at the seq in its row, and ends at the project's seq.
    agrees:
      project?.seq === logged.at(-1)?.seq &&
      acts.every(
        ({ id, seq }) =>
          events.filter(({ act }) => act.id === id).length === 1 && logged.find((one) => one.seq === seq),
      ),
    titles: rows.map(({ title, version }) => `${title} v${version}`),
    wall: rows.find(({ id }) => id === "wall")?.body,
    edges: edges.map(({ relation }) => relation),
  };
};

const whole = {
  acts: WRITES,
  agrees: true,
  titles: ["Granite v1", "gate v2", "wall v3"],
  wall: "stone\n\nmortar",
  edges: ["part-of", "supports"],
};

test.each(points)("a process that dies %s stores each write once, and the log agrees", async (point) => {
  const projectId = await startProject();
  const chat = await openThreadClient(server);
  await server.arm(point);
  const asked = await chat.send(toScript(projectId));
  expect(await server.exited()).toEqual({ code: null, signal: "SIGKILL" });
  deaths += 1;
  await server.restart();
  const { run, message } = await chat.answered(asked);
  chat.close();
  expect(run).toMatchObject({ outcome: "done" });
  const calls = message.parts.filter((part): part is PartOf<"tool"> => part.kind === "tool");
  expect(calls.map(({ state }) => state)).toEqual(Array.from({ length: WRITES }, () => "ok"));
  expect(await audit(projectId, run.id)).toEqual(whole);
});

test("control: detects a duplicate write", async () => {
  const projectId = await startProject();
  const chat = await openThreadClient(server);
  const script = toScript(projectId);
  const { run } = await chat.answered(await chat.send(script.replace(" then say done", ` then ${script}`)));
  chat.close();
  const { acts, titles } = await audit(projectId, run.id);
  expect(acts).toBeGreaterThan(WRITES);
  expect(titles.filter((title) => title.startsWith("Granite"))).toHaveLength(2);
});

test("every point was reached by a process that died", () => {
  expect(deaths).toBe(points.length);
});
