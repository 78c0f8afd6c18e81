import { expect, test } from "vitest";
import type { Part } from "../../protocol/parts.ts";
import { batch, rows } from "../../test/support/store-rows.ts";
import { describeStores, type StoreFixture } from "../../test/support/stores.ts";
import { DAY_MS, systemClock } from "../lib/clock.ts";
import type { LogBatch } from "../log/log.ts";
import type { Store, Write } from "../store/contract.ts";
import { threadTables } from "../store/schema.ts";
import { createRecall, renderRecalled, type Recall, type RecallSearch } from "./recall.ts";

const start = Date.UTC(2026, 0, 1);

const text = (words: string, n = 0, more: Partial<Part> = {}): Part =>
  ({ id: `p${n}`, v: 1, n, step: 0, kind: "text", state: "done", text: words, ...more }) as Part;

/** Commits directly to the store and reports failures. */
const toLog = (store: Store) => ({
  commit: async ({ writes }: LogBatch) => {
    const [result] = await store.commit([batch({ writes })]);
    if (!result || (!result.ok && result.why === "failed")) throw new Error("The batch was not stored.");
    return result;
  },
});

type TestMessage = { readonly parts: readonly Part[]; readonly at?: number; readonly role?: "user" | "assistant" };

const toMessages = (thread: string, spoken: readonly TestMessage[], branch = "main", from = 0): readonly Write[] =>
  spoken.flatMap(({ parts, at, role }, index): readonly Write[] => {
    const depth = from + index + 1;
    const id = `${thread}-${branch}-${depth}`;
    const created_at = at ?? start + depth * 60_000;
    const row = rows.message({
      thread,
      id,
      branch,
      depth,
      created_at,
      role: role ?? (depth % 2 ? "user" : "assistant"),
    });
    return [
      { do: "insert", table: "messages", row },
      ...parts.map((part): Write => {
        const { n, kind } = part;
        return {
          do: "insert",
          table: "parts",
          row: rows.part({ thread, message: id, n, kind, body: JSON.stringify(part) }),
        };
      }),
    ];
  });

async function putThread(
  bench: StoreFixture,
  spoken: readonly TestMessage[],
): Promise<{ readonly id: string; readonly recall: Recall }> {
  const id = bench.id("thread");
  const owner = bench.id("owner");
  const store = bench.store();
  await store.commit([
    batch({
      writes: [
        { do: "insert", table: "users", row: rows.user(owner) },
        { do: "insert", table: "threads", row: rows.thread({ id, owner }) },
        { do: "insert", table: "branches", row: rows.branch({ thread: id, id: "main", tip: spoken.length }) },
        ...toMessages(id, spoken),
      ],
    }),
  ]);
  return { id, recall: createRecall({ store, log: toLog(store), clock: systemClock, indexFrom: 8 }) };
}

const ask = (threadId: string, query: string, more: Partial<RecallSearch> = {}): RecallSearch => ({
  threadId,
  branchId: "main",
  upTo: 10_000,
  query,
  now: start + 30 * DAY_MS,
  budgetTokens: 300,
  visible: { cut: 10_000, messageIds: new Set() },
  ...more,
});

const filler = (count: number): readonly TestMessage[] =>
  Array.from({ length: count }, (_, n) => ({
    parts: [text(`Chapter ${n} of the handbook on sailing and knots number ${n}.`)],
  }));

const talk: readonly TestMessage[] = [
  { parts: [text("My sister Petra keeps bees behind the old mill.")] },
  { parts: [text("How lovely! How many hives has she?")] },
  { parts: [text("Eleven, and the licence number is BEE-4471.")] },
  { parts: [text("That is a good number of hives.")] },
  ...filler(40),
];

describeStores("recall", (bench) => {
  test("finds old passages by their words, in order of time, with their position", async () => {
    const { id, recall } = await putThread(bench, talk);
    await recall.catchUp(id, "main");
    const found = await recall.search(ask(id, "How many hives does Petra have?"));
    expect(found.slice(0, 3).map(({ depth, role }) => [depth, role])).toEqual([
      [1, "user"],
      [2, "assistant"],
      [3, "user"],
    ]);
    expect(found.map(({ depth }) => depth)).toEqual(found.map(({ depth }) => depth).toSorted((a, b) => a - b));
    expect(renderRecalled(found)).toMatch(/^2026-01-01\nm1> My sister Petra keeps bees behind the old mill\.\nm2< /);
  });

  test("finds passages that are not indexed yet, with the same order and scores", async () => {
    const { id, recall } = await putThread(bench, talk);
    const before = await recall.search(ask(id, "licence BEE-4471"));
    await recall.catchUp(id, "main");
    const after = await recall.search(ask(id, "licence BEE-4471"));
    expect(after.some(({ depth, text: words }) => depth === 3 && words.includes("BEE-4471"))).toBe(true);
    expect(after).toEqual(before);
    expect((await bench.store().read.recallStates(id, ["main"]))[0]).toMatchObject({ depth: talk.length - 2 });
  });

  test("finds an exact id, and not one that differs by a digit", async () => {
    const { id, recall } = await putThread(bench, talk);
    await recall.catchUp(id, "main");
    expect((await recall.search(ask(id, "BEE-4471", { budgetTokens: 20 }))).map(({ depth }) => depth)).toContain(3);
    expect(await recall.search(ask(id, "QZX-9981"))).toEqual([]);
  });

  test("an unrelated query has no results", async () => {
    const { id, recall } = await putThread(bench, talk);
    await recall.catchUp(id, "main");
    expect(await recall.search(ask(id, "Translate photosynthesis into Portuguese"))).toEqual([]);
    expect(await recall.search(ask(id, "ok"))).toEqual([]);
    expect(await recall.search(ask(id, ""))).toEqual([]);
  });

  test("skips passages already in the prompt, and stays within the budget", async () => {
    const { id, recall } = await putThread(bench, talk);
    await recall.catchUp(id, "main");
    const seen = { cut: 2, messageIds: new Set([`${id}-main-1`]) };
    const found = await recall.search(ask(id, "Petra's hives", { visible: seen }));
    expect(found.map(({ depth }) => depth)).toEqual([2]);
    for (const budgetTokens of [16, 40, 120]) {
      const some = await recall.search(ask(id, "handbook on sailing and knots, chapter 7", { budgetTokens }));
      expect(renderRecalled(some).length / 4).toBeLessThanOrEqual(budgetTokens);
    }
  });

  test("finds tool results and artifacts, but not superseded parts, notices and reasoning", async () => {
    const tool = { kind: "tool", callId: "c", name: "look_up", state: "ok", input: { q: "x" }, step: 1 } as const;
    const { id, recall } = await putThread(bench, [
      { parts: [text("Look it up please")] },
      {
        parts: [
          { ...tool, id: "t", v: 1, n: 0, output: { station: { name: "Zwickau", platform: 7 } } },
          text("Secret draft about marmalade", 1, { aside: "cut" }),
          { id: "x", v: 1, n: 2, step: 1, kind: "notice", level: "info", code: "c", text: "Notice about marmalade" },
          { id: "r", v: 1, n: 3, step: 1, kind: "reasoning", state: "done", text: "Thinking about marmalade" },
          text("It is there.", 4),
        ],
      },
      ...filler(30),
    ]);
    const artifact = {
      id: bench.id("artifact"),
      thread: id,
      ref: 1,
      message: `${id}-main-2`,
      kind: "page",
      title: "Rivers",
      url: null,
      type: "text/plain",
      hash: "h",
      body: `${"Nothing to see here. ".repeat(100)}\n\nThe Vltava rises in the Bohemian Forest.`,
      meta: "{}",
      untrusted: "[]",
      created_at: start,
    };
    await bench.store().commit([batch({ writes: [{ do: "insert", table: "artifacts", row: artifact }] })]);
    await recall.catchUp(id, "main");
    const findTool = async (query: string) => (await recall.search(ask(id, query))).find(({ role }) => role === "tool");
    expect(await findTool("Which platform in Zwickau?")).toMatchObject({
      depth: 2,
      role: "tool",
      text: expect.stringContaining("platform: 7") as string,
    });
    const river = await findTool("Where does the Vltava rise?");
    expect(river!.text).toContain("Bohemian Forest");
    expect(river!.text.length).toBeLessThan(artifact.body.length / 2);
    expect(await recall.search(ask(id, "marmalade"))).toEqual([]);
  });

  test("a search follows the path of its branch", async () => {
    const { id, recall } = await putThread(bench, talk);
    const child = rows.branch({ thread: id, id: "fork", parent: "main", fork_depth: 2, tip: 14 });
    const other = [{ parts: [text("Only two hives, and a goat called Rudi.")] }, ...filler(11)];
    await bench
      .store()
      .commit([
        batch({ writes: [{ do: "insert", table: "branches", row: child }, ...toMessages(id, other, "fork", 2)] }),
      ]);
    await recall.catchUp(id, "main");
    await recall.catchUp(id, "fork");
    const texts = async (branchId: string): Promise<string> =>
      (await recall.search(ask(id, "How many hives? And the goat Rudi, the licence BEE-4471?", { branchId })))
        .map((one) => one.text)
        .join("\n");
    expect(await texts("main")).toContain("Eleven");
    expect(await texts("main")).not.toContain("Rudi");
    expect(await texts("fork")).toContain("Rudi");
    expect(await texts("fork")).toContain("Petra");
    expect(await texts("fork")).not.toContain("Eleven");
  });

  test("incremental and concurrent indexing give the same index as one pass", async () => {
    const spoken = [...talk, ...filler(60).map((one, n) => ({ ...one, at: start + n * DAY_MS }))];
    const { id: whole, recall } = await putThread(bench, spoken);
    await recall.catchUp(whole, "main");
    const { id, recall: one } = await putThread(bench, spoken.slice(0, 13));
    const store = bench.store();
    const two = createRecall({ store, log: toLog(store), clock: systemClock, indexFrom: 8 });
    for (let count = 13; count < spoken.length; count += 13) {
      await Promise.all([one.catchUp(id, "main"), two.catchUp(id, "main"), one.catchUp(id, "main")]);
      const next = spoken.slice(count, count + 13);
      await store.commit([
        batch({
          writes: [
            ...toMessages(id, next, "main", count),
            { do: "update", table: "branches", set: { tip: count + next.length }, where: { thread: id, id: "main" } },
          ],
        }),
      ]);
    }
    await one.catchUp(id, "main");
    const bare = (list: Awaited<ReturnType<Recall["search"]>>) => list.map(({ messageId: _, ...rest }) => rest);
    for (const query of ["How many hives does Petra keep?", "chapter 33 on knots", "BEE-4471"])
      expect(bare(await one.search(ask(id, query)))).toEqual(bare(await recall.search(ask(whole, query))));
  });

  test("an index that a crash left incomplete is readable and is finished by the next pass", async () => {
    const { id, recall } = await putThread(bench, talk);
    const store = bench.store();
    const log = toLog(store);
    let commits = 0;
    const dying = createRecall({
      indexFrom: 8,
      store,
      clock: systemClock,
      log: {
        commit: async (writes) => {
          commits += 1;
          if (commits > 2) throw new Error("died");
          return log.commit(writes);
        },
      },
    });
    await expect(dying.catchUp(id, "main")).rejects.toThrow("died");
    expect(commits).toBe(3);
    const meanwhile = await recall.search(ask(id, "Petra's hives"));
    await recall.catchUp(id, "main");
    expect(await recall.search(ask(id, "Petra's hives"))).toEqual(meanwhile);
    expect(meanwhile.length).toBeGreaterThan(0);
  });

  test("indexes in small commits, so that a message sent during indexing does not wait for long", async () => {
    const words = Array.from({ length: 400 }, (_, n) => `word${n}`);
    const { id } = await putThread(bench, [{ parts: [text(words.join(" "))] }, ...filler(40)]);
    const store = bench.store();
    const log = toLog(store);
    const sizes: number[] = [];
    const commit = (writes: LogBatch) => {
      sizes.push(writes.writes.length);
      return log.commit(writes);
    };
    await createRecall({ store, log: { commit }, clock: systemClock, indexFrom: 8 }).catchUp(id, "main");
    expect(sizes.reduce((sum, size) => sum + size, 0)).toBeGreaterThan(400);
    expect(Math.max(...sizes)).toBeLessThanOrEqual(65);
  });

  test("does not index the current answer", async () => {
    const { id, recall } = await putThread(bench, talk);
    const run = rows.run({ id: bench.id("run"), thread: id, message: `${id}-main-20` });
    await bench.store().commit([batch({ writes: [{ do: "insert", table: "runs", row: run }] })]);
    await recall.catchUp(id, "main");
    expect((await bench.store().read.recallStates(id, ["main"]))[0]).toMatchObject({ depth: 19 });
  });

  test("a deleted thread leaves no index, and indexing it is a no-op", async () => {
    const { id, recall } = await putThread(bench, talk);
    await recall.catchUp(id, "main");
    const tables = ["recall_states", "recall_docs", "recall_postings"] as const;
    const before = await bench.store().read.countRows(tables, id);
    expect(Object.values(before).every((count) => count > 0)).toBe(true);
    await bench.store().commit([
      batch({
        writes: [
          ...threadTables.map((table): Write => ({ do: "delete", table, where: { thread: id } })),
          { do: "delete", table: "threads", where: { id } },
        ],
      }),
    ]);
    await recall.catchUp(id, "main");
    expect(await bench.store().read.countRows(tables, id)).toEqual({
      recall_states: 0,
      recall_docs: 0,
      recall_postings: 0,
    });
  });
});

/** Results per database, compared when both are done. */
const answers = new Map<string, unknown>();

describeStores("the order of recall", (bench) => {
  test("is the same on both databases", async () => {
    const words = "anchor bow cleat deck ebb fender galley hull inlet jib keel lee mast neap oar".split(" ");
    const spoken = Array.from({ length: 300 }, (_, n): TestMessage => {
      const pick = (at: number): string => words[(n * 7 + at * at * 3 + (n >> 3)) % words.length] ?? "";
      return {
        parts: [text([1, 2, 3, 4, 5].map(pick).join(" ") + ` ${n}` + (n % 5 ? "." : "?"))],
        at: start + (n >> 4) * DAY_MS,
      };
    });
    const { id, recall } = await putThread(bench, spoken);
    await recall.catchUp(id, "main");
    const found = [];
    for (const query of ["keel and mast?", "Where was the jib in the inlet?", "neap galley hull 12 January 2026"])
      found.push(
        (await recall.search(ask(id, query))).map(({ depth, score, text: said }) => ({ depth, score, text: said })),
      );
    expect(found.every((list) => list.length > 5)).toBe(true);
    answers.set(bench.kind, found);
    expect(answers.get(bench.kind)).toEqual(answers.get("sqlite"));
  });
});
