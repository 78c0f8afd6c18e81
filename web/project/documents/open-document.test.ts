import { expect, test } from "vitest";
import type { Entity } from "../../../protocol/project/project.ts";
import { keepInMemory } from "../../lib/memory-storage.ts";
import type { Outcome } from "../../state/project/writer.ts";
import { createDocument } from "./open-document.ts";

const stored = (version: number, body: string): Entity =>
  ({ id: "d", kind: "document", title: "Plan", body, version }) as Entity;
const done = (entity: Entity): Outcome => ({ name: "done", act: null, entities: [entity] });

type Write = (patch: { body?: string; title?: string }, version: number) => Promise<Outcome>;

function open(write: Write, values = new Map<string, string>()) {
  const writes: [unknown, number][] = [];
  const storage = keepInMemory(values);
  const document = createDocument({
    stored: stored(1, "one"),
    storage,
    pauseMs: 1,
    write: (patch, version) => {
      writes.push([patch, version]);
      return write(patch, version);
    },
  });
  return { document, writes, values, now: () => document.state.get() };
}

test("saves edits after a pause, based on the version they were made from", async () => {
  const { document, writes, values, now } = open(async ({ body = "" }) => done(stored(2, body)));
  document.change({ body: "two" });
  expect(now()).toMatchObject({ body: "two", save: { name: "unsaved" } });
  expect(values.get("document.d")).toContain("two");
  await expect.poll(() => now().save.name).toBe("saved");
  expect(writes).toEqual([[{ body: "two" }, 1]]);
  expect(values.size).toBe(0);
});

test("edits during a save are saved next, based on its result", async () => {
  const { promise, resolve } = Promise.withResolvers<Outcome>();
  let count = 0;
  const { document, writes, now } = open(async ({ body = "" }) =>
    (count += 1) === 1 ? promise : done(stored(3, body)),
  );
  document.change({ body: "two" });
  await expect.poll(() => now().save.name).toBe("saving");
  document.change({ body: "two and a half" });
  resolve(done(stored(2, "two")));
  await expect.poll(() => now().save.name).toBe("saved");
  expect(writes).toEqual([
    [{ body: "two" }, 1],
    [{ body: "two and a half" }, 2],
  ]);
});

test("applies changes from elsewhere only while there are no unsaved edits", async () => {
  const { document, now } = open(async ({ body = "" }) => done(stored(9, body)));
  document.receive(stored(2, "theirs"));
  expect(now()).toMatchObject({ body: "theirs", save: { name: "saved" } });
  document.change({ body: "mine" });
  document.receive(stored(3, "theirs again"));
  expect(now().body).toBe("mine");
});

test.each(["mine", "theirs"] as const)("on a conflict, the user can keep %s", async (whose) => {
  let count = 0;
  const { document, writes, now } = open(async ({ body = "" }) =>
    (count += 1) === 1
      ? { name: "stale", current: stored(5, "theirs"), text: "It has changed." }
      : done(stored(6, body)),
  );
  document.change({ body: "mine" });
  await expect.poll(() => now().save.name).toBe("stale");
  expect(now()).toMatchObject({ body: "mine", save: { theirs: { body: "theirs" } } });
  if (whose === "theirs") document.takeTheirs();
  else await document.keepMine();
  expect(now()).toMatchObject({ body: whose, save: { name: "saved" } });
  expect(writes.slice(1)).toEqual(whose === "mine" ? [[{ body: "mine" }, 5]] : []);
});

test("restores unsaved edits after a reload", () => {
  const values = new Map([["document.d", JSON.stringify({ title: "Plan", body: "unsent", version: 1 })]]);
  const { now } = open(async () => done(stored(2, "unsent")), values);
  expect(now()).toMatchObject({ body: "unsent", save: { name: "unsaved" } });
});
