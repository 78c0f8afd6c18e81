import { expect, test } from "vitest";
import { batch, event, put, putThread, rows, expectOk } from "../../test/support/store-rows.ts";
import { describeStores } from "../../test/support/stores.ts";
import { threadStream, userStream } from "../../protocol/ids.ts";
import type { Write } from "./contract.ts";
import { threadTables } from "./schema.ts";

const insertUser = (id: string): Write => ({ do: "insert", table: "users", row: rows.user(id) });

describeStores("commit", ({ store, reopen, id }) => {
  test("assigns seqs from 1 without gaps in each stream of a batch", async () => {
    const [a, b] = [userStream(id("a")), userStream(id("b"))];
    const [first] = await store().commit([batch({ events: [event(a), event(b), event(a)] })]);
    const [second, third] = await store().commit([
      batch({ events: [event(b), event(a)] }),
      batch({ events: [event(b), event(b)] }),
    ]);
    expect([first, second, third].map((result) => expectOk(result).seqs)).toEqual([
      [1, 1, 2],
      [2, 3],
      [3, 4],
    ]);
    expect((await store().read.events(a, 0, 10)).map(({ seq }) => seq)).toEqual([1, 2, 3]);
    expect((await store().read.events(b, 0, 10)).map(({ seq }) => seq)).toEqual([1, 2, 3, 4]);
    expect(await store().read.heads([a, b, userStream(id("none"))])).toEqual(
      new Map([
        [a, 3],
        [b, 4],
      ]),
    );
  });

  test("returns no results for no batches", async () => {
    expect(await store().commit([])).toEqual([]);
    expect(await store().commit([batch({})])).toEqual([{ ok: true, seqs: [], epoch: null }]);
    await store().ping();
  });

  test("keeps commits after closing and reopening", async () => {
    const stream = userStream(id("kept"));
    await store().commit([batch({ events: [event(stream, '{"kept":true}')] })]);
    await reopen();
    expect(await store().read.events(stream, 0, 10)).toEqual([{ seq: 1, body: '{"kept":true}' }]);
    expect(expectOk((await store().commit([batch({ events: [event(stream)] })]))[0]).seqs).toEqual([2]);
  });

  test("a duplicate key fails only its batch, which leaves no rows", async () => {
    const stream = userStream(id("stream"));
    const [taken, free, other] = [id("user"), id("user"), id("user")];
    await put(store(), insertUser(taken));
    const results = await store().commit([
      batch({ events: [event(stream, "1")], writes: [insertUser(free)] }),
      batch({ events: [event(stream, "2")], writes: [insertUser(id("undone")), insertUser(taken)] }),
      batch({ events: [event(stream, "3")], writes: [insertUser(other)] }),
    ]);
    expect(results).toEqual([
      { ok: true, seqs: [1], epoch: null },
      { ok: false, why: "conflict" },
      { ok: true, seqs: [2], epoch: null },
    ]);
    expect((await store().read.events(stream, 0, 10)).map(({ body }) => body)).toEqual(["1", "3"]);
    const [again] = await store().commit([batch({ writes: [insertUser(free)] })]);
    expect(again).toEqual({ ok: false, why: "conflict" });
  });

  test("an update that expects a row and matches none fails only its batch, with missing", async () => {
    const [stream, present] = [userStream(id("stream")), id("user")];
    await put(store(), insertUser(present));
    const touch = (user: string): Write => ({
      do: "update",
      table: "users",
      set: { created_at: 9 },
      where: { id: user },
      expectOne: true,
    });
    const results = await store().commit([
      batch({ events: [event(stream)], writes: [touch(id("nobody"))] }),
      batch({ events: [event(stream)], writes: [touch(present)] }),
    ]);
    expect(results).toEqual([
      { ok: false, why: "missing" },
      { ok: true, seqs: [1], epoch: null },
    ]);
  });

  test("a batch that the database cannot store fails alone, among deltas, events and rows", async () => {
    const thread = id("thread");
    const stream = await putThread(store(), id("owner"), thread);
    const [before, after] = [id("user"), id("user")];
    const poison: Write = { do: "insert", table: "users", row: { id: id("poison"), created_at: true as never } };
    const results = await store().commit([
      batch({ events: [event(stream, "1")], writes: [insertUser(before)] }),
      batch({ fence: { stream, epoch: 0 }, events: [{ ...event(stream, "delta"), transient: true }] }),
      batch({ events: [event(stream, "poison")], writes: [insertUser(id("undone")), poison] }),
      batch({ events: [event(stream, "2")], writes: [insertUser(after)] }),
    ]);
    expect(results).toMatchObject([
      { ok: true, seqs: [2] },
      { ok: true, seqs: [3] },
      { ok: false, why: "failed", message: expect.stringMatching(/./) },
      { ok: true, seqs: [4] },
    ]);
    expect((await store().read.events(stream, 1, 10)).map(({ body }) => body)).toEqual(["1", "delta", "2"]);
    expect(await store().commit([batch({ writes: [insertUser(after)] })])).toEqual([{ ok: false, why: "conflict" }]);
  });

  test("a foreign key violation fails its batch with missing", async () => {
    const row = rows.thread({ id: id("thread"), owner: id("nobody") });
    const results = await store().commit([batch({ writes: [{ do: "insert", table: "threads", row }] })]);
    expect(results).toEqual([{ ok: false, why: "missing" }]);
  });

  test("an update without expectOne may match no row", async () => {
    const writes: Write[] = [{ do: "update", table: "users", set: { created_at: 2 }, where: { id: id("nobody") } }];
    expectOk((await store().commit([batch({ writes })]))[0]);
  });

  test("replaces seqOf with the assigned seq", async () => {
    const thread = id("thread");
    const stream = await putThread(store(), id("owner"), thread);
    const [result] = await store().commit([
      batch({
        events: [event(userStream(id("other"))), event(stream), event(stream)],
        writes: [
          {
            do: "insert",
            table: "inputs",
            row: { ...rows.input({ thread, id: "a" }), seq: { seqOf: 1 } },
          },
          { do: "put", table: "inputs", row: { ...rows.input({ thread, id: "b" }), seq: { seqOf: 2 } } },
          { do: "insert", table: "inputs", row: { ...rows.input({ thread, id: "c" }), seq: 100 } },
          { do: "update", table: "inputs", set: { seq: { seqOf: 0 } }, where: { thread, id: "c" } },
        ],
      }),
    ]);
    expect(expectOk(result).seqs).toEqual([1, 2, 3]);
    const inputs = await Promise.all(["a", "b", "c"].map((input) => store().read.input(thread, input)));
    expect(inputs.map((input) => input?.seq)).toEqual([2, 3, 1]);
  });

  test("put inserts or replaces the row", async () => {
    const thread = id("thread");
    await putThread(store(), id("owner"), thread);
    const write = (body: string): Write => ({
      do: "put",
      table: "parts",
      row: rows.part({ thread, message: "m", n: 2, body, tokens: body.length }),
    });
    await put(store(), write("first"));
    await put(store(), write("the second"));
    const parts = await store().read.partsOf(thread, ["m"]);
    expect(parts.map(({ body, tokens }) => ({ body, tokens }))).toEqual([{ body: "the second", tokens: 10 }]);
  });

  test("an insert with ifAbsent keeps an existing row, by key or by another unique index", async () => {
    const [thread, kind] = [id("thread"), id("kind")];
    await putThread(store(), id("owner"), thread);
    const job = (jobId: string, body: string): Write => ({
      do: "insert",
      table: "jobs",
      ifAbsent: true,
      row: {
        id: jobId,
        kind,
        key: "k",
        thread,
        owner: "o",
        state: "waiting",
        holder: null,
        epoch: 0,
        lease_until: 0,
        attempts: 0,
        not_before: 0,
        body,
        error: null,
        created_at: 1,
        updated_at: 1,
      },
    });
    const [first, second] = [id("job"), id("job")];
    await put(store(), job(first, "1"), job(first, "2"), job(second, "3"));
    expect((await store().read.openJobs([kind], 10)).map((row) => [row.id, row.body])).toEqual([[first, "1"]]);
  });

  test("a delete removes only the rows that match", async () => {
    const stream = userStream(id("stream"));
    const deltas = [1, 2, 3, 4, 5].map((n) => ({ ...event(stream, String(n)), transient: n !== 3 }));
    await store().commit([batch({ events: deltas })]);
    await put(store(), { do: "delete", table: "events", where: { stream, transient: 1, seq: { gt: 1 } } });
    expect((await store().read.events(stream, 0, 10)).map(({ seq }) => seq)).toEqual([1, 3]);
  });

  test("a settling batch deletes deltas of the same commit, but not its own events", async () => {
    const stream = userStream(id("stream"));
    const delta = { ...event(stream, "delta"), transient: true };
    const settle = batch({
      events: [event(stream, "settled"), { ...event(stream, "next delta"), transient: true }],
      writes: [{ do: "delete", table: "events", where: { stream, transient: 1, seq: { gt: 0 } } }],
    });
    await store().commit([batch({ events: [delta] })]);
    const results = await store().commit([batch({ events: [delta, delta] }), settle, batch({ events: [delta] })]);
    expect(results.map((result) => expectOk(result).seqs)).toEqual([[2, 3], [4, 5], [6]]);
    expect(await store().read.events(stream, 1, 10)).toEqual([
      { seq: 4, body: "settled" },
      { seq: 5, body: "next delta" },
      { seq: 6, body: "delta" },
    ]);
  });

  test("a deleted stream restarts at 1, also within the same commit", async () => {
    const stream = userStream(id("stream"));
    const remove: Write[] = [
      { do: "delete", table: "events", where: { stream } },
      { do: "delete", table: "streams", where: { id: stream } },
    ];
    await store().commit([batch({ events: [event(stream), event(stream)] })]);
    const results = await store().commit([
      batch({ events: [event(stream)] }),
      batch({ writes: remove }),
      batch({ events: [event(stream, "anew")] }),
    ]);
    expect(results.map((result) => expectOk(result).seqs)).toEqual([[3], [], [1]]);
    expect(await store().read.events(stream, 0, 10)).toEqual([{ seq: 1, body: "anew" }]);
  });

  test("rejects a write without a condition", async () => {
    const user = id("user");
    await put(store(), insertUser(user));
    const everything: Write = { do: "delete", table: "users", where: {} };
    expect(await store().commit([batch({ writes: [everything] })])).toMatchObject([{ ok: false, why: "failed" }]);
    expect(await store().commit([batch({ writes: [insertUser(user)] })])).toEqual([{ ok: false, why: "conflict" }]);
  });

  test("round-trips text of any script and size", async () => {
    const thread = id("thread");
    const stream = threadStream(thread);
    const title = `👩‍👩‍👧 "quoted" \\ 'single' \n\t ?$1 東京 עברית é é`;
    const body = JSON.stringify({ text: `${"\u0000\ud800"}${title}` });
    const large = JSON.stringify({ text: "xyz😀".repeat(1_000_000) });
    await putThread(store(), id("owner"), thread, { title, preview: "" });
    const [result] = await store().commit([batch({ events: [event(stream, body), event(stream, large)] })]);
    expect(expectOk(result).seqs).toEqual([2, 3]);
    expect((await store().read.thread(thread))?.title).toBe(title);
    const [first, second] = await store().read.events(stream, 1, 10);
    expect(first?.body).toBe(body);
    expect(second?.body === large).toBe(true);
  });

  test("replaces NUL and lone surrogates with U+FFFD in both databases", async () => {
    const thread = id("thread");
    await putThread(store(), id("owner"), thread, { title: "a\0b\ud83dc\udc00" });
    expect((await store().read.thread(thread))?.title).toBe("a\uFFFDb\uFFFDc\uFFFD");
  });

  test("stores integers up to 2^53 - 1, doubles and null exactly", async () => {
    const thread = id("thread");
    await putThread(store(), id("owner"), thread, { updated_at: Number.MAX_SAFE_INTEGER });
    const [cheap, unknown] = [id("call"), id("call")];
    await put(
      store(),
      { do: "insert", table: "calls", row: rows.call({ thread, id: cheap, run: "r", cost_usd: 0.1 + 0.2 }) },
      { do: "insert", table: "calls", row: rows.call({ thread, id: unknown, run: "r", started_at: 2 }) },
    );
    expect((await store().read.thread(thread))?.updated_at).toBe(Number.MAX_SAFE_INTEGER);
    const calls = await store().read.calls(thread, "r");
    expect(calls.map((call) => call.cost_usd)).toEqual([0.1 + 0.2, null]);
  });

  test("deleting a thread empties all of its tables", async () => {
    const [thread, owner] = [id("thread"), id("owner")];
    const stream = await putThread(store(), owner, thread);
    const [runId, receiptId] = [id("run"), id("receipt")];
    await put(
      store(),
      { do: "insert", table: "branches", row: rows.branch({ thread, id: "main" }) },
      { do: "insert", table: "messages", row: rows.message({ thread, id: "m" }) },
      { do: "insert", table: "parts", row: rows.part({ thread, message: "m" }) },
      { do: "insert", table: "inputs", row: rows.input({ thread, id: "i" }) },
      { do: "insert", table: "runs", row: rows.run({ thread, id: runId }) },
      { do: "insert", table: "receipts", row: rows.receipt({ thread, id: receiptId }) },
      { do: "insert", table: "search_docs", row: rows.doc({ thread, message: "m", owner, terms: "needle" }) },
    );
    const { read } = store();
    const look = async () => [
      await read.branch(thread, "main"),
      await read.message(thread, "m"),
      (await read.partsOf(thread, ["m"]))[0],
      await read.input(thread, "i"),
      await read.run(runId),
      await read.receipt(receiptId),
      (await read.search({ owner, terms: ["needle"], limit: 1 }))[0],
      await read.thread(thread),
      (await read.events(stream, 0, 1))[0],
    ];
    expect((await look()).map((row) => row !== undefined)).toEqual(Array(9).fill(true));
    const writes: Write[] = [
      ...threadTables.map((table): Write => ({ do: "delete", table, where: { thread } })),
      { do: "delete", table: "events", where: { stream } },
      { do: "delete", table: "threads", where: { id: thread } },
    ];
    expectOk((await store().commit([batch({ events: [event(userStream(owner))], writes })]))[0]);
    expect(await look()).toEqual(Array(9).fill(undefined));
  });
});
