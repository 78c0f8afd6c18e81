import pg from "pg";
import type { Socket } from "node:net";
import { systemClock } from "../../lib/clock.ts";
import { sleep } from "../../lib/sleep.ts";

/** A connection on which no byte moved for this long, while it is used, is checked over a second connection. */
export const SILENT_MS = 5_000;
/** A connection that the other side does not close in this time is closed without waiting for it. */
const END_MS = 2_000;
/** Time for a terminated backend to end. */
const TERMINATION_MS = 2_000;
/** A slower link is not used. Bytes that were sent but have not arrived look like silence, so they are given this time. */
const BYTES_PER_MS = 250;

export type WatchedConfig = pg.ClientConfig & { readonly silentMs?: number };

type Backend = { readonly pid: number; readonly startedAt: string };

/** For the end of the first query on a connection, whose last result `setBackend` takes. */
export const backendSql = `select pid, extract(epoch from backend_start)::text as "startedAt"
  from pg_stat_activity where pid = pg_backend_pid()`;

/**
 * A connection to PostgreSQL that notices within about ten seconds that the network no longer delivers anything, without a
 * limit on slow statements. After a silence the database is asked, over a new connection, what this connection's backend does.
 * If it executes a statement, the wait continues. If it waits for us, or does not exist, or the database cannot be reached, then
 * the connection is lost: the backend is terminated, so that its transaction has ended before the failure is reported.
 */
export class WatchedClient extends pg.Client {
  readonly #config: WatchedConfig;
  readonly #silentMs: number;
  #backend: Backend | undefined;
  #running = 0;
  #isChecking = false;
  /** When a check first found the backend waiting for us. */
  #suspectAt: number | undefined;
  #bytesBefore = 0;

  constructor(config: WatchedConfig = {}) {
    super(config);
    this.#config = config;
    this.#silentMs = config.silentMs ?? SILENT_MS;
    this.once("connect", () => {
      this.#listen(this.#silentMs);
      this.#socket.on("timeout", () => void this.#check());
    });
  }

  /** The TLS socket if the connection is encrypted. */
  get #socket(): Socket {
    return (this as unknown as { readonly connection: { readonly stream: Socket } }).connection.stream;
  }

  get backend(): Backend | undefined {
    return this.#backend;
  }

  setBackend(results: unknown): void {
    const last = (results as readonly { readonly rows: readonly Backend[] }[]).at(-1);
    this.#backend = last?.rows[0];
  }

  /** Watches the connection while this work waits for its queries. */
  async during<T>(work: () => Promise<T>): Promise<T> {
    if (this.#running === 0) this.#bytesBefore = this.#socket.bytesWritten;
    this.#running += 1;
    try {
      return await work();
    } finally {
      this.#running -= 1;
      this.#suspectAt = undefined;
    }
  }

  override end(): Promise<void>;
  override end(callback: (error: Error) => void): void;
  override end(callback?: (error: Error) => void): Promise<void> | undefined {
    const socket = this.#socket;
    const timer = setTimeout(() => socket.destroy(), END_MS).unref();
    socket.once("close", () => clearTimeout(timer));
    if (!callback) return super.end();
    super.end(callback);
    return undefined;
  }

  /** Node postpones the timeout while bytes are received or leave the buffer of unsent bytes. */
  #listen(ms: number): void {
    this.#socket.setTimeout(ms);
  }

  async #check(): Promise<void> {
    if (this.#running === 0 || this.#isChecking) return;
    this.#isChecking = true;
    const { bytesRead } = this.#socket;
    const found = await this.#findState();
    this.#isChecking = false;
    if (this.#running === 0 || this.#socket.bytesRead !== bytesRead) return this.#listen(this.#silentMs);
    if (!found.isWaiting) this.#suspectAt = undefined;
    else this.#suspectAt ??= systemClock.monotonic();
    const patienceMs = this.#silentMs / 2 + (this.#socket.bytesWritten - this.#bytesBefore) / BYTES_PER_MS;
    const leftMs = (this.#suspectAt ?? Infinity) + patienceMs - systemClock.monotonic();
    if (!found.isUnreachable && leftMs > 0) return this.#listen(Math.min(this.#silentMs, Math.max(leftMs, 1)));
    if (!found.isUnreachable && this.#backend) {
      const backend = this.#backend;
      await this.#withOther((client) => endBackend(client, backend)).catch(() => {});
    }
    this.#socket.destroy(new Error("Connection terminated: PostgreSQL no longer answers on this connection."));
  }

  async #findState(): Promise<{ readonly isWaiting: boolean; readonly isUnreachable: boolean }> {
    const backend = this.#backend;
    // Only the first query, which takes no time, runs before the backend is known.
    if (!backend) return { isWaiting: false, isUnreachable: true };
    try {
      const values = [backend.pid, backend.startedAt];
      const {
        rows: [row],
      } = await this.#withOther((client) => client.query<{ isWaiting: boolean }>(stateSql, values));
      return { isWaiting: row?.isWaiting ?? true, isUnreachable: false };
    } catch (error) {
      // PostgreSQL may also refuse this connection, because there are too many. Then the query's own timeout decides.
      return { isWaiting: false, isUnreachable: !(error instanceof pg.DatabaseError) };
    }
  }

  async #withOther<T>(work: (client: pg.Client) => Promise<T>): Promise<T> {
    const limits = { connectionTimeoutMillis: this.#silentMs, query_timeout: this.#silentMs };
    const client = new WatchedClient({ ...this.#config, ...limits, pipeline: false });
    client.on("error", () => {});
    try {
      await client.connect();
      return await work(client);
    } finally {
      void client.end().catch(() => {});
    }
  }
}

/** Ends the backend of a lost connection. When it resolves, its transaction has been committed or rolled back. */
export async function endBackend(client: pg.Client, { pid, startedAt }: Backend): Promise<void> {
  const find = async (sql: string) => (await client.query(sql, [pid, startedAt])).rows;
  if ((await find(terminateSql)).length === 0) return;
  for (const until = systemClock.monotonic() + TERMINATION_MS; systemClock.monotonic() < until; await sleep(50)) {
    if ((await find(stateSql)).length === 0) return;
  }
}

const isBackend = "pid = $1 and extract(epoch from backend_start)::text = $2";

/** Without `track_activities` the state is unknown, and the backend counts as executing. */
const stateSql = `
  select case when state = 'active' then coalesce(wait_event in ('ClientRead', 'ClientWrite'), false)
    else coalesce(state like 'idle%', false) end as "isWaiting"
  from pg_stat_activity where ${isBackend}`;
const terminateSql = `select pg_terminate_backend(pid) from pg_stat_activity where ${isBackend}`;
