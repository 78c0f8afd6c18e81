import { expect, test } from "vitest";
import { userStream, type StreamName } from "../../protocol/ids.ts";
import { batch, event, put, rows, expectOk } from "../../test/support/store-rows.ts";
import { describeStores } from "../../test/support/stores.ts";
import type { Batch, Fence, Store } from "./contract.ts";

/** A lease that outlives any test, and one that has expired when it is claimed. */
const [LONG_MS, OVER_MS] = [600_000, -1];
const fenced = { ok: false, why: "fenced" };

describeStores("leases", ({ store, id }) => {
  const create = async (): Promise<StreamName> => {
    const stream = userStream(id("stream"));
    await store().commit([batch({ events: [event(stream)] })]);
    return stream;
  };
  const take = (stream: StreamName, epoch: number, holder = "h", ttlMs = LONG_MS): Batch =>
    batch({ fence: { stream, epoch, acquire: { holder, ttlMs } } });
  const commitOne = async (one: Batch) => (await store().commit([one]))[0];

  test("a stream without rows is free, at epoch 0", async () => {
    expect(await store().read.lease(userStream(id("none")))).toEqual({ epoch: 0, head: 0, free: true });
  });

  test("claims a free lease and increments the epoch", async () => {
    const stream = await create();
    const result = await commitOne({ ...take(stream, 0), events: [event(stream, "mine")] });
    expect(result).toEqual({ ok: true, seqs: [2], epoch: 1 });
    expect(await store().read.lease(stream)).toEqual({ epoch: 1, head: 2, free: false });
  });

  test("rejects a claim of a held lease, even with the current epoch", async () => {
    const stream = await create();
    expectOk(await commitOne(take(stream, 0, "first")));
    expect(await commitOne(take(stream, 1, "second"))).toEqual(fenced);
    expect(await commitOne(take(stream, 0, "second"))).toEqual(fenced);
  });

  test("an expired lease can be claimed, and its former holder is fenced", async () => {
    const stream = await create();
    expect(expectOk(await commitOne(take(stream, 0, "first", OVER_MS))).epoch).toBe(1);
    expect((await store().read.lease(stream)).free).toBe(true);
    expectOk(await commitOne(batch({ fence: { stream, epoch: 1 }, events: [event(stream)] })));
    expect(expectOk(await commitOne(take(stream, 1, "second"))).epoch).toBe(2);
    expect(await commitOne(batch({ fence: { stream, epoch: 1 }, events: [event(stream)] }))).toEqual(fenced);
  });

  test("a released lease is free at once with the same epoch", async () => {
    const stream = await create();
    expectOk(await commitOne(take(stream, 0)));
    const result = await commitOne(batch({ fence: { stream, epoch: 1, release: true }, events: [event(stream)] }));
    expect(result).toEqual({ ok: true, seqs: [2], epoch: 1 });
    expect(await store().read.lease(stream)).toEqual({ epoch: 1, head: 2, free: true });
    expectOk(await commitOne(take(stream, 1)));
  });

  test("revokes the lease of any holder", async () => {
    const stream = await create();
    expectOk(await commitOne(take(stream, 0)));
    expectOk(await commitOne(batch({ revoke: stream })));
    expect(await store().read.lease(stream)).toEqual({ epoch: 2, head: 1, free: true });
    expect(await commitOne(batch({ fence: { stream, epoch: 1 } }))).toEqual(fenced);
  });

  test("revoking a missing stream changes nothing", async () => {
    const stream = userStream(id("none"));
    expectOk(await commitOne(batch({ revoke: stream })));
    expect(await store().read.heads([stream])).toEqual(new Map());
  });

  test("renews only the given leases of that holder", async () => {
    const [mine, left, other] = [await create(), await create(), await create()];
    const holder = id("holder");
    expectOk(await commitOne(take(mine, 0, holder, OVER_MS)));
    expectOk(await commitOne(take(left, 0, holder, OVER_MS)));
    expectOk(await commitOne(take(other, 0, id("other"), OVER_MS)));
    await store().renewLeases(holder, [mine, other], LONG_MS);
    expect((await store().read.lease(mine)).free).toBe(false);
    expect((await store().read.lease(left)).free).toBe(true);
    expect((await store().read.lease(other)).free).toBe(true);
  });

  test("a fenced batch fails alone and leaves no rows; the others are committed", async () => {
    const [held, other, fresh] = [await create(), await create(), userStream(id("fresh"))];
    const user = id("user");
    const results = await store().commit([
      batch({ fence: { stream: held, epoch: 0 }, events: [event(held, "a")] }),
      batch({
        fence: { stream: held, epoch: 7 },
        events: [event(held, "b"), event(other, "b"), event(fresh, "b")],
        writes: [{ do: "insert", table: "users", row: rows.user(user) }],
        revoke: other,
      }),
      batch({ events: [event(held, "c"), event(other, "c")] }),
    ]);
    expect(results).toEqual([{ ok: true, seqs: [2], epoch: 0 }, fenced, { ok: true, seqs: [3, 2], epoch: null }]);
    expect((await store().read.events(held, 1, 9)).map(({ body }) => body)).toEqual(["a", "c"]);
    expect((await store().read.lease(other)).epoch).toBe(0);
    expect(await store().read.heads([fresh])).toEqual(new Map());
    await put(store(), { do: "insert", table: "users", row: rows.user(user) });
  });

  test("a fenced batch among plain events drops only its own events", async () => {
    const [a, b] = [await create(), await create()];
    const results = await store().commit([
      batch({ fence: { stream: a, epoch: 3 }, events: [event(b, "no"), event(a, "no")] }),
      batch({ fence: { stream: b, epoch: 0 }, events: [event(a, "yes"), event(b, "yes")] }),
    ]);
    expect(results).toEqual([fenced, { ok: true, seqs: [2, 2], epoch: 0 }]);
    expect((await store().read.events(a, 1, 9)).map(({ body }) => body)).toEqual(["yes"]);
    expect((await store().read.events(b, 1, 9)).map(({ body }) => body)).toEqual(["yes"]);
  });

  test("a fence on a missing stream fails for every epoch", async () => {
    const stream = userStream(id("none"));
    expect(await commitOne(batch({ fence: { stream, epoch: 0 }, events: [event(stream)] }))).toEqual(fenced);
    expect(await commitOne({ ...take(stream, 0), events: [event(stream)] })).toEqual(fenced);
    expect(await store().read.heads([stream])).toEqual(new Map());
  });

  test("batches of one commit pass a lease on in order", async () => {
    const stream = await create();
    const write = (fence: Fence): Batch => batch({ fence, events: [event(stream)] });
    const acquire = { holder: "h", ttlMs: LONG_MS };
    const results = await store().commit([
      write({ stream, epoch: 0, acquire }),
      write({ stream, epoch: 1, acquire }),
      write({ stream, epoch: 1, release: true }),
      write({ stream, epoch: 1, acquire }),
      batch({ revoke: stream, events: [event(stream)] }),
      write({ stream, epoch: 2 }),
      write({ stream, epoch: 3 }),
    ]);
    expect(results).toEqual([
      { ok: true, seqs: [2], epoch: 1 },
      fenced,
      { ok: true, seqs: [3], epoch: 1 },
      { ok: true, seqs: [4], epoch: 2 },
      { ok: true, seqs: [5], epoch: null },
      fenced,
      { ok: true, seqs: [6], epoch: 3 },
    ]);
  });

  test("exactly one of many concurrent claims succeeds", async () => {
    const stream = await create();
    const all = Array.from({ length: 20 }, (_, n) => take(stream, 0, `holder ${n}`));
    const results = (await Promise.all(all.map((one) => store().commit([one])))).flat();
    expect(results.filter(({ ok }) => ok)).toHaveLength(1);
  });
});

describeStores("a lease after reopening the store", ({ kind, store, reopen, id }) => {
  const holderIsGone = { sqlite: { epoch: 2, free: true }, postgres: { epoch: 1, free: false } };

  test("is cleared on SQLite and kept on PostgreSQL, where other nodes may hold it", async () => {
    const stream = userStream(id("stream"));
    await store().commit([batch({ events: [event(stream)] })]);
    await store().commit([batch({ fence: { stream, epoch: 0, acquire: { holder: "h", ttlMs: LONG_MS } } })]);
    const again: Store = await reopen();
    expect(await again.read.lease(stream)).toMatchObject(holderIsGone[kind]);
  });
});
