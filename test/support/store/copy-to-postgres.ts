import Database from "better-sqlite3";
import pg from "pg";
import { migrations } from "../../../server/store/migrations/migrations.ts";
import { applySteps, migrate } from "../../../server/store/postgres/migrate.ts";

/** The rows of a SQLite file with this schema version in an empty PostgreSQL database, which is then migrated to `newest`. */
export async function copyToPostgres(url: string, file: string, version: number, newest = version): Promise<void> {
  const from = new Database(file, { readonly: true });
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    await migrate(client, migrations.slice(0, version));
    await client.query("set session_replication_role = replica");
    const { rows: columns } = await client.query<{ table: string; column: string }>(
      `select table_name as table, column_name as column from information_schema.columns
         where table_schema = 'public' and table_name <> 'meta' and is_generated = 'NEVER'`,
    );
    for (const [table, all] of Map.groupBy(columns, ({ table: name }) => name)) {
      const known = new Set((from.pragma(`table_info(${table})`) as { name: string }[]).map(({ name }) => name));
      const names = all.map(({ column }) => column).filter((name) => known.has(name));
      if (names.length === 0) continue;
      const list = names.map((name) => `"${name}"`).join();
      const values = names.map((_, n) => `$${n + 1}`).join();
      for (const row of from.prepare(`select ${list} from ${table}`).raw().all() as unknown[][])
        await client.query(`insert into ${table} (${list}) values (${values})`, row);
    }
    await client.query("set session_replication_role = default");
    await applySteps(client, migrations.slice(0, newest));
  } finally {
    from.close();
    await client.end();
  }
}
