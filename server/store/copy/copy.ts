import { join } from "node:path";
import { migrations } from "../migrations/migrations.ts";
import { openSqliteSource, openSqliteTarget } from "../sqlite/copy.ts";
import { createTableHash, toLine, type RowSource, type RowTarget, type TableDigest } from "./rows.ts";
import type { TableLayout } from "./layout.ts";

export { listTables, type TableLayout } from "./layout.ts";
export {
  createTableHash,
  parseLine,
  sizeOf,
  toFingerprint,
  toLine,
  type Row,
  type RowSource,
  type RowTarget,
  type TableDigest,
} from "./rows.ts";
export { takeLock } from "../sqlite/file/lock.ts";

/** The newest schema version that this program knows. */
export const NEWEST_VERSION = migrations.length;

export type DatabaseLocation = { readonly directory: string; readonly databaseUrl: string | null };

/** Opens a database for copying its rows as of now. With `isExclusive` no server may use it. */
export async function openSource(
  { directory, databaseUrl }: DatabaseLocation,
  isExclusive: boolean,
): Promise<RowSource> {
  if (databaseUrl === null) return openSqliteSource({ file: join(directory, "stonechat.db"), isExclusive });
  const { openPostgresSource } = await import("../postgres/copy.ts");
  return openPostgresSource({ url: databaseUrl, isExclusive });
}

type TargetOptions = DatabaseLocation & { readonly version: number; readonly mark: string };

/** Opens an empty database, or the unfinished copy with the same mark. */
export async function openTarget({ directory, databaseUrl, ...options }: TargetOptions): Promise<RowTarget> {
  if (databaseUrl === null) return openSqliteTarget({ file: join(directory, "stonechat.db"), ...options });
  const { openPostgresTarget } = await import("../postgres/copy.ts");
  return openPostgresTarget({ url: databaseUrl, ...options });
}

/** `what` names the current step; of `total` rows, `done` are done. */
export type OnProgress = (what: string, done: number, total: number) => void;

/**
 * Copies all rows, then compares every table. Rows are stored in order, so after a crash it continues behind the rows that
 * are stored; if the source has changed since, the comparison fails.
 */
export async function copyRows(source: RowSource, target: RowTarget, onProgress: OnProgress): Promise<number> {
  let [done, total] = [0, 0];
  for (const table of source.tables) total += await source.count(table);
  for (const table of source.tables) {
    const skip = await target.stored.count(table);
    done += skip;
    for await (const rows of source.read(table, skip)) {
      await target.add(table, rows).catch((error: unknown) => {
        throw isConstraint(error) ? toChanged(table, "a row conflicts") : error;
      });
      done += rows.length;
      onProgress(`Copying ${table.name}`, done, total);
    }
  }
  let compared = 0;
  const count = (name: string) => (rows: number) => onProgress(`Comparing ${name}`, (compared += rows) / 2, total);
  for (const table of source.tables) {
    const onRows = count(table.name);
    const from = source.digest?.(table) ?? (await digest(source, table, onRows));
    if (source.digest) onRows(from.rows);
    const to = await digest(target.stored, table, onRows);
    if (from.rows === to.rows && from.hash === to.hash) continue;
    throw toChanged(table, `${to.rows} of ${from.rows} rows`);
  }
  return total;
}

/** Whether SQLite or PostgreSQL reported a violated constraint. */
const isConstraint = (error: unknown): boolean =>
  /^SQLITE_CONSTRAINT|^23/.test(String((error as { code?: unknown } | null)?.code));

const toChanged = ({ name }: TableLayout, found: string): Error =>
  new Error(
    `The table ${name} differs from its source (${found}). The source has changed since the copy was started. ` +
      "Empty the target and start again.",
  );

/** Reads a whole table. */
export async function digest(
  source: Pick<RowSource, "read">,
  table: TableLayout,
  onRows: (count: number) => void = () => {},
): Promise<TableDigest> {
  const hashing = createTableHash();
  for await (const rows of source.read(table)) {
    for (const row of rows) hashing.add(toLine(row));
    onRows(rows.length);
  }
  return hashing.digest();
}
