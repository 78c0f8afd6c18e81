import pg from "pg";
import { migrations } from "../migrations/migrations.ts";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { userStream, type StreamName } from "../../../protocol/ids.ts";
import { findPostgres } from "../../../test/support/postgres-binaries.ts";
import { startPostgres, type Postgres } from "../../../test/support/postgres.ts";
import { batch, event, put, rows, expectOk } from "../../../test/support/store-rows.ts";
import type { Batch, Store } from "../contract.ts";
import { openPostgres } from "./open.ts";

const FLUSHES = process.env["STONECHAT_DEEP"] === "1" ? 2_000 : 150;

describe.skipIf(!findPostgres())("two nodes on one PostgreSQL", () => {
  let server: Postgres;
  let url = "";
  let nodes: readonly [Store, Store];
  let admin: pg.Client;
  beforeAll(async () => {
    server = await startPostgres();
    url = await server.createDatabase();
    nodes = await Promise.all([openPostgres({ url }), openPostgres({ url })]);
    admin = new pg.Client({ connectionString: url });
    admin.on("error", () => {});
    await admin.connect();
  });
  afterAll(async () => {
    await admin.end();
    await Promise.all(nodes.map((node) => node.close()));
    await server.close();
  });
  const terminate = async (purpose: string) => {
    const { rowCount } = await admin.query(
      "select pg_terminate_backend(pid) from pg_stat_activity where application_name = $1 and datname = current_database()",
      [`stonechat ${purpose}`],
    );
    return rowCount ?? 0;
  };

  test("create the schema once when they start at the same time", async () => {
    const { rows: found } = await admin.query<{ value: string }>("select value from meta where key = 'version'");
    expect(found).toHaveLength(1);
  });

  test("commit random batches to shared streams without gaps, duplicates or deadlocks", async () => {
    const streams = Array.from({ length: 6 }, (_, n) => userStream(`shared-${n}`));
    const random = createRandom(7);
    const pick = () => streams[Math.trunc(random() * streams.length)] ?? userStream("none");
    const given = new Map<string, string>();
    const deadlocks = await countDeadlocks(admin);
    let acknowledged = 0;
    const drive = async (node: Store, name: string) => {
      for (let flush = 0; flush < FLUSHES; flush += 1) {
        const batches = Array.from({ length: 1 + Math.trunc(random() * 4) }, (_, at): Batch => {
          const events = Array.from({ length: 1 + Math.trunc(random() * 4) }, () =>
            event(pick(), `"${name} ${flush} ${at}"`),
          );
          const user = `${name}-${flush}-${at}`;
          const fails = random() < 0.1;
          const owner = fails ? "nobody" : user;
          const heavy = random() < 0.4;
          return batch({
            events,
            writes: heavy
              ? [
                  { do: "insert", table: "users", row: rows.user(user) },
                  { do: "insert", table: "threads", row: rows.thread({ id: user, owner }) },
                ]
              : [],
          });
        });
        for (const [index, result] of (await node.commit(batches)).entries()) {
          if (!result.ok) continue;
          for (const [at, seq] of result.seqs.entries()) {
            const one = batches[index]?.events[at];
            const key = `${one?.stream} ${seq}`;
            expect(given.has(key)).toBe(false);
            given.set(key, one?.body ?? "");
            acknowledged += 1;
          }
        }
      }
    };
    await Promise.all([drive(nodes[0], "a"), drive(nodes[1], "b"), drive(nodes[0], "c"), drive(nodes[1], "d")]);
    let stored = 0;
    for (const stream of streams) {
      const all = await nodes[0].read.events(stream, 0, 1_000_000);
      expect(all.map(({ seq }) => seq)).toEqual(all.map((_, index) => index + 1));
      for (const { seq, body } of all) expect(given.get(`${stream} ${seq}`)).toBe(body);
      expect((await nodes[1].read.heads([stream])).get(stream)).toBe(all.length);
      stored += all.length;
    }
    expect(stored).toBe(acknowledged);
    expect(await countDeadlocks(admin)).toBe(deadlocks);
    expect(acknowledged).toBeGreaterThan(FLUSHES * 4);
  });

  test("exactly one wins each race for a lease", async () => {
    const stream = userStream("raced");
    expectOk((await nodes[0].commit([batch({ events: [event(stream)] })]))[0]);
    for (let epoch = 0; epoch < 50; epoch += 1) {
      const take = (holder: string): Batch =>
        batch({ fence: { stream, epoch, acquire: { holder, ttlMs: 600_000 } }, events: [event(stream)] });
      const results = await Promise.all(nodes.map(async (node, n) => (await node.commit([take(`node ${n}`)]))[0]));
      expect(results.filter((result) => result?.ok)).toHaveLength(1);
      const winner = nodes[results.findIndex((result) => result?.ok)];
      expectOk((await winner?.commit([batch({ fence: { stream, epoch: epoch + 1, release: true } })]))?.[0]);
    }
  });

  test("a commit notifies the other node by stream name, and not its own node", async () => {
    const stream = userStream("woken");
    const own = listen(nodes[0]);
    const heard = listen(nodes[1]);
    await nodes[0].commit([
      batch({ events: [event(stream)], drive: ["thread-1"] }),
      batch({ events: [event(userStream("fenced"))], fence: { stream, epoch: 9 }, drive: ["thread-2"] }),
    ]);
    await expect.poll(() => heard.drive).toContain("thread-1");
    expect(heard.streams).toContain(stream);
    expect(heard.drive).not.toContain("thread-2");
    expect(heard.streams).not.toContain(userStream("fenced"));
    await nodes[1].commit([batch({ events: [event(stream)] })]);
    await expect.poll(() => own.streams).toContain(stream);
    expect(own.drive).toEqual([]);
  });

  test("sends null instead of too many stream names", async () => {
    const heard = listen(nodes[1]);
    const events = Array.from({ length: 400 }, (_, n) => event(userStream(`one-of-many-${n}-${"x".repeat(20)}`)));
    const drive = Array.from({ length: 300 }, (_, n) => `thread-${n}-${"y".repeat(30)}`);
    await nodes[0].commit([batch({ events, drive })]);
    await expect.poll(() => new Set(heard.drive).size).toBe(300);
    expect(heard.anys).toBeGreaterThan(0);
  });

  test("treats unknown notifications as null", async () => {
    const heard = listen(nodes[1]);
    const odd = [
      "",
      "no json",
      "{}",
      "[]",
      "null",
      '{"from":1,"streams":[],"drive":[]}',
      '{"from":"x","streams":7,"drive":[1]}',
    ];
    for (const payload of odd) await admin.query("select pg_notify('stonechat', $1)", [payload]);
    await expect.poll(() => heard.anys).toBe(odd.length);
    expect(heard.drive).toEqual([]);
  });

  test("a listener reconnects after a lost connection and reports null", async () => {
    const heard = listen(nodes[1]);
    expect(await terminate("listen")).toBe(2);
    await nodes[0].commit([batch({ events: [event(userStream("while it was away"))] })]);
    await expect.poll(() => heard.anys, { timeout: 10_000 }).toBeGreaterThan(0);
    await expect
      .poll(
        async () => {
          await nodes[0].commit([batch({ events: [event(userStream("after"))] })]);
          return heard.streams;
        },
        { timeout: 10_000 },
      )
      .toContain(userStream("after"));
  });

  test("rejects a commit whose connection is lost, and the next commit succeeds", async () => {
    const stream = userStream("cut");
    expectOk((await nodes[0].commit([batch({ events: [event(stream)] })]))[0]);
    await admin.query("begin");
    await admin.query("select 1 from streams where id = $1 for update", [stream]);
    const cut = nodes[0].commit([batch({ events: [event(stream, '"cut"')] })]).catch((error: unknown) => error);
    await expect.poll(() => countWaiting(url)).toBe(1);
    await terminate("commit");
    expect(await cut).toMatchObject({ name: "Unavailable" });
    await admin.query("rollback");
    expect(expectOk((await nodes[0].commit([batch({ events: [event(stream, '"next"')] })]))[0]).seqs).toEqual([2]);
    expect((await nodes[1].read.events(stream, 1, 9)).map(({ body }) => body)).toEqual(['"next"']);
  });

  test("reads work again after their connections were lost", async () => {
    await nodes[0].read.meta("version");
    expect(await terminate("read")).toBeGreaterThan(0);
    await expect.poll(() => nodes[0].read.meta("version").catch(() => "cut")).toBe(String(migrations.length));
  });

  test("a multi-statement read that loses its connections leaves no unhandled rejection", async () => {
    const unhandled: unknown[] = [];
    const note = (reason: unknown) => void unhandled.push(reason);
    const others = process.listeners("unhandledRejection");
    process.removeAllListeners("unhandledRejection").on("unhandledRejection", note);
    try {
      await admin.query("begin");
      await admin.query("lock table summaries in access exclusive mode");
      const segments = [{ branch: "b", parent: null, from: 0, to: 9 }];
      const read = nodes[0].read.summariesOn("t", segments).catch((error: unknown) => error);
      await expect.poll(() => countWaiting(url, "read")).toBe(2);
      expect(await terminate("read")).toBeGreaterThan(1);
      expect(await read).toMatchObject({ name: "Unavailable" });
      await admin.query("rollback");
      await expect.poll(() => nodes[0].read.summariesOn("t", segments).catch(() => "cut")).toEqual([]);
      expect(unhandled).toEqual([]);
    } finally {
      process.removeAllListeners("unhandledRejection");
      for (const listener of others) process.on("unhandledRejection", listener);
    }
  });

  test("retries after a deadlock with another client", async () => {
    const [a, b] = [userStream("dead-a"), userStream("dead-b")];
    expectOk((await nodes[0].commit([batch({ events: [event(a), event(b)] })]))[0]);
    const before = await countDeadlocks(admin);
    await admin.query("begin");
    await admin.query("select 1 from streams where id = $1 for update", [b]);
    const commit = nodes[0].commit([
      batch({ events: [event(a), event(b)], writes: [{ do: "insert", table: "users", row: rows.user("dead") }] }),
    ]);
    await expect.poll(() => countWaiting(url)).toBe(1);
    await admin.query("select 1 from streams where id = $1 for update", [a]);
    await admin.query("commit");
    expect(expectOk((await commit)[0]).seqs).toEqual([2, 2]);
    await expect.poll(() => countDeadlocks(admin), { timeout: 10_000 }).toBeGreaterThan(before);
  });

  test("rejects with Unavailable while the server is down, and recovers afterwards", async () => {
    const stream = userStream("down");
    await server.stop("immediate");
    await expect(nodes[0].commit([batch({ events: [event(stream)] })])).rejects.toMatchObject({ name: "Unavailable" });
    await expect(nodes[0].read.meta("version")).rejects.toMatchObject({ name: "Unavailable" });
    await expect(nodes[0].ping()).rejects.toMatchObject({ name: "Unavailable" });
    await server.start();
    await nodes[0].ping();
    await put(nodes[0], { do: "put", table: "users", row: rows.user("back") });
    expect(expectOk((await nodes[0].commit([batch({ events: [event(stream)] })]))[0]).seqs).toEqual([1]);
    const heard = listen(nodes[1]);
    await expect
      .poll(
        async () => {
          await nodes[0].commit([batch({ events: [event(stream)] })]);
          return heard.streams;
        },
        { timeout: 20_000 },
      )
      .toContain(stream);
  });
});

function listen(node: Store) {
  const heard = { streams: [] as StreamName[], drive: [] as string[], anys: 0 };
  node.onForeignCommit((streams, drive) => {
    if (streams === null) heard.anys += 1;
    heard.streams.push(...(streams ?? []));
    heard.drive.push(...drive);
  });
  return heard;
}

async function countWaiting(url: string, purpose = "commit"): Promise<number> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    const { rowCount } = await client.query(
      "select 1 from pg_stat_activity where application_name = $1 and wait_event_type = 'Lock'",
      [`stonechat ${purpose}`],
    );
    return rowCount ?? 0;
  } finally {
    await client.end();
  }
}

async function countDeadlocks(client: pg.Client): Promise<number> {
  const { rows: found } = await client.query<{ deadlocks: string }>(
    "select deadlocks from pg_stat_database where datname = current_database()",
  );
  return Number(found[0]?.deadlocks ?? 0);
}

/** Deterministic for a seed. */
function createRandom(seed: number): () => number {
  let state = seed;
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) | 0;
    return (state >>> 0) / 2 ** 32;
  };
}
