import { spawnSync } from "node:child_process";
import { copyFileSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { systemClock } from "../../../server/lib/clock.ts";
import { createLog } from "../../../server/log/log.ts";
import { createProjects, planOps, type ActRequest } from "../../../server/project/project.ts";
import type { EntityOp } from "../../../protocol/project/project.ts";
import { projectStream } from "../../../protocol/ids.ts";
import { openSqlite } from "../../../server/store/sqlite/open.ts";
import { put, rows } from "../../support/store-rows.ts";

const step = process.env["STONECHAT_DEEP"] === "1" ? 1 : 4;
const ann = { userId: "ann" };
const projectId = "project";
const document = (id: string, parentId: string | null): EntityOp => ({
  do: "create",
  id,
  kind: "document",
  title: id,
  parentId,
});
const before: readonly EntityOp[] = [
  document("root", null),
  document("child", "root"),
  { do: "link", sourceId: "root", targetId: "child", relation: "supports" },
];
const ops: readonly EntityOp[] = [
  document("other", null),
  { do: "link", sourceId: "other", targetId: "root", relation: "mentions" },
  { do: "update", id: "child", version: 1, body: "written" },
  { do: "move", id: "child", version: 1, parentId: "other" },
  { do: "delete", id: "root", version: 1 },
];
const request: ActRequest = {
  userId: "ann",
  projectId,
  id: "act",
  input: ops,
  author: { by: "person", threadId: null, runId: null },
  untrusted: [],
  now: 1000,
};

/** The log and the stored rows. */
async function look(file: string) {
  const store = await openSqlite({ file });
  const log = createLog({ store, clock: systemClock, onError: () => {} });
  const projects = createProjects({ store, log, clock: systemClock });
  const { seq } = await projects.get(ann, projectId);
  const { entities } = await projects.listEntities(ann, projectId, { sort: "title", limit: 10 });
  const seen = {
    seq,
    events: (await store.read.events(projectStream(projectId), 0, 100)).map((row) => row.seq),
    acts: (await store.read.acts({ project: projectId, before: 100, limit: 10 })).map(({ id }) => id),
    changes: (await store.read.changesOfActs(projectId, ["act"])).length,
    entities: entities.map(({ id, parentId, version }) => `${id} ${parentId} ${version}`),
    edges: await store.read.countEdges(projectId),
  };
  const act = await projects.act(ann, projectId, { id: "again", ops: [document("again", null)] });
  await log.close();
  await store.close();
  return { ...seen, goesOn: act.act.seq > seq };
}

test("a process that dies between two writes of an act stores all of it or nothing", async () => {
  const folder = mkdtempSync(join(tmpdir(), "stonechat-acts-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const file = join(folder, "first.db");
  const store = await openSqlite({ file });
  await put(store, { do: "put", table: "users", row: rows.user("ann") });
  const log = createLog({ store, clock: systemClock, onError: () => {} });
  const projects = createProjects({ store, log, clock: systemClock });
  await projects.create(ann, { id: projectId, name: "Harbour", description: "", instructions: "" });
  await projects.act(ann, projectId, { id: "before", ops: [...before] });
  const { writes, events } = await planOps(store.read, request, ops);
  await log.close();
  await store.close();
  const batch = { writes, events: events.map(({ stream, event }) => ({ stream, body: JSON.stringify(event) })) };
  writeFileSync(join(folder, "batch.json"), JSON.stringify(batch));

  const dieBefore = (nth: number, ...loose: string[]) => {
    const copy = join(folder, `${nth}${loose.join("")}.db`);
    copyFileSync(file, copy);
    const program = join(import.meta.dirname, "die-in-batch.ts");
    const { signal, stdout } = spawnSync(process.execPath, [
      program,
      copy,
      join(folder, "batch.json"),
      `${nth}`,
      ...loose,
    ]);
    return { copy, signal, said: stdout.toString() };
  };
  const alive = dieBefore(0);
  const { count } = JSON.parse(alive.said) as { count: number };
  expect(count).toBeGreaterThan(writes.length);
  const whole = await look(alive.copy);
  copyFileSync(file, join(folder, "nothing.db"));
  const nothing = await look(join(folder, "nothing.db"));
  expect(whole).toMatchObject({ seq: 3, events: [1, 2, 3], acts: ["act", "before", projectId], edges: 0 });
  expect(whole.entities).toEqual(["child other 2", "other null 1"]);
  expect(nothing).toMatchObject({ seq: 2, events: [1, 2], changes: 0, edges: 1 });
  for (let nth = 1; nth <= count; nth += step) {
    const { copy, signal } = dieBefore(nth);
    expect({ nth, signal }).toEqual({ nth, signal: "SIGKILL" });
    expect({ nth, seen: await look(copy) }).toEqual({ nth, seen: nothing });
  }
  const torn = await look(dieBefore(Math.floor(count / 2), "loose").copy);
  expect([whole, nothing]).not.toContainEqual(torn);
}, 240_000);
