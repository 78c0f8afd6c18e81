import { sql, type Kysely, type RawBuilder } from "kysely";
import type { RowOf, Tables } from "../schema.ts";
import type { Dialect } from "./reads.ts";

export type StoredKind = "messages" | "files" | "artifacts" | "receipts" | "search" | "events";
export type ThreadSize = Pick<RowOf<"threads">, "id" | "owner" | "title" | "updated_at"> & { readonly bytes: number };
type Amount = { readonly count: number; readonly bytes: number };

/** Columns with content, by kind. Rows of other tables are few or small. */
const contents: Readonly<Record<StoredKind, readonly string[]>> = {
  messages: ["select thread, octet_length(body) as bytes from parts"],
  files: [
    "select a.thread, octet_length(p.body) as bytes from attachment_pieces as p inner join attachments as a on a.owner = p.owner and a.hash = p.hash",
    "select a.thread, octet_length(p.body) as bytes from attachment_pictures as p inner join attachments as a on a.owner = p.owner and a.hash = p.hash",
    "select thread, octet_length(text) as bytes from attachments",
  ],
  artifacts: ["select thread, octet_length(body) + octet_length(meta) as bytes from artifacts"],
  receipts: ["select thread, octet_length(body) as bytes from receipts"],
  search: [
    "select thread, octet_length(text) + octet_length(terms) as bytes from search_docs",
    "select thread, octet_length(body) + octet_length(sessions) as bytes from recall_docs",
    "select thread, octet_length(body) + octet_length(term) as bytes from recall_postings",
  ],
  events: ["select substr(stream, 8) as thread, octet_length(body) as bytes from events where stream like 'thread:%'"],
};

const rowsOf = (kinds: readonly StoredKind[]): RawBuilder<unknown> =>
  sql.raw(kinds.flatMap((kind) => contents[kind]).join(" union all "));
const all = rowsOf(Object.keys(contents) as StoredKind[]);

/** Sizes of stored content, for the operator. Each read costs a scan of the database. */
export const readSizes = (db: Kysely<Tables>, dialect: Dialect) => ({
  storedBytes: async (): Promise<Readonly<Record<StoredKind, number>> & { readonly free: number }> => {
    const sums: [StoredKind, number][] = [];
    // One at a time, so that one connection is in use.
    for (const kind of Object.keys(contents) as StoredKind[]) {
      const { rows: found } = await sql<{ bytes: number | null }>`
        select sum(bytes) as bytes from (${rowsOf([kind])}) as stored`.execute(db);
      sums.push([kind, Number(found[0]?.bytes ?? 0)]);
    }
    const { rows } = await sql<{ bytes: number }>`select ${sql.raw(dialect.freeBytes)} as bytes`.execute(db);
    return { ...(Object.fromEntries(sums) as Record<StoredKind, number>), free: Number(rows[0]?.bytes ?? 0) };
  },

  /** The largest threads, with everything that is deleted with them. */
  largestThreads: async (limit: number): Promise<readonly ThreadSize[]> => {
    const { rows } = await sql<ThreadSize>`
      select t.id, t.owner, t.title, t.updated_at, sum(s.bytes) as bytes from (${all}) as s
      inner join threads as t on t.id = s.thread group by t.id, t.owner, t.title, t.updated_at
      order by sum(s.bytes) desc, t.id limit ${limit}`.execute(db);
    return rows.map((row) => ({ ...row, updated_at: Number(row.updated_at), bytes: Number(row.bytes) }));
  },

  /** By owner, with the address of the account, if there is one. */
  storedByOwner: async (): Promise<readonly (Amount & { readonly owner: string; readonly email: string | null })[]> => {
    const { rows } = await sql<{ owner: string; email: string | null; count: number; bytes: number }>`
      select t.owner, a.email, count(distinct t.id) as count, sum(s.bytes) as bytes from (${all}) as s
      inner join threads as t on t.id = s.thread left join accounts as a on a.id = t.owner
      group by t.owner, a.email order by sum(s.bytes) desc, t.owner`.execute(db);
    return rows.map((row) => ({ ...row, count: Number(row.count), bytes: Number(row.bytes) }));
  },

  /** The amounts that retention rules for threads and receipts would delete, if they applied before this time. */
  deletableBefore: async (before: number): Promise<{ readonly threads: Amount; readonly receipts: Amount }> => {
    const threads = await sql<Amount>`
      select count(distinct t.id) as count, coalesce(sum(s.bytes), 0) as bytes from (${all}) as s
      inner join threads as t on t.id = s.thread where ${isStale(before)}`.execute(db);
    const receipts = await sql<Amount>`
      select count(*) as count, coalesce(sum(octet_length(body)), 0) as bytes from receipts where created_at < ${before}`.execute(
      db,
    );
    const toAmount = (row: Amount | undefined): Amount => ({
      count: Number(row?.count ?? 0),
      bytes: Number(row?.bytes ?? 0),
    });
    return { threads: toAmount(threads.rows[0]), receipts: toAmount(receipts.rows[0]) };
  },
});

/** Threads and receipts that retention rules apply to. */
export const readRetention = (db: Kysely<Tables>) => ({
  /** Threads that a rule applies to, by id. Imported threads count from their import. */
  staleThreads: async (query: {
    readonly before: number;
    readonly isArchived?: false;
    readonly after: string;
    readonly limit: number;
  }): Promise<readonly Pick<RowOf<"threads">, "id" | "owner">[]> => {
    const open = query.isArchived === false ? sql`and t.archived = 0` : sql``;
    const { rows } = await sql<Pick<RowOf<"threads">, "id" | "owner">>`
      select t.id, t.owner from threads as t where ${isStale(query.before)} ${open} and t.id > ${query.after}
      order by t.id limit ${query.limit}`.execute(db);
    return rows;
  },

  receiptsBefore: async (before: number, limit: number): Promise<readonly string[]> => {
    const rows = await db.selectFrom("receipts").select("id").where("created_at", "<", before).limit(limit).execute();
    return rows.map(({ id }) => id);
  },
});

/** Pinned, temporary and running threads, and those of accounts that are being deleted or imported, are never stale. */
const isStale = (before: number): RawBuilder<unknown> => sql`t.pinned = 0 and t.temporary = 0
  and t.status not in ('streaming', 'waiting') and t.updated_at < ${before} and t.owner not like '%:%'
  and not exists (select 1 from import_lines as l inner join imports as i on i.owner = l.owner and i.id = l.import_id
    where l.owner = t.owner and l.kind = 'thread' and l.target = t.id and i.created_at >= ${before})`;
