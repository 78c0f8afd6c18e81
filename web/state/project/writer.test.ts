import { expect, test } from "vitest";
import type { BodyInput, Response } from "../../../protocol/api.ts";
import { ResponseError } from "../../../protocol/client.ts";
import type { Entity, EntityOp } from "../../../protocol/project/project.ts";
import { keepInMemory } from "../../lib/memory-storage.ts";
import { createWriter } from "./writer.ts";

const entity = (id: string, version: number): Entity => ({
  id,
  projectId: "p",
  kind: "task",
  title: id,
  body: "",
  state: "open",
  priority: "none",
  startsAt: null,
  endsAt: null,
  parentId: null,
  position: 1,
  version,
  createdAt: 1,
  updatedAt: 1,
});

const answer = (id: string, seq: number, entities: Entity[] = []): Response<"act"> => ({
  act: {
    id,
    projectId: "p",
    seq,
    author: { by: "person", threadId: null, runId: null },
    text: "Did it",
    changes: [],
    undone: false,
    undoes: null,
    createdAt: 1,
  },
  entities,
});

const update = (id: string, version: number, state: string): EntityOp => ({ do: "update", id, version, state });

function open(act: (body: BodyInput<"act">, n: number) => Promise<Response<"act">>, kept = new Map<string, string>()) {
  const bodies: BodyInput<"act">[] = [];
  const said: string[] = [];
  const undone: string[] = [];
  const storage = keepInMemory(kept);
  const unused = () => Promise.reject(new Error("not asked for here"));
  const writer = createWriter({
    projectId: "p",
    client: {
      act: ({ body }) => {
        bodies.push(body);
        return act(body, bodies.length);
      },
      changeProject: unused,
      undoAct: async ({ params, body }) => {
        undone.push(params.actId);
        return answer(body.id, bodies.length + undone.length);
      },
      undoRun: unused,
    },
    storage,
    say: (text) => said.push(text),
    onSignedOut: () => undefined,
    onProject: () => undefined,
  });
  return { writer, bodies, said, undone, kept };
}

const versionsOf = (bodies: readonly BodyInput<"act">[]) =>
  bodies.map(({ ops }) => ops.map((op) => ("version" in op ? op.version : null)));

test("bases a second write on the first, before and after its response", async () => {
  const { writer, bodies } = open(async (body, n) => answer(body.id, n, [entity("a", n + 1)]));
  const first = writer.act([update("a", 1, "active")]);
  const second = writer.act([update("a", 1, "blocked")]);
  await Promise.all([first, second]);
  await writer.act([update("a", 1, "done")]);
  expect(versionsOf(bodies)).toEqual([[1], [2], [3]]);
});

test("shows a pending write in the overlay until its result arrives", async () => {
  const { promise, resolve } = Promise.withResolvers<Response<"act">>();
  const { writer, bodies } = open(() => promise);
  const done = writer.act([update("a", 1, "done")], { offer: true });
  expect(writer.overlay.get().ops).toEqual([update("a", 1, "done")]);
  resolve(answer(bodies[0]?.id ?? "", 9, [entity("a", 2)]));
  expect((await done).name).toBe("done");
  expect(writer.overlay.get().ops).toEqual([]);
  expect(writer.overlay.get().answers.get("a")).toMatchObject({ seq: 9, line: { version: 2 } });
  expect(writer.toasts.list.get()).toEqual([{ id: bodies[0]?.id, text: "Did it", onUndo: expect.any(Function) }]);
});

test("undoes a write whose undo was asked for before its response", async () => {
  const { promise, resolve } = Promise.withResolvers<Response<"act">>();
  const { writer, bodies, undone } = open(() => promise);
  const done = writer.act([update("a", 1, "done")], { offer: true });
  for (const { undo } of writer.toasts.listUndoable()) undo();
  const id = bodies[0]?.id ?? "";
  resolve(answer(id, 9, [entity("a", 2)]));
  await done;
  await expect.poll(() => undone).toEqual([id]);
  expect(writer.toasts.list.get()).toEqual([]);
});

test("queues a write without a server and retries it with its id", async () => {
  let isDown = true;
  const { writer, bodies, kept } = open(async (body, n) => {
    if (isDown) throw new TypeError("fetch failed");
    return answer(body.id, n);
  });
  const done = writer.act([update("a", 1, "done")]);
  await expect.poll(() => writer.stalled.get()).toBe("The server cannot be reached.");
  expect(writer.waiting.get()).toBe(1);
  expect([...kept.keys()]).toEqual([`acts.p.${bodies[0]?.id}`]);
  isDown = false;
  writer.retry();
  expect((await done).name).toBe("done");
  expect(bodies[1]?.id).toBe(bodies[0]?.id);
  expect(writer.stalled.get()).toBeNull();
  expect(kept.size).toBe(0);
});

test("sends the queued writes of earlier pages in order", async () => {
  const kept = new Map<string, string>();
  const isDown = () => Promise.reject(new TypeError("fetch failed"));
  const [one, other] = [open(isDown, kept), open(isDown, kept)];
  const wrote = ["a", "b", "c", "d"].map((id) => update(id, 1, "done"));
  for (const op of wrote) void one.writer.act([op]);
  void other.writer.act([update("e", 1, "done")]);
  await expect.poll(() => [one, other].map(({ writer }) => writer.stalled.get())).not.toContain(null);
  const shuffled = new Map([...kept].reverse());
  const { bodies } = open(async (body, n) => answer(body.id, n), shuffled);
  await expect.poll(() => shuffled.size).toBe(0);
  const sent = bodies.flatMap(({ ops }) => ops);
  expect(sent.filter((op) => "id" in op && op.id !== "e")).toEqual(wrote);
  expect(sent).toContainEqual(update("e", 1, "done"));
});

test("keeps the queued writes of other pages in storage", async () => {
  const kept = new Map<string, string>();
  const away = open(() => Promise.reject(new TypeError("fetch failed")), kept);
  const here = open(async (body, n) => answer(body.id, n), kept);
  void away.writer.act([update("a", 1, "done")]);
  await here.writer.act([update("b", 1, "done")]);
  await expect.poll(() => away.writer.stalled.get()).not.toBeNull();
  expect([...kept.keys()]).toEqual([`acts.p.${away.bodies[0]?.id}`]);
});

const conflict = (id = "a") => new ResponseError(409, "conflict", "It has changed.", entity(id, 7));

test("asks on a conflict; mine is rebased on the current version", async () => {
  const { writer, bodies } = open(async (body, n) => {
    if (n !== 2) throw conflict();
    return answer(body.id, 8, [entity("a", 8)]);
  });
  const mine = writer.act([update("a", 1, "done")]);
  await expect.poll(() => writer.stale.get()?.current["version"]).toBe(7);
  writer.stale.get()?.answer("mine");
  expect((await mine).name).toBe("done");
  expect(versionsOf(bodies)).toEqual([[1], [7]]);
  expect(bodies[0]?.id).not.toBe(bodies[1]?.id);

  const theirs = writer.act([update("a", 8, "open")]);
  await expect.poll(() => writer.stale.get()).not.toBeNull();
  writer.stale.get()?.answer("theirs");
  expect((await theirs).name).toBe("stale");
  expect(bodies).toHaveLength(3);
});

test("asks about two conflicts one after the other", async () => {
  const { writer, bodies } = open(async (body, n) => {
    if (n <= 2) throw conflict(n === 1 ? "a" : "b");
    return answer(body.id, 8, [entity("b", 8)]);
  });
  const [first, second] = [writer.act([update("a", 1, "done")]), writer.act([update("b", 1, "done")])];
  await expect.poll(() => bodies.length).toBe(2);
  await expect.poll(() => writer.waiting.get()).toBe(0);
  const asked = writer.stale.get();
  expect(asked?.current["id"]).toBe("a");
  asked?.answer("theirs");
  asked?.answer("mine");
  expect(writer.stale.get()?.current["id"]).toBe("b");
  writer.stale.get()?.answer("mine");
  expect([(await first).name, (await second).name]).toEqual(["stale", "done"]);
  expect(versionsOf(bodies)).toEqual([[1], [1], [7]]);
  expect(writer.stale.get()).toBeNull();
});

test("does not rebase a write over a change of another writer", async () => {
  const { writer, bodies } = open(async (body, n) => {
    if (n === 3) throw conflict();
    return answer(body.id, n, [entity("a", n * 2)]);
  });
  await writer.act([update("a", 1, "active")]);
  await writer.act([update("a", 3, "blocked")]);
  await writer.act([update("a", 1, "open")], { asks: true });
  await writer.act([update("a", 3, "done")]);
  expect(versionsOf(bodies)).toEqual([[1], [3], [1], [4]]);
});

test("leaves a conflict to its caller and reports a rejection", async () => {
  const { writer, said } = open(async (_, n) => {
    throw n === 1 ? conflict() : new ResponseError(400, "invalid", "A task has no such state.");
  });
  expect(await writer.act([update("a", 1, "x")], { asks: true })).toMatchObject({ name: "stale" });
  expect(writer.stale.get()).toBeNull();
  expect(said).toEqual([]);
  expect(await writer.act([update("a", 1, "x")])).toMatchObject({ name: "refused" });
  expect(said).toEqual(["A task has no such state."]);
  expect(writer.waiting.get()).toBe(0);
});
