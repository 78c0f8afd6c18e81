import { expect, test } from "vitest";
import { threadStream, userStream, type StreamName } from "../../../protocol/ids.ts";
import { batch, event, put, putThread, rows } from "../../../test/support/store-rows.ts";
import { describeStores } from "../../../test/support/stores.ts";
import type { RunWaiting } from "../codes.ts";
import type { PlannedEvent, Write } from "../contract.ts";
import type { ThreadCursor } from "./threads.ts";

describeStores("reading the log", ({ store, id }) => {
  test("inserts a settled part into its event, byte for byte", async () => {
    const thread = id("thread");
    const stream = await putThread(store(), id("owner"), thread);
    const part = '{"v":1,"text":"  spaces, \\u0000 and \\"quotes\\" stay 😀"}';
    await store().commit([
      batch({
        writes: [
          { do: "insert", table: "parts", row: rows.part({ thread, message: "m", n: 3, body: part }) },
          { do: "insert", table: "parts", row: rows.part({ thread, message: "m", n: 4, body: '"other"' }) },
        ],
        events: [
          { stream, body: '{"type":"part-settled","n":3}', part: { message: "m", n: 3 } },
          { stream, body: '{"type":"plain"}' },
        ],
      }),
    ]);
    expect(await store().read.events(stream, 1, 10)).toEqual([
      { seq: 2, body: `{"type":"part-settled","n":3,"part":${part}}` },
      { seq: 3, body: '{"type":"plain"}' },
    ]);
  });

  test("reads an event without its part when the part was deleted", async () => {
    const stream = threadStream(id("thread"));
    await store().commit([batch({ events: [{ stream, body: '{"n":1}', part: { message: "m", n: 1 } }] })]);
    expect(await store().read.events(stream, 0, 10)).toEqual([{ seq: 1, body: '{"n":1}' }]);
  });

  test("never inserts a part of another thread", async () => {
    const [mine, other] = [id("thread"), id("thread")];
    await putThread(store(), id("owner"), other);
    await put(store(), { do: "insert", table: "parts", row: rows.part({ thread: other, message: "m" }) });
    const events: PlannedEvent[] = [
      { stream: threadStream(mine), body: '{"n":0}', part: { message: "m", n: 0 } },
      { stream: userStream(other), body: '{"n":0}', part: { message: "m", n: 0 } },
    ];
    await store().commit([batch({ events })]);
    expect(await store().read.events(threadStream(mine), 0, 1)).toEqual([{ seq: 1, body: '{"n":0}' }]);
    expect(await store().read.events(userStream(other), 0, 1)).toEqual([{ seq: 1, body: '{"n":0}' }]);
  });

  test("a cursor between deleted rows continues with the next existing row", async () => {
    const stream = userStream(id("stream"));
    const delta: PlannedEvent = { stream, body: "{}", transient: true };
    await store().commit([batch({ events: [event(stream), delta, delta, delta] })]);
    await store().commit([
      batch({
        events: [event(stream, '"settled"')],
        writes: [{ do: "delete", table: "events", where: { stream, transient: 1, seq: { gt: 1 } } }],
      }),
    ]);
    for (const cursor of [1, 2, 3, 4]) {
      expect(await store().read.events(stream, cursor, 10)).toEqual([{ seq: 5, body: '"settled"' }]);
    }
    expect(await store().read.events(stream, 5, 10)).toEqual([]);
    expect(await store().read.events(stream, Number.MAX_SAFE_INTEGER, 10)).toEqual([]);
  });

  test("reads at most the requested number of rows, in order", async () => {
    const stream = userStream(id("stream"));
    await store().commit([batch({ events: Array.from({ length: 30 }, (_, n) => event(stream, String(n))) })]);
    const rowsRead = await store().read.events(stream, 10, 7);
    expect(rowsRead.map(({ seq }) => seq)).toEqual([11, 12, 13, 14, 15, 16, 17]);
  });

  test("returns no heads for no streams", async () => {
    expect(await store().read.heads([])).toEqual(new Map());
  });

  test("reads heads and stops in lists longer than the parameters of a statement", async () => {
    const owner = id("owner");
    const threads = [id("thread"), id("thread"), id("thread")];
    const streams: StreamName[] = [];
    for (const thread of threads) streams.push(await putThread(store(), owner, thread));
    const [stopped, ended, running] = threads.map((thread) => `run of ${thread}`);
    const toRun = (n: number, stop: number, isEnded: number): Write => {
      const thread = threads[n] ?? "";
      const row = rows.run({ id: `run of ${thread}`, thread, stop, ended: isEnded });
      return { do: "insert", table: "runs", row };
    };
    const [stored] = await store().commit([batch({ writes: [toRun(0, 1, 0), toRun(1, 1, 1), toRun(2, 0, 0)] })]);
    expect(stored?.ok).toBe(true);
    const others = Array.from({ length: 70_000 }, (_, n) => threadStream(`no "such" thread's ${n}`));
    expect(await store().read.heads([...others, ...streams])).toEqual(new Map(streams.map((stream) => [stream, 1])));
    expect(await store().read.stoppedRuns([...others, ended!, running!, stopped!])).toEqual([stopped]);
    expect(await store().read.stoppedRuns([])).toEqual([]);
  });

  test("reads a value of meta, or undefined", async () => {
    const key = id("key");
    expect(await store().read.meta(key)).toBeUndefined();
    await put(store(), { do: "put", table: "meta", row: { key, value: "v" } });
    expect(await store().read.meta(key)).toBe("v");
  });
});

describeStores("abandoned threads", ({ store, id }) => {
  test("have a live run or a queued input and no lease", async () => {
    const owner = id("owner");
    const made: Record<string, string> = {};
    const make = async (name: string, lease: "none" | "held" | "over", ...writes: ((thread: string) => Write)[]) => {
      const thread = (made[name] = id(name));
      const stream = await putThread(store(), owner, thread);
      await put(store(), ...writes.map((write) => write(thread)));
      if (lease === "none") return;
      const acquire = { holder: "h", ttlMs: lease === "held" ? 600_000 : -1 };
      await store().commit([batch({ fence: { stream, epoch: 0, acquire } })]);
    };
    const run =
      (ended: number, waiting: RunWaiting = 0) =>
      (thread: string): Write => ({
        do: "insert",
        table: "runs",
        row: rows.run({ thread, id: id("run"), ended, waiting }),
      });
    const input =
      (state: "queued" | "done") =>
      (thread: string): Write => ({
        do: "insert",
        table: "inputs",
        row: rows.input({ thread, id: id("input"), state }),
      });
    await make("running", "none", run(0));
    await make("waiting", "over", input("queued"));
    await make("both", "none", run(0), input("queued"), input("queued"));
    await make("held", "held", run(0), input("queued"));
    await make("ended", "none", run(1), input("done"));
    await make("undecided", "none", run(0, 1), input("queued"));
    // Approved or retried, but the process stopped before it could continue.
    await make("decided", "none", run(0, 2));
    const found = await store().read.abandonedThreads(100);
    expect(found.toSorted()).toEqual(["both", "running", "waiting", "decided"].map((name) => made[name]).toSorted());
    expect(await store().read.abandonedThreads(2)).toHaveLength(2);
  });
});

describeStores("lists", ({ store, id }) => {
  test("lists pinned threads first, then by change, and pages without duplicates or gaps for equal times", async () => {
    const owner = id("owner");
    for (let n = 0; n < 23; n += 1) {
      await putThread(store(), owner, id("thread"), { updated_at: Math.trunc(n / 5), pinned: n % 7 === 0 ? 1 : 0 });
    }
    await putThread(store(), owner, id("archived"), { archived: 1, updated_at: 99 });
    await putThread(store(), id("other owner"), id("foreign"), { updated_at: 99 });
    const { threads } = store().read;
    const whole = await threads({ owner, archived: false, after: null, limit: 100 });
    expect(whole).toHaveLength(23);
    const inOrder = whole.toSorted(
      (a, b) => b.pinned - a.pinned || b.updated_at - a.updated_at || (a.id < b.id ? 1 : -1),
    );
    expect(whole).toEqual(inOrder);
    const paged: string[] = [];
    let after: ThreadCursor | null = null;
    for (;;) {
      const page = await threads({ owner, archived: false, after, limit: 4 });
      paged.push(...page.map((thread) => thread.id));
      const last = page.at(-1);
      if (!last) break;
      after = { pinned: last.pinned, updatedAt: last.updated_at, id: last.id };
    }
    expect(paged).toEqual(whole.map((thread) => thread.id));
    expect(await threads({ owner, archived: true, after: null, limit: 9 })).toHaveLength(1);
  });

  test("finds existing threads by their ids", async () => {
    const [a, b] = [id("thread"), id("thread")];
    await putThread(store(), id("owner"), a);
    await putThread(store(), id("owner"), b);
    const found = await store().read.threadsById([b, id("none"), a]);
    expect(found.map((thread) => thread.id).toSorted()).toEqual([a, b].toSorted());
    expect(await store().read.threadsById([])).toEqual([]);
  });

  test("finds nothing for an id that cannot be stored", async () => {
    expect(await store().read.thread("a\0b")).toBeUndefined();
    expect(await store().read.thread("\ud800")).toBeUndefined();
  });

  test("orders ids by bytes in every locale", async () => {
    const owner = id("owner");
    const ids = ["a", "B", "a-b", "ab", "_x", "Z9", "é"].map((word) => `${owner}${word}`);
    for (const one of ids) await putThread(store(), owner, one);
    const found = await store().read.threads({ owner, archived: false, after: null, limit: 10 });
    const byBytes = ids.toSorted((a, b) => Buffer.compare(Buffer.from(b), Buffer.from(a)));
    expect(found.map((thread) => thread.id)).toEqual(byBytes);
  });

  test("reads queued inputs oldest first, without delivered ones", async () => {
    const thread = id("thread");
    await putThread(store(), id("owner"), thread);
    const put3 = [
      { id: "third", seq: 12 },
      { id: "first", seq: 3 },
      { id: "second", seq: 7 },
    ].map(({ id: input, seq }): Write => ({
      do: "insert",
      table: "inputs",
      row: rows.input({ thread, id: input, seq }),
    }));
    const gone: Write = {
      do: "insert",
      table: "inputs",
      row: rows.input({ thread, id: "g", seq: 5, state: "delivered" }),
    };
    await put(store(), ...put3, gone);
    expect((await store().read.queued(thread)).map((input) => input.id)).toEqual(["first", "second", "third"]);
  });

  test("allows one live run per thread", async () => {
    const thread = id("thread");
    await putThread(store(), id("owner"), thread);
    expect(await store().read.liveRun(thread)).toBeUndefined();
    const [ended, alive, late] = [id("run"), id("run"), id("run")];
    await put(
      store(),
      { do: "insert", table: "runs", row: rows.run({ thread, id: ended, ended: 1, started_at: 1 }) },
      { do: "insert", table: "runs", row: rows.run({ thread, id: alive, started_at: 2 }) },
    );
    expect((await store().read.liveRun(thread))?.id).toBe(alive);
    const second: Write = { do: "insert", table: "runs", row: rows.run({ thread, id: late }) };
    expect(await store().commit([batch({ writes: [second] })])).toEqual([{ ok: false, why: "conflict" }]);
    expect((await store().read.runs(thread, 10)).map((run) => run.id)).toEqual([alive, ended]);
    expect((await store().read.runs(thread, 1)).map((run) => run.id)).toEqual([alive]);
  });

  test("reads in together see one snapshot, despite concurrent commits", async () => {
    const stream = userStream(id("stream"));
    await store().commit([batch({ events: [event(stream)] })]);
    const seen = await store().read.together(async (reads) => {
      const before = await reads.events(stream, 0, 10);
      await store().commit([batch({ events: [event(stream)] })]);
      return {
        before: before.length,
        after: (await reads.events(stream, 0, 10)).length,
        heads: await reads.heads([stream]),
      };
    });
    expect(seen).toEqual({ before: 1, after: 1, heads: new Map([[stream, 1]]) });
    expect(await store().read.events(stream, 0, 10)).toHaveLength(2);
  });

  test("an error inside together is passed on, and later reads work", async () => {
    const failing = store().read.together(() => Promise.reject(new Error("mine")));
    await expect(failing).rejects.toThrow("mine");
    expect(await store().read.thread(id("none"))).toBeUndefined();
  });
});
