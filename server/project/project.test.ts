import { beforeAll, expect, test } from "vitest";
import { ApiError } from "../../protocol/errors.ts";
import type { EntityOp } from "../../protocol/project/project.ts";
import { describeStores, type StoreFixture } from "../../test/support/stores.ts";
import { put, rows } from "../../test/support/store-rows.ts";
import { systemClock } from "../lib/clock.ts";
import { createLog, type Log } from "../log/log.ts";
import { createProjects, type Projects } from "./project.ts";

const ann = { userId: "ann" };
const all = { sort: "updated", limit: 100 } as const;

type House = { readonly projects: Projects; readonly log: Log; readonly projectId: string; readonly id: () => string };

function prepare(bench: StoreFixture): () => Promise<House> {
  let log: Log | undefined;
  beforeAll(async () => {
    const store = bench.store();
    await put(store, { do: "put", table: "users", row: rows.user("ann") });
    log = createLog({ store, clock: systemClock, onError: () => {} });
    return () => log?.close();
  });
  return async () => {
    const projects = createProjects({ store: bench.store(), log: log!, clock: systemClock });
    const projectId = bench.id("project");
    await projects.create(ann, { id: projectId, name: "House", description: "", instructions: "" });
    return { projects, log: log!, projectId, id: () => bench.id("id") };
  };
}

const task = (id: string, more: Partial<Extract<EntityOp, { do: "create" }>> = {}): EntityOp => ({
  do: "create",
  id,
  kind: "task",
  title: `Task ${id}`,
  parentId: null,
  ...more,
});

const refusalOf = (work: Promise<unknown>): Promise<ApiError> =>
  work.then(
    () => {
      throw new Error("it was not refused");
    },
    (error: unknown) => {
      if (error instanceof ApiError) return error;
      throw error;
    },
  );

describeStores("projects", (bench) => {
  const open = prepare(bench);

  test("an act is stored whole, with its author and a sentence", async () => {
    const { projects, projectId, id } = await open();
    const [a, b] = [id(), id()];
    const ops: EntityOp[] = [
      task(a, { title: "Paint", priority: "high" }),
      task(b, { kind: "document", title: "Colours", body: "Some **blue**." }),
      { do: "link", sourceId: a, targetId: b, relation: "mentions" },
    ];
    const { act, entities } = await projects.act(ann, projectId, { id: id(), ops });
    expect(act).toMatchObject({
      text: 'Created 1 task, 1 document; linked "Paint" mentions "Colours"',
      author: { by: "person", threadId: null, runId: null },
      undone: false,
      undoes: null,
      seq: 2,
    });
    expect(entities.map(({ title, state, version }) => [title, state, version])).toEqual([
      ["Paint", "open", 1],
      ["Colours", "draft", 1],
    ]);
    const whole = await projects.openEntity(ann, projectId, a);
    expect(whole.links).toMatchObject([{ edge: { relation: "mentions" }, other: { title: "Colours" } }]);
    expect(await projects.openEntity(ann, projectId, b)).toMatchObject({ entity: { body: "Some **blue**." } });
    expect(await projects.open(ann, projectId)).toMatchObject({ project: { seq: 2 } });
    expect(await projects.getAct(ann, projectId, act.id)).toEqual({ act });
  });

  test("the same act twice is stored once; other content under its id returns conflict", async () => {
    const { projects, projectId, id } = await open();
    const [actId, a] = [id(), id()];
    const body = { id: actId, ops: [task(a)] };
    const [first, second] = await Promise.all([projects.act(ann, projectId, body), projects.act(ann, projectId, body)]);
    expect(second.act).toEqual(first.act);
    expect(second.entities).toEqual(first.entities);
    const other = await refusalOf(projects.act(ann, projectId, { id: actId, ops: [task(id())] }));
    expect(other.code).toBe("conflict");
    expect((await projects.listEntities(ann, projectId, all)).total).toBe(1);
  });

  test("a stale write returns conflict with the current row, and nothing of its act is written", async () => {
    const { projects, projectId, id } = await open();
    const a = id();
    await projects.act(ann, projectId, { id: id(), ops: [task(a, { body: "one" })] });
    await projects.act(ann, projectId, { id: id(), ops: [{ do: "update", id: a, version: 1, body: "two" }] });
    const b = id();
    const refusal = await refusalOf(
      projects.act(ann, projectId, { id: id(), ops: [task(b), { do: "update", id: a, version: 1, body: "three" }] }),
    );
    expect(refusal).toMatchObject({ code: "conflict", current: { id: a, body: "two", version: 2 } });
    expect((await refusalOf(projects.openEntity(ann, projectId, b))).code).toBe("not-found");
  });

  test("one of several concurrent writers to one entity succeeds; writers to different entities all do", async () => {
    const { projects, projectId, id } = await open();
    const ids = Array.from({ length: 12 }, id);
    await projects.act(ann, projectId, { id: id(), ops: ids.map((one) => task(one)) });
    const change = (one: string, n: number) =>
      projects.act(ann, projectId, { id: id(), ops: [{ do: "update", id: one, version: 1, title: `by ${n}` }] });
    const same = await Promise.allSettled(Array.from({ length: 8 }, (_, n) => change(ids[0]!, n)));
    expect(same.filter(({ status }) => status === "fulfilled")).toHaveLength(1);
    await Promise.all(ids.slice(1).map(change));
    expect((await projects.listActs(ann, projectId, { limit: 50 })).acts).toHaveLength(1 + 1 + 1 + 11);
  });

  test("deleting includes descendants and hides their links; undo restores both; redo deletes them again", async () => {
    const { projects, projectId, id } = await open();
    const [root, child, grandchild, other] = [id(), id(), id(), id()];
    await projects.act(ann, projectId, {
      id: id(),
      ops: [
        task(root, { kind: "document" }),
        task(child, { kind: "document", parentId: root, body: "deep" }),
        task(grandchild, { kind: "document", parentId: child }),
        task(other),
        { do: "link", sourceId: other, targetId: child, relation: "mentions" },
        { do: "link", sourceId: root, targetId: other, relation: "relates-to" },
      ],
    });
    const before = await projects.openEntity(ann, projectId, child);
    const { act } = await projects.act(ann, projectId, { id: id(), ops: [{ do: "delete", id: root, version: 1 }] });
    expect(act.text).toBe("Deleted 3 documents");
    expect((await projects.listEntities(ann, projectId, all)).total).toBe(1);
    expect((await projects.openEntity(ann, projectId, other)).links).toEqual([]);
    expect((await projects.graph(ann, projectId, { depth: 1, limit: 10 })).totals).toEqual({ entities: 1, edges: 0 });
    const undone = await projects.undoAct(ann, projectId, act.id, id());
    const { entity, ...place } = await projects.openEntity(ann, projectId, child);
    expect(entity).toMatchObject({ body: "deep", parentId: root, version: 3 });
    expect(place).toMatchObject({ links: before.links, path: [{ id: root }], children: [{ id: grandchild }] });
    expect((await projects.getAct(ann, projectId, act.id)).act.undone).toBe(true);
    const again = await projects.undoAct(ann, projectId, undone.act.id, id());
    expect(again.act.text).toBe("Redid: Deleted 3 documents");
    expect((await projects.listEntities(ann, projectId, all)).total).toBe(1);
    expect((await projects.getAct(ann, projectId, act.id)).act.undone).toBe(false);
  });
});
