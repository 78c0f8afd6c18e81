import { Kysely, PostgresDialect } from "kysely";
import { systemIds } from "../../lib/ids.ts";
import type { Batch, BatchResult, Report, Store } from "../contract.ts";
import { Unavailable } from "../failure.ts";
import { migrations } from "../migrations/migrations.ts";
import { createReadiness } from "../readiness.ts";
import { createReads } from "../reads/reads.ts";
import type { Tables } from "../schema.ts";
import { createCommit } from "./commit.ts";
import { checkSettings, createSession, openPool, retryStalePlan, withClient } from "./connection.ts";
import { migrate, removeOldBackups, toNewer } from "./migrate.ts";
import { holdsTerms, search } from "./search.ts";
import { listParameter, nowMs, toJson } from "./transact.ts";
import { createWakes } from "./wakes.ts";
import { SILENT_MS } from "./watched-client.ts";
import { DAY_MS, systemClock } from "../../lib/clock.ts";

type Options = {
  readonly url: string;
  readonly readConnections?: number;
  readonly report?: Report;
  /** For tests: a shorter time after which a silent connection is checked. */
  readonly silentMs?: number;
};

/** Several processes can share a database. Each has one connection for commits, one for notifications and a few for reads. */
export async function openPostgres(options: Options): Promise<Store> {
  const { url, readConnections = 8, report = () => {}, silentMs = SILENT_MS } = options;
  await withClient(url, async (client) => {
    await checkSettings(client);
    await migrate(client);
    await removeOldBackups(client, report);
  });
  const wakes = await createWakes({ url, nodeId: systemIds.next(), silentMs });
  const session = createSession(url, silentMs);
  const pool = openPool(url, readConnections, silentMs);
  const db = new Kysely<Tables>({ dialect: new PostgresDialect({ pool }) });
  const { commit, settled } = createCommit(session);
  const ask = async <T>(sql: string, parameters: readonly unknown[]): Promise<readonly T[]> => {
    const client = await pool.connect();
    try {
      return (await client.query<T>(sql, parameters)).rows;
    } finally {
      client.release();
    }
  };
  const readiness = createReadiness({ probe: (text) => ask(probeSql, [text]) });
  const cleaning = setInterval(() => {
    void withClient(url, (client) => removeOldBackups(client, report)).catch(() => {});
  }, DAY_MS).unref();
  return {
    kind: "postgres",
    commit: async (batches) => {
      const results = await readiness.watch(commit(batches));
      const { streams, drive } = toWake(batches, results);
      if (streams.length > 0 || drive.length > 0) wakes.send(streams, drive);
      return results;
    },
    read: createReads(db, {
      nowMs,
      databaseBytes: "pg_database_size(current_database())",
      freeBytes: "0",
      toJson,
      listParameter,
      search,
      holdsTerms,
      inSnapshot: (all, read) =>
        retryStalePlan(() =>
          all.transaction().setIsolationLevel("repeatable read").setAccessMode("read only").execute(read),
        ),
    }),
    renewLeases: async (holder, streams, ttlMs) => void (await ask(renewSql, [holder, ttlMs, streams])),
    onForeignCommit: wakes.onWake,
    sendNotice: wakes.sendNotice,
    onNotice: wakes.onNotice,
    readTime: async () =>
      (await ask<{ readonly now: number }>(`select ${nowMs} as now`, []))[0]?.now ?? systemClock.now(),
    ping: async () => {
      const [row] = await ask<{ readonly: string; version: string | null }>(stateSql, []);
      if (row?.readonly !== "off")
        throw new Unavailable("PostgreSQL does not accept writes: it is a standby or read-only.");
      if (Number(row.version) > migrations.length) throw new Unavailable(toNewer(Number(row.version)));
      await readiness.check();
    },
    close: async () => {
      clearInterval(cleaning);
      await settled();
      await Promise.all([session.close(), wakes.close(), pool.end()]);
    },
  };
}

const stateSql = `select current_setting('transaction_read_only') as readonly,
  (select value from meta where key = 'version') as version`;
const probeSql = `insert into meta (key, value) values ('write-probe', $1)
  on conflict (key) do update set value = excluded.value`;

/** Locks in order of name, as commits do, to avoid deadlocks. */
const renewSql = `
  with mine as materialized (
    select id from streams where holder = $1 and id = any ($3::text[]) order by id for update
  )
  update streams s set lease_until = ${nowMs} + $2::bigint from mine where s.id = mine.id and s.holder = $1`;

function toWake(batches: readonly Batch[], results: readonly BatchResult[]): Wake {
  const committed = batches.filter((_, index) => results[index]?.ok);
  return {
    streams: committed.flatMap(({ events, revoke }) => [
      ...events.map(({ stream }) => stream),
      ...(revoke ? [revoke] : []),
    ]),
    drive: committed.flatMap(({ drive = [] }) => drive),
  };
}

type Wake = { readonly streams: readonly Batch["events"][number]["stream"][]; readonly drive: readonly string[] };
