import type { Write } from "../../store/contract.ts";
import type { GlobalTable, Store } from "../../store/contract.ts";
import type { RowOf, Table } from "../../store/schema.ts";
import { runWaiting } from "../../store/contract.ts";
import type { FilesRow } from "../items.ts";
import type { PlainRow, TableRow } from "../tables.ts";
import type { StoredFiles } from "./files.ts";

type Rows = {
  readonly rows: readonly TableRow[];
  readonly thread: RowOf<"threads">;
  /** The user, or the owner of what is not complete. */
  readonly docsOwner: string;
  readonly stored: StoredFiles;
};

const globalTables: readonly string[] = [
  "runs",
  "artifacts",
  "receipts",
  "epochs",
  "summaries",
  "summary_changes",
  "pins",
] satisfies GlobalTable[];

/** Rows of a thread as writes. A row whose id another thread has is left out and named. */
export async function planRows(
  { store: { read } }: { readonly store: Pick<Store, "read"> },
  { rows, thread, docsOwner, stored }: Rows,
): Promise<{ readonly writes: readonly Write[]; readonly notes: readonly string[] }> {
  const taken = new Set<string>();
  for (const [table, some] of Map.groupBy(rows, (one) => one.table)) {
    const ids = some.map(({ row }) => String(row["id"]));
    if (globalTables.includes(table))
      for (const id of await read.takenIds(table as GlobalTable, ids, thread.id)) taken.add(`${table} ${id}`);
    if (table === "attachments")
      for (const one of await read.attachments(thread.owner, ids))
        if (one.thread !== thread.id) taken.add(`${table} ${one.id}`);
  }
  const writes: Write[] = [];
  for (const { table, row } of rows) {
    if (taken.has(`${table} ${String(row["id"])}`)) continue;
    const isOfFile = table === "attachments" || table === "attachment_pictures";
    if (isOfFile && stored.isMissing(String(row["hash"]))) continue;
    if (table === "import_files") writes.push(...(await stored.toParts(row as FilesRow)));
    else writes.push(toWrite(table, row, thread, docsOwner));
  }
  const notes = taken.size === 0 ? [] : [`${taken.size} rows have ids that are in use here, and were left out.`];
  return { writes, notes };
}

function toWrite(table: string, row: PlainRow, thread: RowOf<"threads">, docsOwner: string): Write {
  const insert = (columns: object): Write =>
    ({ do: "insert", table: table as Table, row: columns, ifAbsent: true }) as unknown as Write;
  const { owner, id } = thread;
  switch (table) {
    case "texts":
      return insert(row);
    case "search_docs":
      return { do: "put", table, row: { thread: id, owner: docsOwner, ...row } as unknown as RowOf<"search_docs"> };
    case "attachments":
      return insert({ ...row, owner, thread: id, sent: 1, slot: null });
    case "attachment_pictures":
      return insert({ ...row, owner });
    case "runs":
      return insert({ ...row, thread: id, ended: 1, stop: 0, waiting: runWaiting.no, handed_over: 0 });
    default:
      return insert({ ...row, thread: id });
  }
}
