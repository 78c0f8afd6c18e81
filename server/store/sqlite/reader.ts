import {
  DefaultQueryExecutor,
  DummyDriver,
  Kysely,
  SqliteAdapter,
  SqliteDialect,
  SqliteQueryCompiler,
  type CompiledQuery,
  type QueryResult,
} from "kysely";
import { createWorkerThread } from "../../lib/worker-thread.ts";
import type { Tables } from "../schema.ts";
import { openConnection, toRead, type Connection, type Read, type Statement } from "./connection.ts";
import { createResultCache } from "./result-cache.ts";

/**
 * Two read-only connections. Single reads run synchronously on the first. Reads that need one snapshot keep a transaction open
 * across awaits, so they run one after another on the second.
 */
type Readers = {
  readonly single: Kysely<Tables>;
  /** Runs searches in a worker thread, because they can be slow. */
  readonly apart: Kysely<Tables>;
  /** Runs scans of the database in another worker thread, so that searches do not wait for them. */
  readonly scans: Kysely<Tables>;
  /** Called after a commit, so that later reads see it. */
  readonly refresh: () => void;
  /** Called before a commit that writes these tables is sent. The returned function is called when its outcome is known. */
  readonly writing: (tables: ReadonlySet<string>) => () => void;
  /** `capture` is called at the moment of the snapshot. */
  readonly together: <T, C>(
    whenQuiet: (run: () => void) => void,
    capture: () => C,
    read: (db: Kysely<Tables>, captured: C) => Promise<T>,
  ) => Promise<T>;
  /** Closes every connection. The next read opens them again. */
  readonly reopen: () => Promise<void>;
  readonly close: () => Promise<void>;
};

type Options = {
  readonly file: string;
  readonly synchronous: "FULL" | "NORMAL";
  /** Converts the error of a failed read. */
  readonly toFailure: (error: unknown) => Error;
};

export function openReaders({ file, synchronous, toFailure }: Options): Readers {
  const open = () => {
    const first = openConnection({ file, readonly: true, synchronous });
    const second = openConnection({ file, readonly: true, synchronous });
    return { first, second, turnReader: createTurnReader(first), readSecond: toRead(second) };
  };
  let connections: ReturnType<typeof open> | undefined = open();
  const current = () => {
    try {
      return (connections ??= open());
    } catch (error) {
      throw toFailure(error);
    }
  };
  const closeAll = async (): Promise<void> => {
    await Promise.all([searchThread.close(), scanThread.close()]);
    connections?.turnReader.end();
    connections?.first.close();
    connections?.second.close();
    connections = undefined;
  };
  const single = toKysely((statement, parameters) => current().turnReader.read(statement, parameters), toFailure);
  const within = toKysely((statement, parameters) => current().readSecond(statement, parameters), toFailure);
  const createThread = () =>
    createWorkerThread<Statement, readonly unknown[]>(new URL("./file/read-thread.ts", import.meta.url), file);
  const [searchThread, scanThread] = [createThread(), createThread()];
  const inThread = (thread: ReturnType<typeof createThread>): Kysely<Tables> =>
    toKysely((statement, parameters) => thread.request({ sql: statement, parameters }), toFailure);
  let last: Promise<unknown> = Promise.resolve();
  return {
    single,
    apart: inThread(searchThread),
    scans: inThread(scanThread),
    refresh: () => connections?.turnReader.end(),
    writing: (tables) => current().turnReader.writing(tables),
    together: (whenQuiet, capture, read) => {
      const hold = async () => {
        const { second } = current();
        // The callback runs inside the commit code, so an error must reject this read only.
        const captured = await new Promise<ReturnType<typeof capture>>((resolve, reject) =>
          whenQuiet(() => {
            try {
              second.exec("begin; select 1 from meta");
              resolve(capture());
            } catch (error) {
              endTransaction(second);
              reject(toFailure(error));
            }
          }),
        );
        try {
          return await read(within, captured);
        } finally {
          endTransaction(second);
        }
      };
      const held = last.then(hold);
      last = held.catch(() => {});
      return held;
    },
    reopen: () => {
      const closed = last.then(closeAll);
      last = closed.catch(() => {});
      return closed;
    },
    close: async () => {
      await last;
      await closeAll();
    },
  };
}

/**
 * All single reads in one turn of the event loop share a transaction, because starting one costs more than most reads. It ends
 * when a commit's result arrives, so every acknowledged commit is visible.
 */
function createTurnReader(db: Connection) {
  const begin = db.prepare("begin");
  const read = toRead(db);
  const cache = createResultCache();
  /**
   * Results within the transaction, because some queries are repeated in a turn: by statement, then by parameters. Compiled
   * statements are the same strings each time, so they are not hashed again, as a key made of both would be.
   */
  const results = new Map<string, Map<string, readonly unknown[]>>();
  let isOpen = false;
  const end = (): void => {
    if (isOpen) endTransaction(db);
    isOpen = false;
    results.clear();
  };
  const readOnce = (sql: string, parameters: readonly unknown[], values: string): readonly unknown[] => {
    if (!isOpen) {
      begin.run();
      isOpen = true;
      setImmediate(end);
    }
    let known = results.get(sql);
    if (!known) results.set(sql, (known = new Map()));
    let rows = known.get(values);
    if (!rows) known.set(values, (rows = read(sql, parameters)));
    return [...rows];
  };
  const readAny: Read = (sql, parameters) => {
    const values = JSON.stringify(parameters);
    const cached = cache.of(sql);
    if (!cached) return readOnce(sql, parameters, values);
    const known = cached.get(values);
    if (known) return [...known];
    const rows = readOnce(sql, parameters, values);
    cached.add(values, rows);
    return rows;
  };
  return {
    read: readAny,
    end,
    writing: (tables: ReadonlySet<string>): (() => void) => {
      const finish = cache.writing(tables);
      return () => {
        // The transaction may be older than the commit, and its results would then stay in the cache.
        end();
        finish();
      };
    },
  };
}

/** SQLite may already have ended the transaction after a failed read. Nothing was written, so nothing can be lost. */
function endTransaction(db: Connection): void {
  if (!db.inTransaction) return;
  try {
    db.exec("commit");
  } catch {
    if (db.inTransaction) db.exec("rollback");
  }
}

/** Bypasses Kysely's driver, which acquires a connection and awaits several times per query. */
const toKysely = (read: Read | AsyncRead, toFailure: Options["toFailure"]): Kysely<Tables> => {
  const dialect = new SqliteDialect({
    database: () => Promise.reject(new Error("Queries run directly, without this driver.")),
  });
  const executor = new DirectExecutor(read, toFailure);
  return new Kysely<Tables>({ config: { dialect }, dialect, driver: new DummyDriver(), executor });
};

class DirectExecutor extends DefaultQueryExecutor {
  readonly #read: Read | AsyncRead;
  readonly #toFailure: Options["toFailure"];

  constructor(read: Read | AsyncRead, toFailure: Options["toFailure"]) {
    const provideConnection = () => Promise.reject(new Error("This connection is read-only."));
    super(new SqliteQueryCompiler(), new SqliteAdapter(), { provideConnection });
    this.#read = read;
    this.#toFailure = toFailure;
  }

  override async executeQuery<R>({ sql, parameters }: CompiledQuery<unknown>): Promise<QueryResult<R>> {
    try {
      const rows = this.#read(sql, parameters);
      return { rows: (rows instanceof Promise ? await rows : rows) as R[] };
    } catch (error) {
      throw this.#toFailure(error);
    }
  }
}

type AsyncRead = (sql: string, parameters: readonly unknown[]) => Promise<readonly unknown[]>;
