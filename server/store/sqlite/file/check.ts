import os from "node:os";
import Database from "better-sqlite3";

/**
 * Runs as a separate process: checks each table of the file in the first argument and prints one JSON line per table. It only
 * reads, has the lowest priority, and can be killed at any time.
 */
export type CheckLine = {
  readonly table: string;
  readonly done: number;
  readonly tables: number;
  /** The first fault, if any. */
  readonly found?: string;
};

const [, , file = ""] = process.argv;
os.setPriority(os.constants.priority.PRIORITY_LOW);
const db = new Database(file, { readonly: true, fileMustExist: true });
const names = db
  .prepare<[], string>("select name from sqlite_schema where type = 'table' and rootpage > 0 order by name")
  .pluck()
  .all();
for (const [index, table] of names.entries()) {
  const found = checkTable(table);
  const line: CheckLine = { table, done: index + 1, tables: names.length, ...(found === "ok" ? {} : { found }) };
  process.stdout.write(`${JSON.stringify(line)}\n`);
}

function checkTable(table: string): string {
  try {
    return String(db.pragma(`quick_check("${table.replaceAll('"', '""')}")`, { simple: true })).replace(/^.*\n/, "");
  } catch (error) {
    return (error as Error).message;
  }
}
