import { expect, test } from "vitest";
import type { Entity } from "../../../protocol/project/project.ts";
import { keepInMemory } from "../../lib/memory-storage.ts";
import type { Outcome } from "../../state/project/writer.ts";
import { createDocument } from "./open-document.ts";

const stored = (version: number, body: string): Entity =>
  ({ id: "d", kind: "document", title: "Plan", body, version }) as Entity;
const done = (entity: Entity): Outcome => ({ name: "done", act: null, entities: [entity] });

type Write = (patch: { body?: string; title?: string }, version: number) => Promise<Outcome>;

function open(write: Write, kept = new Map<string, string>()) {
  const writes: [unknown, number][] = [];
  const storage = keepInMemory(kept);
  const document = createDocument({
    stored: stored(1, "one"),
    storage,
    pauseMs: 1,
    write: (patch, version) => {
      writes.push([patch, version]);
      return write(patch, version);
    },
  });
  return { document, writes, kept, now: () => document.state.get() };
}

test("what is typed is stored after a pause, under the version it was made from", async () => {
  const { document, writes, kept, now } = open(async ({ body = "" }) => done(stored(2, body)));
  document.change({ body: "two" });
  expect(now()).toMatchObject({ body: "two", save: { name: "unsaved" } });
  expect(kept.get("document.d")).toContain("two");
  await expect.poll(() => now().save.name).toBe("saved");
  expect(writes).toEqual([[{ body: "two" }, 1]]);
  expect(kept.size).toBe(0);
});

test("what is typed while it is being stored is stored next, over the first", async () => {
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

test("what others store comes in while nothing is unsaved, and waits while something is", async () => {
  const { document, now } = open(async ({ body = "" }) => done(stored(9, body)));
  document.hear(stored(2, "theirs"));
  expect(now()).toMatchObject({ body: "theirs", save: { name: "saved" } });
  document.change({ body: "mine" });
  document.hear(stored(3, "theirs again"));
  expect(now().body).toBe("mine");
});

test.each(["mine", "theirs"] as const)("of two texts %s is kept", async (whose) => {
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

test("a text that could not be stored is there again when the page comes back", () => {
  const kept = new Map([["document.d", JSON.stringify({ title: "Plan", body: "unsent", version: 1 })]]);
  const { now } = open(async () => done(stored(2, "unsent")), kept);
  expect(now()).toMatchObject({ body: "unsent", save: { name: "unsaved" } });
});
