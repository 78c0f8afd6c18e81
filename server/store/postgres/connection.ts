import pg from "pg";
import type { PostgresPool } from "kysely";
import { toStorable } from "../write-sql.ts";
import { isStalePlan, toPostgresError } from "./failure.ts";
import { backendSql, endBackend, WatchedClient } from "./watched-client.ts";

export type Client = pg.Client;

/**
 * Set on every connection. Timeouts bound statements, locks and abandoned transactions. All queries use an index, even when
 * the planner has no statistics yet, and none benefits from JIT.
 */
const sessionSettings = `
  set statement_timeout = '30s'; set lock_timeout = '8s'; set idle_in_transaction_session_timeout = '4s';
  set enable_seqscan = off; set jit = off; set client_min_messages = warning`;

/** Forces joins by key lookup. A join that reads one side completely would cost O(thread). */
const readSettings =
  "set enable_hashjoin = off; set enable_mergejoin = off; set enable_material = off; " +
  "set plan_cache_mode = force_generic_plan";

/** Settings that durability needs, and why. */
const required: readonly { readonly name: string; readonly bad: readonly string[]; readonly because: string }[] = [
  { name: "fsync", bad: ["off"], because: "a power cut would lose or damage acknowledged messages" },
  { name: "full_page_writes", bad: ["off"], because: "a power cut could leave torn pages" },
  { name: "synchronous_commit", bad: ["off"], because: "a crash would lose acknowledged messages" },
];

const types: pg.CustomTypesConfig = {
  getTypeParser: ((oid: number, format?: "text") =>
    oid === pg.types.builtins.INT8 ? Number : pg.types.getTypeParser(oid, format)) as typeof pg.types.getTypeParser,
};

type Purpose = "read" | "commit" | "listen" | "migrate";

export const toConfig = (url: string, purpose: Purpose): pg.ClientConfig => ({
  connectionString: url,
  application_name: `stonechat ${purpose}`,
  connectionTimeoutMillis: 10_000,
  keepAlive: true,
  keepAliveInitialDelayMillis: 10_000,
  types,
});

/** A connection without timeouts, for startup work. */
export async function withClient<T>(url: string, work: (client: Client) => Promise<T>): Promise<T> {
  const client = new WatchedClient(toConfig(url, "migrate"));
  client.on("error", () => {});
  try {
    await client.connect();
    return await work(client);
  } catch (error) {
    throw toPostgresError(error);
  } finally {
    await client.end().catch(() => {});
  }
}

/** Throws if the server's settings could lose acknowledged commits. */
export async function checkSettings(client: Client): Promise<void> {
  const { rows } = await client.query<{ name: string; setting: string }>(
    "select name, setting from pg_settings where name = any($1)",
    [[...required.map(({ name }) => name), "server_encoding"]],
  );
  const settings = new Map(rows.map(({ name, setting }) => [name, setting]));
  for (const { name, bad, because } of required) {
    const setting = settings.get(name) ?? "unknown";
    if (bad.includes(setting)) {
      throw new Error(`PostgreSQL runs with ${name}=${setting}: ${because}. Set it to on.`);
    }
  }
  const encoding = settings.get("server_encoding");
  if (encoding !== "UTF8") throw new Error(`The PostgreSQL database has encoding ${encoding}. It must be UTF8.`);
}

/** Connection pool for Kysely reads, with errors converted by `toFailure`. */
export function openPool(url: string, max: number, silentMs?: number): PostgresPool {
  const options: pg.PoolConfig & { readonly silentMs: number | undefined } = {
    ...toConfig(url, "read"),
    max,
    silentMs,
    query_timeout: 40_000,
    Client: WatchedClient,
    onConnect: async (client) => {
      client.on("error", () => {});
      await setUp(client as unknown as WatchedClient, readSettings);
    },
  };
  const pool = new pg.Pool(options);
  pool.on("error", () => {});
  const nameOf = createNames();
  return {
    options: pool.options,
    end: () => pool.end(),
    connect: async () => {
      const client = (await pool
        .connect()
        .catch((error: unknown) => Promise.reject(toPostgresError(error)))) as pg.PoolClient & WatchedClient;
      let broken = false;
      const query = async (sql: string, parameters: readonly unknown[]) => {
        const values = parameters.map(toParameter);
        try {
          return await client.during(() => client.query({ name: nameOf(sql), text: sql, values }));
        } catch (error) {
          const failure = toPostgresError(error);
          broken ||= failure !== error || isStalePlan(error);
          if (!isStalePlan(error)) throw failure;
          // Without a name it is planned again. In a transaction this fails too, and `retryStalePlan` repeats the transaction.
          return client.during(() => client.query({ text: sql, values })).catch(() => Promise.reject(error));
        }
      };
      return { query: query as never, release: (destroy) => client.release(destroy === true || broken) };
    },
  };
}

/** Repeats reads in a transaction, on another connection each time. */
export async function retryStalePlan<T>(read: () => Promise<T>): Promise<T> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await read();
    } catch (error) {
      if (!isStalePlan(error) || attempt === MOST_ATTEMPTS) throw error;
    }
  }
}

/** Each connection of the pool may have the stale plan. */
const MOST_ATTEMPTS = 10;

/** Named statements are planned once per connection. Beyond this number, new statements stay unnamed. */
const MOST_NAMES = 1_000;

function createNames(): (sql: string) => string | undefined {
  const names = new Map<string, string>();
  return (sql) => {
    if (!names.has(sql) && names.size < MOST_NAMES) names.set(sql, `read ${names.size}`);
    return names.get(sql);
  };
}

/** A query for text that PostgreSQL cannot store must return no rows, not an error. */
const toParameter = (value: unknown): unknown => (typeof value === "string" ? toStorable(value) : value);

/** One open connection, reopened at the next use after it was lost. */
export type Session = {
  readonly use: () => Promise<WatchedClient>;
  readonly drop: () => void;
  readonly close: () => Promise<void>;
};

/** A connection for commits: statements are pipelined and planned once. */
export function createSession(url: string, silentMs?: number): Session {
  let live: { readonly client: WatchedClient; readonly ready: Promise<WatchedClient> } | undefined;
  let last: WatchedClient | undefined;
  const open = (): Promise<WatchedClient> => {
    const timeouts = { query_timeout: 40_000, ...(silentMs === undefined ? {} : { silentMs }) };
    const client = new WatchedClient({ ...toConfig(url, "commit"), ...timeouts, pipeline: true });
    const forget = () => {
      if (live?.client === client) live = undefined;
    };
    client.on("error", forget).on("end", forget);
    const before = last?.backend;
    const ready = prepare(client, before).catch((error: unknown) => {
      forget();
      void client.end().catch(() => {});
      throw toPostgresError(error);
    });
    void ready.then(
      () => (last = client),
      () => {},
    );
    live = { client, ready };
    return ready;
  };
  const leave = async (): Promise<void> => {
    const left = live?.client;
    live = undefined;
    await left?.end().catch(() => {});
  };
  return { use: () => live?.ready ?? open(), drop: () => void leave(), close: leave };
}

/**
 * `before`: the backend of the last connection. If the network failed, it may still receive and commit what was sent to it, so
 * it is ended before the first commit of this one.
 */
async function prepare(client: WatchedClient, before: WatchedClient["backend"]): Promise<WatchedClient> {
  await client.connect();
  await setUp(client, "set plan_cache_mode = force_generic_plan");
  await client.during(() => checkSettings(client));
  if (before) await client.during(() => endBackend(client, before));
  return client;
}

async function setUp(client: WatchedClient, settings: string): Promise<void> {
  client.setBackend(await client.during(() => client.query(`${sessionSettings}; ${settings}; ${backendSql}`)));
}
