import Database from "better-sqlite3";
import { migrations } from "../migrations/migrations.ts";
import { keys, type Table } from "../schema.ts";

/** A table as it is copied: without columns that only one database has, such as row ids and search vectors. */
export type TableLayout = {
  readonly name: Table;
  readonly columns: readonly string[];
  /** Unique together, and in the same order in both databases. */
  readonly order: readonly string[];
};

/** The newest hits of SQLite's search index have the highest row ids, so they must be inserted by time. */
const orders: Partial<Record<Table, readonly string[]>> = { search_docs: ["at", "thread", "message"] };

/** All tables of a schema version, each after the tables that it references. */
export function listTables(version: number): readonly TableLayout[] {
  if (version > migrations.length) {
    throw new Error(
      `The data has schema version ${version}, made by a newer Stonechat; this one knows ${migrations.length}. Use the newer version.`,
    );
  }
  const db = new Database(":memory:");
  try {
    db.exec("create table meta (key text primary key, value text not null)");
    for (const sql of migrations.slice(0, version).flatMap(({ sqlite }) => sqlite)) db.exec(sql);
    const find = db.prepare("select 1 from sqlite_schema where type = 'table' and name = ?");
    const columnsOf = db.prepare<[string], { name: string; pk: number }>("select name, pk from pragma_table_info(?)");
    const parentsOf = db.prepare<[string], string>('select "table" from pragma_foreign_key_list(?)').pluck();
    const names = Object.keys(keys).filter((name) => find.get(name)) as TableLayout["name"][];
    const sorted: TableLayout["name"][] = [];
    const visit = (name: TableLayout["name"]): void => {
      if (sorted.includes(name)) return;
      for (const parent of parentsOf.all(name)) if (parent !== name) visit(parent as TableLayout["name"]);
      sorted.push(name);
    };
    names.forEach(visit);
    return sorted.map((name) => {
      const key: readonly string[] = keys[name];
      const columns = columnsOf.all(name).filter((column) => column.pk === 0 || key.includes(column.name));
      return { name, columns: columns.map((column) => column.name), order: orders[name] ?? key };
    });
  } finally {
    db.close();
  }
}
