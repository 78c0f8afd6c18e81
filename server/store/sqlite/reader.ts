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

export function openReaders(file: string, synchronous: "FULL" | "NORMAL"): Readers {
  const first = openConnection({ file, readonly: true, synchronous });
  const second = openConnection({ file, readonly: true, synchronous });
  const glance = createGlance(first);
  const single = toKysely(first, glance.begin);
  const within = toKysely(second, () => {});
  let last: Promise<unknown> = Promise.resolve();
  return {
    single,
    refresh: glance.end,
    together: (whenQuiet, capture, read) => {
      const hold = async () => {
        const captured = await new Promise<ReturnType<typeof capture>>((resolve) =>
          whenQuiet(() => {
            second.exec("begin; select 1 from meta");
            resolve(capture());
          }),
        );
        try {
          return await read(within, captured);
        } finally {
          second.exec("commit");
        }
      };
      const held = last.then(hold);
      last = held.catch(() => {});
      return held;
    },
    close: async () => {
      await last;
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
function createGlance(db: Connection): { readonly begin: () => void; readonly end: () => void } {
  const [begin, commit] = [db.prepare("begin"), db.prepare("commit")];
  let isOpen = false;
  const end = (): void => {
    if (isOpen) commit.run();
    isOpen = false;
  };
  return {
    begin: () => {
      if (isOpen) return;
      begin.run();
      isOpen = true;
      setImmediate(end);
    },
    end,
  };
}

/** The query builder without its driver, which takes a connection and several turns of the queue for each query. */
const toKysely = (db: Connection, beforeRead: () => void): Kysely<Tables> => {
  const dialect = new SqliteDialect({ database: db });
  const executor = new DirectExecutor(db, beforeRead);
  return new Kysely<Tables>({ config: { dialect }, dialect, driver: new DummyDriver(), executor });
};

class DirectExecutor extends DefaultQueryExecutor {
  readonly #prepare: (sql: string) => ReturnType<Connection["prepare"]>;
  readonly #beforeRead: () => void;

  constructor(db: Connection, beforeRead: () => void) {
    const provideConnection = () => Promise.reject(new Error("this connection is only read from"));
    super(new SqliteQueryCompiler(), new SqliteAdapter(), { provideConnection });
    this.#prepare = keepStatements(db);
    this.#beforeRead = beforeRead;
  }

  override async executeQuery<R>({ sql, parameters }: CompiledQuery<unknown>): Promise<QueryResult<R>> {
    this.#beforeRead();
    return { rows: this.#prepare(sql).all(parameters) as R[] };
  }
}

/** Preparing a statement costs more than running it. */
function keepStatements(db: Connection): (sql: string) => ReturnType<Connection["prepare"]> {
  const kept = new Map<string, ReturnType<Connection["prepare"]>>();
  return (sql) => {
    const known = kept.get(sql);
    if (known) return known;
    if (kept.size >= MOST_STATEMENTS) kept.clear();
    const statement = db.prepare(sql);
    kept.set(sql, statement);
    return statement;
  };
}
