import fc from "../../../test/support/fast-check.ts";
import { cpSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { userStream } from "../../../protocol/ids.ts";
import { batch, event } from "../../../test/support/store-rows.ts";
import type { Batch, Store } from "../contract.ts";
import { createTransact } from "./transact.ts";
import { openConnection } from "./connection.ts";
import { encode, toDeltaBatch } from "./delta-batch.ts";
import { restoreJournal } from "./journal.ts";
import { openSqlite } from "./open.ts";

let folder = "";
beforeEach(() => (folder = mkdtempSync(join(tmpdir(), "stonechat-journal-"))));
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const a = userStream("a");
const b = userStream("b");
const take = (stream: typeof a, epoch = 0): Batch =>
  batch({ fence: { stream, epoch, acquire: { holder: "me", ttlMs: 60_000 } }, events: [] });
const deltas = (stream: typeof a, ...bodies: string[]): Batch =>
  batch({ fence: { stream, epoch: 1 }, events: bodies.map((body) => ({ ...event(stream, body), transient: true })) });
const settle = (stream: typeof a, body: string): Batch =>
  batch({
    fence: { stream, epoch: 1 },
    events: [event(stream, body)],
    writes: [{ do: "delete", table: "events", where: { stream, transient: 1, seq: { gt: 0 } } }],
  });
const bodies = async (store: Store, stream: typeof a) =>
  (await store.read.events(stream, 0, 100)).map(({ seq, body }) => `${seq} ${body}`);

/** Copies the files as a crash at this moment would leave them. */
async function reopenCopy(name: string): Promise<Store> {
  const copy = `${name}-copy`;
  for (const end of ["", "-wal"]) cpSync(join(folder, `${name}.db${end}`), join(folder, `${copy}.db${end}`));
  return openSqlite({ file: join(folder, `${copy}.db`) });
}

async function openWithStreams(name: string): Promise<Store> {
  const store = await openSqlite({ file: join(folder, `${name}.db`) });
  await store.commit([batch({ events: [event(a, "a")] }), batch({ events: [event(b, "b")] })]);
  await store.commit([take(a), take(b)]);
  return store;
}

test("after a crash, deltas are restored except those of settled steps, and seqs continue", async () => {
  const store = await openWithStreams("s");
  await store.commit([deltas(a, "1", "2"), deltas(b, "x")]);
  await store.commit([settle(b, "X"), deltas(a, "3")]);
  await store.commit([deltas(b, "y")]);
  const left = await reopenCopy("s");
  expect(await bodies(left, a)).toEqual(["1 a", "2 1", "3 2", "4 3"]);
  expect(await bodies(left, b)).toEqual(["1 b", "3 X", "4 y"]);
  expect(await left.commit([batch({ events: [event(a, "next")] })])).toMatchObject([{ ok: true, seqs: [5] }]);
  await Promise.all([store.close(), left.close()]);
});

test("a snapshot excludes deltas that arrive while it is read", async () => {
  const store = await openWithStreams("s");
  await store.commit([deltas(a, "1")]);
  const seen = await store.read.together(async (read) => {
    const before = (await read.lease(a)).head;
    await store.commit([deltas(a, "2"), settle(b, "B")]);
    const rows = await read.events(a, 0, 10);
    return { before, after: (await read.lease(a)).head, rows: rows.length, b: (await read.events(b, 0, 9)).length };
  });
  expect(seen).toEqual({ before: 2, after: 2, rows: 2, b: 1 });
  expect(await bodies(store, a)).toEqual(["1 a", "2 1", "3 2"]);
  await store.close();
});

test("a read during a pending delta commit has no gap", async () => {
  const store = await openWithStreams("s");
  for (let round = 0; round < 50; round++) {
    const { head } = await store.read.lease(a);
    const committed = store.commit([deltas(a, `${round}`), batch({ events: [event(a, "other")] })]);
    const seqs: number[] = [];
    for (const last = head + 2; (seqs.at(-1) ?? head) < last;) {
      seqs.push(...(await store.read.events(a, seqs.at(-1) ?? head, 10)).map(({ seq }) => seq));
      await new Promise((resolve) => setImmediate(resolve));
    }
    expect(seqs).toEqual([head + 1, head + 2]);
    await committed;
  }
  await store.close();
});

/** Always fails, which makes its whole transaction repeat. */
const fail = batch({
  events: [event(a, "never")],
  writes: [{ do: "update", table: "streams", set: { head: 99 }, where: { id: "none" }, expectOne: true }],
});

test("the journal stays short and loses nothing with long steps and failing batches", () => {
  const acts = fc.constantFrom("a", "b", "settle a", "settle b", "fail");
  fc.assert(
    fc.property(fc.array(fc.array(acts, { maxLength: 4 })), (rounds) => {
      const db = openConnection({ file: join(folder, "bounded.db") });
      db.exec("drop table if exists events; drop table if exists streams; drop table if exists journal");
      db.exec(`create table events (stream, seq, transient, body, message, n, primary key (stream, seq)) without rowid;
        create table streams (id primary key, head, epoch, holder, lease_until); create table journal (id integer primary key, body);
        insert into streams values ('${a}', 0, 1, 'me', 0), ('${b}', 0, 1, 'me', 0)`);
      const commit = createTransact(db, 3);
      const expected = new Map<string, string[]>([
        [a, []],
        [b, []],
      ]);
      for (const [n, round] of rounds.entries()) {
        const batches = round.map((what) => {
          if (what === "fail") return fail;
          const stream = what.endsWith("a") ? a : b;
          const kept = what.startsWith("settle")
            ? (expected.get(stream) ?? []).filter((x) => x.startsWith("s"))
            : expected.get(stream);
          expected.set(stream, [...(kept ?? []), `${what.startsWith("settle") ? "s" : "d"}${n}`]);
          return what.startsWith("settle") ? settle(stream, `s${n}`) : deltas(stream, `d${n}`);
        });
        commit(
          batches.map((one) => {
            const delta = toDeltaBatch(one);
            return delta ? encode(delta) : one;
          }),
        );
        expect(db.prepare("select count(*) from journal").pluck().get()).toBeLessThanOrEqual(5);
      }
      restoreJournal(db);
      for (const stream of [a, b])
        expect(db.prepare("select body from events where stream = ? order by seq").pluck().all(stream)).toEqual(
          expected.get(stream),
        );
      db.close();
    }),
    { numRuns: 100 },
  );
});

test("a failed batch keeps the deltas of the same commit, and seqs continue", async () => {
  const store = await openWithStreams("s");
  await store.commit([deltas(a, "1")]);
  const senseless = batch({ writes: [{ do: "delete", table: "users", where: {} }] });
  expect(await store.commit([deltas(a, "2"), senseless])).toMatchObject([{ seqs: [3] }, { ok: false, why: "failed" }]);
  expect(await store.commit([deltas(a, "3")])).toMatchObject([{ seqs: [4] }]);
  expect(await bodies(store, a)).toEqual(["1 a", "2 1", "3 2", "4 3"]);
  await store.close();
});
