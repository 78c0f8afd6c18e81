import fc from "../../../test/support/fast-check.ts";
import { expect, test } from "vitest";
import { put, putThread, rows } from "../../../test/support/store-rows.ts";
import { describeStores } from "../../../test/support/stores.ts";
import type { Tables } from "../schema.ts";
import type { Write } from "../contract.ts";

const RUNS = process.env["STONECHAT_DEEP"] === "1" ? 500 : 40;

/** Each step adds a message at the end of a branch, or starts a new branch after any depth. */
type Step = { readonly branch: number; readonly fork: boolean; readonly at: number };
const step = fc.record<Step>({ branch: fc.nat(50), fork: fc.boolean(), at: fc.nat(50) });

type Tree = { readonly branches: Tables["branches"][]; readonly messages: Tables["messages"][] };

/** Every branch has a message, as in production: a fork is created by the message that needs it. */
function grow(thread: string, steps: readonly Step[]): Tree {
  const branches: Tables["branches"][] = [rows.branch({ thread, id: "b0", tip: 1 })];
  const messages: Tables["messages"][] = [rows.message({ thread, id: "m0", branch: "b0", depth: 1 })];
  for (const [n, { branch, fork, at }] of steps.entries()) {
    const from = branches[branch % branches.length];
    if (!from) continue;
    const place = { thread, id: `m${n + 1}`, created_at: n + 2 };
    if (!fork) {
      from.tip += 1;
      messages.push(rows.message({ ...place, branch: from.id, depth: from.tip }));
      continue;
    }
    const depth = Math.max(from.fork_depth, 1) + (at % (from.tip - Math.max(from.fork_depth, 1) + 1));
    const id = `b${branches.length}`;
    branches.push(rows.branch({ thread, id, parent: from.id, fork_depth: depth, tip: depth + 1, used_at: n }));
    messages.push(rows.message({ ...place, branch: id, depth: depth + 1 }));
  }
  return { branches, messages };
}

/** Reference implementation: the path to the end of a branch, message by message. */
function walk({ branches, messages }: Tree, branch: string, upTo: number): readonly Tables["messages"][] {
  const own = branches.find(({ id }) => id === branch);
  if (!own) return [];
  const before = own.parent === null ? [] : walk({ branches, messages }, own.parent, Math.min(own.fork_depth, upTo));
  const here = messages.filter((one) => one.branch === branch && one.depth <= upTo && one.depth > own.fork_depth);
  return [...before, ...here.toSorted((a, b) => a.depth - b.depth)];
}

describeStores("paths", ({ store, id }) => {
  const save = async (tree: Tree): Promise<void> =>
    put(
      store(),
      ...tree.branches.map((row): Write => ({ do: "insert", table: "branches", row })),
      ...tree.messages.map((row): Write => ({ do: "insert", table: "messages", row })),
    );

  test("reads the same end of any path in any tree as the reference implementation", async () => {
    let forks = 0;
    await fc.assert(
      fc.asyncProperty(fc.array(step, { maxLength: 40 }), fc.nat(100), fc.nat(60), async (steps, pick, count) => {
        const thread = id("thread");
        const tree = grow(thread, steps);
        forks += tree.branches.length - 1;
        await putThread(store(), id("owner"), thread);
        await save(tree);
        const branch = tree.branches[pick % tree.branches.length]?.id ?? "";
        for (const upTo of [Number.MAX_SAFE_INTEGER, pick % 45]) {
          const whole = walk(tree, branch, upTo);
          const wanted = count === 0 ? [] : whole.slice(-count);
          const segments = await store().read.segments({ thread, branch, upTo }, count);
          expect(await store().read.pathEnd(thread, segments, count)).toEqual(wanted);
          for (const { from, to } of segments) expect(to).toBeGreaterThan(from);
        }
      }),
      { numRuns: RUNS },
    );
    expect(forks).toBeGreaterThan(RUNS);
  });

  test("reads only the segments within the window, not the forks before it", async () => {
    const thread = id("thread");
    const tree: Tree = { branches: [], messages: [] };
    for (let n = 0; n < 50; n += 1) {
      const parent = n === 0 ? null : `b${n - 1}`;
      tree.branches.push(rows.branch({ thread, id: `b${n}`, parent, fork_depth: n * 4, tip: n * 4 + 4 }));
      for (let depth = n * 4 + 1; depth <= n * 4 + 4; depth += 1) {
        tree.messages.push(rows.message({ thread, id: `m${depth}`, branch: `b${n}`, depth }));
      }
    }
    await putThread(store(), id("owner"), thread);
    await save(tree);
    const segments = await store().read.segments({ thread, branch: "b49", upTo: 1_000 }, 10);
    expect(segments).toEqual([
      { branch: "b49", parent: "b48", from: 196, to: 200 },
      { branch: "b48", parent: "b47", from: 192, to: 196 },
      { branch: "b47", parent: "b46", from: 188, to: 192 },
    ]);
    const path = await store().read.pathEnd(thread, segments, 10);
    expect(path.map(({ depth }) => depth)).toEqual([191, 192, 193, 194, 195, 196, 197, 198, 199, 200]);
  });

  test("finds all variants at a fork, oldest first", async () => {
    const thread = id("thread");
    await putThread(store(), id("owner"), thread);
    await save({
      branches: [
        rows.branch({ thread, id: "main", tip: 4 }),
        rows.branch({ thread, id: "edit", parent: "main", fork_depth: 2, tip: 3 }),
        rows.branch({ thread, id: "again", parent: "main", fork_depth: 2, tip: 3 }),
        rows.branch({ thread, id: "late", parent: "main", fork_depth: 3, tip: 4 }),
      ],
      messages: [
        ...[1, 2, 3, 4].map((depth) => rows.message({ thread, id: `m${depth}`, depth, created_at: depth })),
        rows.message({ thread, id: "e3", branch: "edit", depth: 3, created_at: 20 }),
        rows.message({ thread, id: "a3", branch: "again", depth: 3, created_at: 10 }),
        rows.message({ thread, id: "l4", branch: "late", depth: 4, created_at: 30 }),
      ],
    });
    const { siblings, forksOf, branch, message } = store().read;
    expect(await siblings(thread, { parents: ["main"], from: 0, to: 2 })).toEqual([
      { parent: "main", after: 2, id: "m3" },
      { parent: "main", after: 2, id: "a3" },
      { parent: "main", after: 2, id: "e3" },
    ]);
    expect((await siblings(thread, { parents: ["main", "edit"], from: 3, to: 9 })).map((one) => one.id)).toEqual([
      "m4",
      "l4",
    ]);
    expect(await siblings(thread, { parents: [], from: 0, to: 9 })).toEqual([]);
    expect((await forksOf(thread, "main")).map((fork) => fork.id).toSorted()).toEqual(["again", "edit", "late"]);
    expect((await branch(thread, "late"))?.fork_depth).toBe(3);
    expect((await message(thread, "l4"))?.branch).toBe("late");
  });

  test("reads the parts of several messages in order", async () => {
    const thread = id("thread");
    await putThread(store(), id("owner"), thread);
    const writes = [
      ["b", 1],
      ["a", 2],
      ["a", 10],
      ["a", 0],
      ["c", 0],
    ].map(([message, n]): Write => {
      const row = rows.part({ thread, message: String(message), n: Number(n) });
      return { do: "insert", table: "parts", row };
    });
    await put(store(), ...writes);
    const parts = await store().read.partsOf(thread, ["b", "a", "none"]);
    expect(parts.map(({ message, n }) => `${message}${n}`)).toEqual(["a0", "a2", "a10", "b1"]);
    expect(await store().read.partsOf(thread, [])).toEqual([]);
  });
});
