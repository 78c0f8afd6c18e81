import { expect, test } from "vitest";
import type { EntityLine } from "../../../protocol/project/project.ts";
import { createPager, type EntityPage } from "./pager.ts";

const toLine = (id: string) => ({ id }) as EntityLine;
const size = 2;

function open(ids: () => readonly string[]) {
  const asked: (string | undefined)[] = [];
  let seq = 0;
  let gate: Promise<void> = Promise.resolve();
  const pager = createPager(async ({ cursor }): Promise<EntityPage> => {
    asked.push(cursor);
    await gate;
    const from = Number(cursor ?? 0);
    const all = ids();
    const next = from + size;
    return {
      seq: (seq += 1),
      entities: all.slice(from, next).map(toLine),
      total: all.length,
      nextCursor: next < all.length ? String(next) : null,
    };
  });
  const shown = () => pager.state.get().lines.map(({ id }) => id);
  const hold = () => {
    const { promise, resolve } = Promise.withResolvers<void>();
    gate = promise;
    return resolve;
  };
  return { pager, asked, shown, hold };
}

test("loads pages one at a time and reloads all of them", async () => {
  let ids = ["a", "b", "c", "d", "e"];
  const { pager, shown } = open(() => ids);
  await pager.load();
  expect([shown(), pager.state.get().total, pager.state.get().hasMore]).toEqual([["a", "b"], 5, true]);
  await pager.more();
  expect(shown()).toEqual(["a", "b", "c", "d"]);
  ids = ["x", ...ids];
  await pager.load();
  expect([shown(), pager.state.get().total]).toEqual([["x", "a", "b", "c"], 6]);
  expect(pager.state.get().seq).toBe(3);
});

test("coalesces loads during a load into one more", async () => {
  const { pager, asked, hold } = open(() => ["a"]);
  const release = hold();
  const first = pager.load();
  await Promise.all([pager.load(), pager.load(), pager.load()]);
  release();
  await first;
  expect(asked).toHaveLength(2);
});

test("drops a page that was requested before a reload", async () => {
  let ids = ["a", "b", "c"];
  const { pager, shown, hold } = open(() => ids);
  await pager.load();
  const release = hold();
  const more = pager.more();
  const load = pager.load();
  ids = ["z"];
  release();
  await Promise.all([more, load]);
  expect(shown()).toEqual(["z"]);
});

test("reports a failure only if nothing is loaded", async () => {
  let isDown = true;
  const pager = createPager(async () => {
    if (isDown) throw new TypeError("fetch failed");
    return { seq: 1, entities: [toLine("a")], total: 1, nextCursor: null };
  });
  await pager.load();
  expect(pager.state.get()).toMatchObject({ phase: "failed", text: "The server cannot be reached." });
  isDown = false;
  await pager.load();
  isDown = true;
  await pager.load();
  expect(pager.state.get()).toMatchObject({ phase: "ready", total: 1 });
});
