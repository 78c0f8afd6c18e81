import { setTimeout as pause } from "node:timers/promises";
import pg from "pg";
import { describe, expect, test, type TestContext } from "vitest";
import { userStream } from "../../protocol/ids.ts";
import { Unavailable } from "../../server/store/failure.ts";
import { openPostgres } from "../../server/store/postgres/open.ts";
import type { Store } from "../../server/store/contract.ts";
import { startFaultProxy, type FaultProxy } from "../support/net/fault-proxy.ts";
import { findPostgres } from "../support/postgres-binaries.ts";
import { createDatabase } from "../support/postgres.ts";
import { queryPostgres } from "../support/server/database.ts";
import { until } from "../support/server/until.ts";
import { batch, event, expectOk } from "../support/store-rows.ts";

/** Test B4, between a node and PostgreSQL: connections that deliver nothing are noticed, and no commit is reported wrongly. */
const SILENT_MS = 400;
/** Two silences, the checks between them, and a loaded machine. */
const NOTICED_MS = 6_000;
const stream = userStream("network");

type Node = { readonly store: Store; readonly proxy: FaultProxy; readonly directUrl: string };

async function startNode({ onTestFinished }: Pick<TestContext, "onTestFinished">): Promise<Node> {
  const directUrl = await createDatabase();
  const url = new URL(directUrl);
  const proxy = await startFaultProxy({ port: Number(url.port) });
  onTestFinished(() => proxy.close());
  url.port = String(proxy.port);
  const opened = await openPostgres({ url: url.href, silentMs: SILENT_MS });
  onTestFinished(async () => {
    proxy.set({ kind: "none" });
    await close();
  });
  let closing: Promise<void> | undefined;
  const close = (): Promise<void> => (closing ??= opened.close());
  const store = { ...opened, close };
  return { store, proxy, directUrl };
}

const write = (store: Store, text: string) => store.commit([batch({ events: [event(stream, JSON.stringify(text))] })]);
const readTexts = async (url: string): Promise<readonly string[]> =>
  (await queryPostgres<{ body: string }>(url, "select body from events where stream = ? order by seq", [stream])).map(
    ({ body }) => JSON.parse(body) as string,
  );
const measure = async <T>(work: Promise<T>): Promise<{ readonly ms: number; readonly error: unknown }> => {
  const startedAt = performance.now();
  const error = await work.then(
    () => undefined,
    (reason: unknown) => reason,
  );
  return { ms: performance.now() - startedAt, error };
};
const isNamed =
  (name: string) =>
  ({ first }: { readonly first: string }): boolean =>
    first.includes(`stonechat ${name}`);

describe.skipIf(!findPostgres()).concurrent("a node whose connection to PostgreSQL is disturbed", () => {
  test.for(["blackhole", "blackhole-reply"] as const)(
    "notices a %s of the commit connection",
    async (kind, { onTestFinished }) => {
      const { store, proxy, directUrl } = await startNode({ onTestFinished });
      await write(store, "before");
      const known = proxy.counts.connections;
      proxy.set({ kind }, (one) => isNamed("commit")(one) && one.index < known);
      const lost = await measure(write(store, "unknown"));
      expect(lost.error).toBeInstanceOf(Unavailable);
      expect(lost.ms).toBeLessThan(NOTICED_MS);
      expect(proxy.counts.withheld).toBeGreaterThan(0);
      // The outcome is unknown to the caller, but final: nothing is committed after the failure was reported.
      const stored = await readTexts(directUrl);
      await write(store, "after");
      proxy.set({ kind: "none" });
      await until("the lost connection is closed", async () => proxy.open() < known);
      expect(await readTexts(directUrl)).toEqual([...stored, "after"]);
      // A request that did not arrive is not stored. One whose answer did not arrive may be.
      expect(stored).toEqual(kind === "blackhole" ? ["before"] : ["before", ...stored.slice(1)]);
    },
  );

  test("waits for a healthy commit that takes long", async ({ onTestFinished }) => {
    const { store, proxy, directUrl } = await startNode({ onTestFinished });
    await write(store, "before");
    const holder = new pg.Client({ connectionString: directUrl });
    await holder.connect();
    onTestFinished(() => holder.end());
    await holder.query("begin");
    await holder.query("select 1 from streams where id = $1 for update", [stream]);
    const connections = proxy.counts.connections;
    const slow = write(store, "slow");
    // Long enough to be checked several times.
    await until("it was checked", async () => proxy.counts.connections >= connections + 4);
    await holder.query("commit");
    expectOk((await slow)[0]);
    expect(await readTexts(directUrl)).toEqual(["before", "slow"]);
  });

  test("waits for a commit over a slow link", async ({ onTestFinished }) => {
    const { store, proxy } = await startNode({ onTestFinished });
    await write(store, "before");
    proxy.set({ kind: "bandwidth", bytesPerSecond: 200_000 });
    const text = "x".repeat(150_000);
    const slow = await measure(write(store, text));
    expect(slow.error).toBeUndefined();
    expect(slow.ms).toBeGreaterThan(SILENT_MS);
    expect(proxy.counts.delayed).toBeGreaterThan(0);
  });

  test("notices a blackhole of reading connections, and reads over new ones", async ({ onTestFinished }) => {
    const { store, proxy } = await startNode({ onTestFinished });
    await write(store, "before");
    await Promise.all(Array.from({ length: 4 }, () => store.read.lease(stream)));
    const known = proxy.counts.connections;
    proxy.set({ kind: "blackhole" }, (one) => isNamed("read")(one) && one.index < known);
    const lost = await measure(store.read.lease(stream));
    expect(lost.error).toBeInstanceOf(Unavailable);
    expect(lost.ms).toBeLessThan(NOTICED_MS);
    await until("reads succeed", () =>
      store.read.lease(stream).then(
        ({ head }) => head === 1,
        () => false,
      ),
    );
    expect(proxy.counts.withheld).toBeGreaterThan(0);
  });

  test("reports an unreachable database, recovers when it is back, and leaves no socket", async ({
    onTestFinished,
  }) => {
    const { store, proxy, directUrl } = await startNode({ onTestFinished });
    await write(store, "before");
    const usual = proxy.open();
    proxy.set({ kind: "blackhole" });
    const [commit, read, ping] = await Promise.all([
      measure(write(store, "unknown")),
      measure(store.read.lease(stream)),
      measure(store.ping().then(() => store.read.lease(stream))),
    ]);
    for (const { error, ms } of [commit, read, ping]) {
      expect(error).toBeInstanceOf(Unavailable);
      expect(ms).toBeLessThan(2 * NOTICED_MS);
    }
    proxy.set({ kind: "none" });
    await until("commits succeed", () =>
      write(store, "after").then(
        () => true,
        () => false,
      ),
    );
    await until("lost connections are closed", async () => proxy.open() <= usual + 1);
    // The network may deliver what it held back, but only once, and never after a later commit.
    const texts = await readTexts(directUrl);
    expect(texts).toEqual(texts.length === 2 ? ["before", "after"] : ["before", "unknown", "after"]);
  });

  test("closes while the database is unreachable", async ({ onTestFinished }) => {
    const { store, proxy } = await startNode({ onTestFinished });
    await write(store, "before");
    await store.read.lease(stream);
    proxy.set({ kind: "blackhole" });
    expect((await measure(store.close())).ms).toBeLessThan(NOTICED_MS);
    proxy.set({ kind: "none" });
    await until("every connection is closed", async () => proxy.open() === 0);
  });

  test.for(["reset", "half-close", "half-close-reply"] as const)(
    "reconnects after a %s",
    async (kind, { onTestFinished }) => {
      const { store, proxy, directUrl } = await startNode({ onTestFinished });
      await write(store, "before");
      const known = proxy.counts.connections;
      proxy.set({ kind }, ({ index }) => index < known);
      expect(proxy.counts.resets + proxy.counts.halfCloses).toBeGreaterThan(0);
      let tries = 0;
      await until("commits succeed", () =>
        write(store, `after ${++tries}`).then(
          () => true,
          () => false,
        ),
      );
      expect(tries).toBeLessThan(20);
      const texts = await readTexts(directUrl);
      expect(texts).toContain(`after ${tries}`);
      expect(new Set(texts).size).toBe(texts.length);
      expect((await store.read.lease(stream)).head).toBe(texts.length);
      await until("lost connections are closed", async () => proxy.open() <= 4);
    },
  );

  test("works with latency", async ({ onTestFinished }) => {
    const { store, proxy, directUrl } = await startNode({ onTestFinished });
    proxy.set({ kind: "latency", ms: 100 });
    expect((await measure(write(store, "late"))).ms).toBeGreaterThan(200);
    expect(await readTexts(directUrl)).toEqual(["late"]);
    expect(proxy.counts.delayed).toBeGreaterThan(0);
  });

  test("notices that notifications no longer arrive, and learns of the commits it missed", async ({
    onTestFinished,
  }) => {
    const deaf = await startNode({ onTestFinished });
    const writer = await openPostgres({ url: deaf.directUrl });
    onTestFinished(() => writer.close());
    const heard: (readonly string[] | null)[] = [];
    deaf.store.onForeignCommit((streams) => void heard.push(streams));
    await write(writer, "first");
    await until("a notification arrives", async () => heard.length > 0);
    heard.length = 0;
    const known = deaf.proxy.counts.connections;
    deaf.proxy.set({ kind: "blackhole" }, (one) => isNamed("listen")(one) && one.index < known);
    await write(writer, "missed");
    await until("the node reconnects", async () => heard.length > 0);
    expect(heard[0]).toBeNull();
    expect(deaf.proxy.counts.withheld).toBeGreaterThan(0);
    heard.length = 0;
    await write(writer, "next");
    await until("notifications arrive again", async () => heard.some((streams) => streams?.includes(stream)));
  });

  test("control: a connection without the check waits for the whole blackhole", async ({ onTestFinished }) => {
    const { proxy, directUrl } = await startNode({ onTestFinished });
    const url = new URL(directUrl);
    url.port = String(proxy.port);
    const plain = new pg.Client({ connectionString: url.href });
    plain.on("error", () => {});
    await plain.connect();
    proxy.set({ kind: "blackhole" });
    let isAnswered = false;
    const asked = plain.query("select 1").then(() => (isAnswered = true));
    await pause(3 * SILENT_MS);
    expect(isAnswered).toBe(false);
    proxy.set({ kind: "none" });
    await asked;
    await plain.end();
  });
});
