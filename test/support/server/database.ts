import Database from "better-sqlite3";
import { join } from "node:path";
import pg from "pg";

/**
 * Reads a server's database from outside, for data that no route returns. It changes nothing, not even SQLite's WAL.
 */
export type Place = { readonly dataDir: string; readonly databaseUrl?: string };
export type Value = string | number | null;

export async function query<Row>(place: Place, sql: string, values: readonly Value[] = []): Promise<readonly Row[]> {
  return place.databaseUrl === undefined
    ? querySqlite(place.dataDir, sql, values)
    : queryPostgres(place.databaseUrl, sql, values);
}

export function querySqlite<Row>(dataDir: string, sql: string, values: readonly Value[] = []): readonly Row[] {
  const db = new Database(join(dataDir, "stonechat.db"), { readonly: true });
  try {
    return db.prepare<unknown[], Row>(sql).all(...values);
  } finally {
    db.close();
  }
}

export async function queryPostgres<Row>(
  url: string,
  sql: string,
  values: readonly Value[] = [],
): Promise<readonly Row[]> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    let mark = 0;
    const { rows } = await client.query(
      sql.replaceAll("?", () => `$${(mark += 1)}`),
      [...values],
    );
    return rows as Row[];
  } finally {
    await client.end();
  }
}
