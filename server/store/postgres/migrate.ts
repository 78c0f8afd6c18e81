import { migrations, type Migration } from "../migrations/migrations.ts";
import { BACKUP_DAYS, type Report } from "../contract.ts";
import { refuseUnfinished, UNFINISHED } from "../copy/unfinished.ts";
import type { Client } from "./connection.ts";

/** Arbitrary, but the same on every node: if two start at once, one waits and finds the work done. */
export const LOCK = 7_867_236;

/**
 * Migrates the database to the newest schema. Makes a backup in a separate schema first, then runs each step and its version
 * in one transaction, so a crash leaves a complete schema of some version.
 */
export async function migrate(client: Client, steps: readonly Migration[] = migrations): Promise<void> {
  await client.query("select pg_advisory_lock($1)", [LOCK]);
  try {
    await client.query("create table if not exists meta (key text primary key, value text not null)");
    refuseUnfinished(await readMeta(client, UNFINISHED), "The PostgreSQL database");
    const version = await readVersion(client);
    if (version > steps.length) {
      throw new Error(toNewer(version, steps.length));
    }
    if (version === steps.length) return;
    const mark = String(steps.length);
    if (version > 0 && (await readMeta(client, MIGRATING)) !== mark) {
      await backUp(client, `stonechat_backup_v${version}`);
      await writeMeta(client, MIGRATING, mark);
    }
    await applySteps(client, steps);
    await client.query("delete from meta where key = $1", [MIGRATING]);
  } finally {
    await client.query("select pg_advisory_unlock($1)", [LOCK]).catch(() => {});
  }
}

/** Key in `meta` while a migration is in progress. If it was interrupted, no second backup is made of its first steps. */
const MIGRATING = "migrating";

/** Without a backup: each step and its version in one transaction. */
export async function applySteps(client: Client, steps: readonly Migration[]): Promise<void> {
  const version = await readVersion(client);
  for (const [index, step] of steps.entries()) {
    if (index < version) continue;
    await inTransaction(client, async () => {
      for (const sql of step.postgres) await client.query(sql);
      await writeMeta(client, "version", String(index + 1));
    });
  }
}

export const writeMeta = (client: Client, key: string, value: string): Promise<unknown> =>
  client.query("insert into meta (key, value) values ($1, $2) on conflict (key) do update set value = excluded.value", [
    key,
    value,
  ]);

export async function readMeta(client: Client, key: string): Promise<string | undefined> {
  const { rows } = await client.query<{ value: string }>("select value from meta where key = $1", [key]);
  return rows[0]?.value;
}

export const toNewer = (version: number, known = migrations.length): string =>
  `The PostgreSQL database has schema version ${version}, made by a newer Stonechat; this one knows ${known}. ` +
  "Start the newer version on this node.";

/** Removes old backups, because they contain text that was deleted later. Their age is in the schema's comment. */
export async function removeOldBackups(client: Client, report: Report): Promise<void> {
  const { rows } = await client.query<{ name: string; days: number | null }>(
    `select nspname as name, (extract(epoch from now()) - obj_description(oid, 'pg_namespace')::float8) / 86400 as days
       from pg_namespace where nspname ~ '^stonechat_backup_v[0-9]+$'`,
  );
  for (const { name, days } of rows) {
    if (days === null) await client.query(`do ${stampSql(name)}`);
    if (days === null || days <= BACKUP_DAYS) continue;
    await client.query(`drop schema if exists ${name} cascade`);
    report("info", `Removed the backup schema ${name}, made before an upgrade.`);
  }
}

/** Stores the time in seconds as the schema's comment. */
const stampSql = (schema: string): string =>
  `$$ begin execute format('comment on schema ${schema} is %L', extract(epoch from now())::text); end $$`;

export const readVersion = async (client: Client): Promise<number> => Number((await readMeta(client, "version")) ?? 0);

/** All or nothing. A backup left by an earlier, failed attempt has the same version and is replaced. */
async function backUp(client: Client, copy: string): Promise<void> {
  await inTransaction(client, async () => {
    await client.query(`drop schema if exists ${copy} cascade`);
    await client.query(`create schema ${copy}`);
    const { rows } = await client.query<{ source: string; name: string }>(
      `select format('%I.%I', schemaname, tablename) as source, format('%I', tablename) as name
         from pg_tables where schemaname = current_schema()`,
    );
    for (const { source, name } of rows) await client.query(`create table ${copy}.${name} as table ${source}`);
    await client.query(`do ${stampSql(copy)}`);
  });
}

export async function inTransaction(client: Client, work: () => Promise<void>): Promise<void> {
  await client.query("begin");
  try {
    await work();
    await client.query("commit");
  } catch (error) {
    await client.query("rollback").catch(() => {});
    throw error;
  }
}
