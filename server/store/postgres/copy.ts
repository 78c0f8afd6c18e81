import pg from "pg";
import { listTables, type TableLayout } from "../copy/layout.ts";
import {
  BATCH_BYTES,
  BATCH_ROWS,
  sizeOf,
  toExpression,
  toRowsOf,
  type Row,
  type RowSource,
  type RowTarget,
} from "../copy/rows.ts";
import { refuseUnfinished, toOtherSource, UNFINISHED } from "../copy/unfinished.ts";
import { migrations } from "../migrations/migrations.ts";
import { checkSettings, toConfig, type Client } from "./connection.ts";
import { toPostgresError } from "./failure.ts";
import { applySteps, inTransaction, LOCK, readMeta, readVersion, writeMeta } from "./migrate.ts";

type SourceOptions = {
  readonly url: string;
  /** No server may use the database until it is closed. */
  readonly isExclusive: boolean;
};

/** The database as of now: one read-only transaction. */
export async function openPostgresSource({ url, isExclusive }: SourceOptions): Promise<RowSource> {
  return withNewClient(url, async (client) => {
    if (isExclusive) await refuseServers(client);
    await client.query("begin isolation level repeatable read read only");
    const { rows } = await client.query<{ has_meta: boolean }>("select to_regclass('meta') is not null as has_meta");
    if (!rows[0]?.has_meta) throw new Error("The PostgreSQL database has no data of Stonechat. Check its address.");
    refuseUnfinished(await readMeta(client, UNFINISHED), "The PostgreSQL database");
    const version = await readVersion(client);
    const tables = listTables(version);
    return { ...toReads(client), ...{ kind: "postgres", version, tables }, close: () => client.end() };
  });
}

type TargetOptions = {
  readonly url: string;
  readonly version: number;
  /** Names the source. A target with the same mark is continued, any other content is refused. */
  readonly mark: string;
};

export async function openPostgresTarget({ url, version, mark }: TargetOptions): Promise<RowTarget> {
  return withNewClient(url, async (client) => {
    await checkSettings(client);
    await lock(
      client,
      "Another Stonechat is starting in the target database, or copies to it. Stop it, then try again.",
    );
    await prepareTarget(client, { url, version, mark });
    return {
      stored: toStored(client),
      add: (table, rows) =>
        addRows(client, table, rows).catch((error: unknown) => Promise.reject(toPostgresError(error))),
      finish: async () => {
        await applySteps(client, migrations);
        await client.query("analyze");
        await client.query("delete from meta where key = $1", [UNFINISHED]);
      },
      close: () => client.end(),
    };
  });
}

/** Opens a connection without timeouts, and closes it if `open` fails. */
async function withNewClient<T>(url: string, open: (client: Client) => Promise<T>): Promise<T> {
  const client = new pg.Client(toConfig(url, "migrate"));
  client.on("error", () => {});
  try {
    await client.connect();
    await client.query(
      "set statement_timeout = 0; set idle_in_transaction_session_timeout = 0; set client_min_messages = warning",
    );
    return await open(client);
  } catch (error) {
    await client.end().catch(() => {});
    throw toPostgresError(error);
  }
}

/** A starting server waits for the lock of migrations, so none can start until this ends. */
async function refuseServers(client: Client): Promise<void> {
  await lock(client, "A server is starting on the PostgreSQL database. Stop it, then try again.");
  const { rows } = await client.query<{ count: string }>(
    `select count(*) from pg_stat_activity where datname = current_database() and pid <> pg_backend_pid()
       and application_name in ('stonechat commit', 'stonechat listen')`,
  );
  if (Number(rows[0]?.count) > 0)
    throw new Error("A server uses the PostgreSQL database. Stop all nodes, then try again.");
}

/** Waits a little, because PostgreSQL notices only after a moment that the process which had the lock was killed. */
async function lock(client: Client, refusal: string): Promise<void> {
  await client.query("set lock_timeout = '10s'");
  try {
    await client.query("select pg_advisory_lock($1)", [LOCK]);
  } catch (error) {
    throw (error as { code?: string }).code === LOCK_TIMEOUT ? new Error(refusal) : error;
  }
  await client.query("set lock_timeout = 0");
}

const LOCK_TIMEOUT = "55P03";

async function prepareTarget(client: Client, { version, mark }: TargetOptions): Promise<void> {
  const { rows } = await client.query<{ count: string; has_meta: boolean }>(
    `select (select count(*) from pg_class where relnamespace = current_schema()::regnamespace and relkind in ('r', 'p', 'v', 'm'))
       as count, to_regclass('meta') is not null as has_meta`,
  );
  const isEmpty = Number(rows[0]?.count) === 0;
  const found = rows[0]?.has_meta === true ? await readMeta(client, UNFINISHED) : undefined;
  if (found !== undefined && found !== mark) throw toOtherSource("The PostgreSQL database");
  if (!isEmpty && found !== mark)
    throw new Error("The PostgreSQL database is not empty. Nothing is overwritten: create another database.");
  await inTransaction(client, async () => {
    await client.query("create table if not exists meta (key text primary key, value text not null)");
    await writeMeta(client, UNFINISHED, mark);
  });
  await applySteps(client, migrations.slice(0, version));
}

/** A cursor needs a transaction. */
function toStored(client: Client): Pick<RowSource, "count" | "read"> {
  const { count, read } = toReads(client);
  return {
    count,
    read: async function* (table, skip) {
      await client.query("begin read only");
      try {
        yield* read(table, skip);
      } finally {
        await client.query("rollback");
      }
    },
  };
}

const FIRST_ROWS = 8;

function toReads(client: Client): Pick<RowSource, "count" | "read"> {
  return {
    count: async ({ name }) => {
      const { rows } = await client.query<{ count: string }>(`select count(*) from ${toRowsOf(name)}`);
      return Number(rows[0]?.count);
    },
    read: async function* (table, skip = 0) {
      await client.query(`declare copied no scroll cursor for ${toSelect(table, skip)}`);
      for (let limit = FIRST_ROWS; ;) {
        const text = `fetch ${limit} from copied`;
        const { rows } = await client.query<Row[]>({ text, rowMode: "array" } as never);
        if (rows.length === 0) break;
        const batch = rows as readonly unknown[] as readonly Row[];
        yield batch;
        const rowBytes = batch.reduce((sum, row) => sum + sizeOf(row), 0) / batch.length;
        limit = Math.max(1, Math.min(BATCH_ROWS, limit * 4, Math.floor(BATCH_BYTES / Math.max(1, rowBytes))));
      }
      await client.query("close copied");
    },
  };
}

function toSelect({ name, columns, order }: TableLayout, skip: number): string {
  const expressions = columns.map((column) => toExpression(name, column));
  // Other tables have byte order in their schema.
  const collation = name === "meta" ? ' collate "C"' : "";
  const sorted = order.map((column) => `"${column}"${collation}`).join(", ");
  return `select ${expressions.join(", ")} from ${toRowsOf(name)} order by ${sorted} offset ${skip}`;
}

/** One parameter for all rows. PostgreSQL converts each value to the type of its column. */
async function addRows(client: Client, { name, columns }: TableLayout, rows: readonly Row[]): Promise<void> {
  const names = columns.map((column) => `"${column}"`).join(", ");
  const objects = rows.map((row) =>
    Object.fromEntries(
      row.map((value, index) => [
        columns[index] ?? "",
        value instanceof Uint8Array ? `\\x${Buffer.from(value).toString("hex")}` : value,
      ]),
    ),
  );
  await client.query(
    `insert into ${name} (${names}) select ${names} from json_populate_recordset(null::${name}, $1::json)`,
    [JSON.stringify(objects)],
  );
}
