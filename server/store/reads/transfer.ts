import { sql, type Kysely } from "kysely";
import { decompress } from "../compress.ts";
import { keys, type RowOf, type Table, type Tables } from "../schema.ts";

export type ScopedTable = {
  [T in Table]: Tables[T] extends { thread: string } | { project: string } ? T : never;
}[Table];

const globalTables = ["runs", "artifacts", "receipts", "epochs", "summaries", "summary_changes", "pins"] as const;
/** Tables whose ids are unique in the whole database. */
export type GlobalTable = (typeof globalTables)[number];

/** Reads for exports and imports. */
export const readTransfer = (db: Kysely<Tables>) => ({
  /** Rows of a thread or project in the order of their keys, after the given key. */
  rowsOf: async <T extends ScopedTable>(
    table: T,
    scope: { readonly by: "thread" | "project"; readonly id: string },
    after: RowOf<T> | null,
    limit: number,
  ): Promise<readonly RowOf<T>[]> => {
    const columns = keys[table].filter((column) => column !== scope.by && column !== "owner");
    const order = sql.join(columns.map((column) => sql.ref(column)));
    const values = after as Readonly<Record<string, unknown>> | null;
    const rest =
      values === null ? sql`` : sql`and (${order}) > (${sql.join(columns.map((column) => sql`${values[column]}`))})`;
    const { rows } = await sql<RowOf<T>>`
      select * from ${sql.table(table)} where ${sql.ref(scope.by)} = ${scope.id} ${rest} order by ${order} limit ${limit}
    `.execute(db);
    return table === "receipts"
      ? (rows.map((row) => decompress(row as RowOf<"receipts">)) as unknown as typeof rows)
      : rows;
  },

  picturesOf: (owner: string, hash: string): Promise<readonly RowOf<"attachment_pictures">[]> =>
    db
      .selectFrom("attachment_pictures")
      .selectAll()
      .where("owner", "=", owner)
      .where("hash", "=", hash)
      .orderBy("page")
      .execute(),

  /** The ids that rows of other threads already have. */
  takenIds: async (table: GlobalTable, ids: readonly string[], thread: string): Promise<readonly string[]> => {
    if (ids.length === 0) return [];
    const rows = await db.selectFrom(table).select("id").where("id", "in", ids).where("thread", "<>", thread).execute();
    return rows.map(({ id }) => id);
  },

  /** How many of the ids are messages of the thread. */
  knownMessages: async (thread: string, ids: readonly string[]): Promise<number> => {
    if (ids.length === 0) return 0;
    const row = await db
      .selectFrom("messages")
      .select(({ fn }) => fn.countAll<number>().as("n"))
      .where("thread", "=", thread)
      .where("id", "in", ids)
      .executeTakeFirst();
    return Number(row?.n ?? 0);
  },

  imports: (owner: string, limit: number): Promise<readonly RowOf<"imports">[]> =>
    db
      .selectFrom("imports")
      .selectAll()
      .where("owner", "=", owner)
      .orderBy("created_at", "desc")
      .orderBy("id", "desc")
      .limit(limit)
      .execute(),

  importRow: (owner: string, id: string): Promise<RowOf<"imports"> | undefined> =>
    db.selectFrom("imports").selectAll().where("owner", "=", owner).where("id", "=", id).executeTakeFirst(),

  importPiece: async (owner: string, id: string, n: number): Promise<string | undefined> => {
    const row = await db
      .selectFrom("import_pieces")
      .select("body")
      .where("owner", "=", owner)
      .where("import_id", "=", id)
      .where("n", "=", n)
      .executeTakeFirst();
    return row?.body;
  },

  importLines: (owner: string, id: string, after: number, limit: number): Promise<readonly RowOf<"import_lines">[]> =>
    db
      .selectFrom("import_lines")
      .selectAll()
      .where("owner", "=", owner)
      .where("import_id", "=", id)
      .where("n", ">", after)
      .orderBy("n")
      .limit(limit)
      .execute(),
});
