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
  const single = toKysely(glance.read);
  const within = toKysely(toRead(second));
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
function createGlance(db: Connection): { readonly read: Read; readonly end: () => void } {
  const [begin, commit] = [db.prepare("begin"), db.prepare("commit")];
  const read = toRead(db);
  /** The same question has the same answer here, and a turn asks some of them twice. */
  const seen = new Map<string, readonly unknown[]>();
  let isOpen = false;
  const end = (): void => {
    if (isOpen) commit.run();
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

/** The query builder without its driver, which takes a connection and several turns of the queue for each query. */
const toKysely = (read: Read): Kysely<Tables> => {
  const dialect = new SqliteDialect({ database: () => Promise.reject(new Error("it is read from directly")) });
  const executor = new DirectExecutor(read);
  return new Kysely<Tables>({ config: { dialect }, dialect, driver: new DummyDriver(), executor });
};

class DirectExecutor extends DefaultQueryExecutor {
  readonly #read: Read;

  constructor(read: Read) {
    const provideConnection = () => Promise.reject(new Error("this connection is only read from"));
    super(new SqliteQueryCompiler(), new SqliteAdapter(), { provideConnection });
    this.#read = read;
  }

  override async executeQuery<R>({ sql, parameters }: CompiledQuery<unknown>): Promise<QueryResult<R>> {
    return { rows: this.#read(sql, parameters) as R[] };
  }
}

type Read = (sql: string, parameters: readonly unknown[]) => readonly unknown[];

/** Preparing a statement costs more than running it. */
function toRead(db: Connection): Read {
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
