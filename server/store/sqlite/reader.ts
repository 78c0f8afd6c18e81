import { Kysely, SqliteAdapter, SqliteDialect } from "kysely";
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
  const single = new Kysely<Tables>({ dialect: new UnlockedDialect({ database: keepStatements(first) }) });
  const within = new Kysely<Tables>({ dialect: new UnlockedDialect({ database: keepStatements(second) }) });
  let last: Promise<unknown> = Promise.resolve();
  return {
    single,
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
      await Promise.all([single.destroy(), within.destroy()]);
      // A Kysely that was never asked has not opened its driver, and closes nothing.
      first.close();
      second.close();
    },
  };
}

/** Kysely locks the one connection for each query; without a transaction nothing can come between. */
class UnlockedDialect extends SqliteDialect {
  override createAdapter(): SqliteAdapter {
    return new UnlockedAdapter();
  }
}

class UnlockedAdapter extends SqliteAdapter {
  override get supportsMultipleConnections(): boolean {
    return true;
  }
}

/** Preparing a statement costs more than running it. */
function keepStatements(db: Connection): Pick<Connection, "prepare" | "close"> {
  const kept = new Map<string, ReturnType<Connection["prepare"]>>();
  const prepare = (sql: string): ReturnType<Connection["prepare"]> => {
    const known = kept.get(sql);
    if (known) return known;
    if (kept.size >= MOST_STATEMENTS) kept.clear();
    const statement = db.prepare(sql);
    kept.set(sql, statement);
    return statement;
  };
  return { prepare: prepare as Connection["prepare"], close: () => db.close() };
}
