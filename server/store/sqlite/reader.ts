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
import { openConnection, type Connection } from "./connection.ts";

/** More shapes of statements than this are not kept: each list of ids has one of its own. */
const MOST_STATEMENTS = 500;

/**
 * Two connections that only read. A read by itself is done the moment it is asked for and waits for none; reads of one
 * moment hold a transaction open across awaits, so they take turns on a connection of their own.
 */
export type Readers = {
  readonly single: Kysely<Tables>;
  /** For a search: what takes time holds up nobody in the thread where this is read. */
  readonly apart: Kysely<Tables>;
  /** Something was committed: from here on reads see it. */
  readonly refresh: () => void;
  /** `capture` is called in the moment that the reads tell of. */
  readonly together: <T, C>(
    whenQuiet: (run: () => void) => void,
    capture: () => C,
    read: (db: Kysely<Tables>, captured: C) => Promise<T>,
  ) => Promise<T>;
  readonly close: () => Promise<void>;
};

type Options = {
  readonly file: string;
  readonly synchronous: "FULL" | "NORMAL";
  /** What a failed read rejects with. */
  readonly toFailure: (error: unknown) => Error;
};

export function openReaders({ file, synchronous, toFailure }: Options): Readers {
  const first = openConnection({ file, readonly: true, synchronous });
  const second = openConnection({ file, readonly: true, synchronous });
  const glance = createGlance(first);
  const single = toKysely(glance.read, toFailure);
  const within = toKysely(toRead(second), toFailure);
  const thread = createWorkerThread<Statement, readonly unknown[]>(
    new URL("./file/search-thread.ts", import.meta.url),
    file,
  );
  let last: Promise<unknown> = Promise.resolve();
  return {
    single,
    apart: toKysely((statement, parameters) => thread.request({ sql: statement, parameters }), toFailure),
    refresh: glance.end,
    together: (whenQuiet, capture, read) => {
      const hold = async () => {
        // The callback runs among the commits: a failure belongs to this read alone.
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
    close: async () => {
      await last;
      await thread.close();
      glance.end();
      first.close();
      second.close();
    },
  };
}

/**
 * What is read before the process turns to something else is read in one transaction: its beginning costs more than most
 * reads. It never outlives the answer to a commit, so whatever is known to be committed is seen.
 */
function createGlance(db: Connection): { readonly read: Read; readonly end: () => void } {
  const begin = db.prepare("begin");
  const read = toRead(db);
  /** The same question has the same answer here, and a turn asks some of them twice. */
  const seen = new Map<string, readonly unknown[]>();
  let isOpen = false;
  const end = (): void => {
    if (isOpen) endTransaction(db);
    isOpen = false;
    seen.clear();
  };
  return {
    read: (sql, parameters) => {
      if (!isOpen) {
        begin.run();
        isOpen = true;
        setImmediate(end);
      }
      const question = `${JSON.stringify(parameters)} ${sql}`;
      let rows = seen.get(question);
      if (!rows) seen.set(question, (rows = read(sql, parameters)));
      return [...rows];
    },
    end,
  };
}

/** SQLite ends a transaction itself when a read of it fails badly enough. Nothing was written, so nothing can be lost. */
function endTransaction(db: Connection): void {
  if (!db.inTransaction) return;
  try {
    db.exec("commit");
  } catch {
    if (db.inTransaction) db.exec("rollback");
  }
}

/** The query builder without its driver, which takes a connection and several turns of the queue for each query. */
const toKysely = (read: Read | ReadApart, toFailure: Options["toFailure"]): Kysely<Tables> => {
  const dialect = new SqliteDialect({ database: () => Promise.reject(new Error("it is read from directly")) });
  const executor = new DirectExecutor(read, toFailure);
  return new Kysely<Tables>({ config: { dialect }, dialect, driver: new DummyDriver(), executor });
};

class DirectExecutor extends DefaultQueryExecutor {
  readonly #read: Read | ReadApart;
  readonly #toFailure: Options["toFailure"];

  constructor(read: Read | ReadApart, toFailure: Options["toFailure"]) {
    const provideConnection = () => Promise.reject(new Error("this connection is only read from"));
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

export type Statement = { readonly sql: string; readonly parameters: readonly unknown[] };
type Read = (sql: string, parameters: readonly unknown[]) => readonly unknown[];
type ReadApart = (sql: string, parameters: readonly unknown[]) => Promise<readonly unknown[]>;

/** Preparing a statement costs more than running it. */
export function toRead(db: Connection): Read {
  const kept = new Map<string, ReturnType<Connection["prepare"]>>();
  return (sql, parameters) => {
    let statement = kept.get(sql);
    if (!statement) {
      if (kept.size >= MOST_STATEMENTS) kept.clear();
      kept.set(sql, (statement = db.prepare(sql)));
    }
    return statement.all(parameters);
  };
}
