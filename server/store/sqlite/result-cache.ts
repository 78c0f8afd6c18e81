import { keys } from "../schema.ts";

/**
 * Results of queries over rarely written tables: settings, memory, known models. A turn runs about ten of them, and they seldom
 * change. Exact, because one process owns the file and every write goes through it: from the moment a commit to one of a
 * query's tables is sent until its result has arrived, the query neither uses nor fills the cache.
 */
type ResultCache = {
  /** The results of this query by its values; undefined if it must be read. */
  readonly of: (sql: string) => Results | undefined;
  /** Call before a commit that writes these tables is sent, and the returned function when its outcome is known. */
  readonly writing: (tables: ReadonlySet<string>) => () => void;
};

export type Results = {
  readonly get: (values: string) => readonly unknown[] | undefined;
  readonly add: (values: string, rows: readonly unknown[]) => void;
};

/** No foreign key or trigger writes to these tables. Exported for its test. */
export const rarelyWritten: ReadonlySet<string> = new Set([
  "accounts",
  "epochs",
  "memory",
  "meta",
  "model_settings",
  "pins",
  "preferences",
  "profiles",
  "push_subscriptions",
  "texts",
]);
/** Depends on more than rows. */
const isVarying = /unixepoch|random|pragma|changes\s*\(/i;

const MAX_ROWS = 20_000;
/** Long results are few. */
const MAX_CHARACTERS = 8_000_000;
const MAX_RESULT_CHARACTERS = 100_000;

export function createResultCache(): ResultCache {
  const queries = new Map<string, Query | null>();
  const pending = new Map<string, number>();
  let rows = 0;
  let characters = 0;

  const clear = (): void => {
    for (const query of queries.values()) query?.results.clear();
    rows = characters = 0;
  };

  const open = (sql: string): Query | null => {
    const tables = listTables(sql);
    if (tables.length === 0 || isVarying.test(sql) || tables.some((table) => !rarelyWritten.has(table))) return null;
    const results = new Map<string, readonly unknown[]>();
    return {
      tables,
      results,
      get: (values) => results.get(values),
      add: (values, found) => {
        const size = JSON.stringify(found).length + values.length;
        if (size > MAX_RESULT_CHARACTERS) return;
        rows += found.length + 1;
        characters += size;
        if (rows > MAX_ROWS || characters > MAX_CHARACTERS) clear();
        results.set(values, found.map(Object.freeze));
      },
    };
  };

  return {
    of: (sql) => {
      let query = queries.get(sql);
      if (query === undefined) {
        if (queries.size >= MAX_QUERIES) queries.clear();
        queries.set(sql, (query = open(sql)));
      }
      return query === null || query.tables.some((table) => pending.has(table)) ? undefined : query;
    },
    writing: (tables) => {
      const written = [...tables].filter((table) => rarelyWritten.has(table));
      for (const table of written) {
        pending.set(table, (pending.get(table) ?? 0) + 1);
        for (const query of queries.values()) if (query?.tables.includes(table)) query.results.clear();
      }
      return () => {
        for (const table of written) {
          const left = (pending.get(table) ?? 1) - 1;
          if (left > 0) pending.set(table, left);
          else pending.delete(table);
        }
      };
    },
  };
}

/** Lists of different lengths are different queries. */
const MAX_QUERIES = 500;

type Query = Results & { readonly tables: readonly string[]; readonly results: Map<string, readonly unknown[]> };

const allTables = new Set(Object.keys(keys));

/** Every table whose name is a word of the query: possibly more than it reads, never fewer. */
const listTables = (sql: string): readonly string[] => [
  ...new Set((sql.match(/\w+/g) ?? []).filter((word) => allTables.has(word))),
];
