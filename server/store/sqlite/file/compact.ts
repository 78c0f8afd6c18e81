import { statSync } from "node:fs";
import type { Report } from "../../contract.ts";
import type { Connection } from "../connection.ts";

/** A file of an older version up to this size is rewritten at startup, which takes about a second. */
const AT_START_BYTES = 64_000_000;
const INCREMENTAL = 2;

/** A file created without `auto_vacuum` cannot shrink, and its free pages contain deleted text, until it is rewritten once. */
export function compactOnce(db: Connection, file: string, report: Report): void {
  if (db.pragma("auto_vacuum", { simple: true }) === INCREMENTAL) return;
  const { size } = statSync(file);
  if (size <= AT_START_BYTES) return compact(db);
  report(
    "warn",
    `${file} was created by an older version. Text deleted with that version may still be in the file, and the file does not shrink. ` +
      "Stop the server and run `stonechat compact` once.",
  );
}

/** Deleted words are removed from the search indexes at once, not at a later merge. The setting is stored in the file. */
export function secureSearch(db: Connection): void {
  for (const name of listIndexes(db)) {
    const isSet = db.prepare(`select 1 from ${name}_config where k = 'secure-delete' and v = 1`).get();
    if (!isSet) db.exec(`insert into ${name} (${name}, rank) values ('secure-delete', 1)`);
  }
}

/** Rewrites the whole file without free pages and deleted search terms. */
export function compact(db: Connection): void {
  for (const name of listIndexes(db)) db.exec(`insert into ${name} (${name}) values ('optimize')`);
  db.pragma("auto_vacuum = incremental");
  db.exec("vacuum");
  db.pragma("wal_checkpoint(truncate)");
}

const listIndexes = (db: Connection): readonly string[] =>
  db
    .prepare<[], string>(
      "select name from sqlite_schema where type = 'table' and sql like 'create virtual table%fts5%'",
    )
    .pluck()
    .all();
