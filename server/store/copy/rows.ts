import { hash, createHash } from "node:crypto";
import type { TableLayout } from "./layout.ts";
import { UNFINISHED } from "./unfinished.ts";

/** A value of any column, the same from both databases. */
export type Value = string | number | null | Uint8Array;
/** Values in the order of the layout's columns. */
export type Row = readonly Value[];

/** A database as rows: what can be read from SQLite, PostgreSQL and a backup. */
export type RowSource = {
  readonly kind: "sqlite" | "postgres" | "backup";
  /** Schema version. */
  readonly version: number;
  readonly tables: readonly TableLayout[];
  readonly count: (table: TableLayout) => Promise<number>;
  /** In order, in batches of about a megabyte. */
  readonly read: (table: TableLayout, skip?: number) => AsyncIterable<readonly Row[]>;
  /** If it is known without reading the table. */
  readonly digest?: (table: TableLayout) => TableDigest;
  readonly close: () => Promise<void>;
};

/** An empty or unfinished database to copy rows to. A server does not open it until it is finished. */
export type RowTarget = {
  /** The rows that are stored so far. */
  readonly stored: Pick<RowSource, "count" | "read">;
  /** Stores rows, all or none. */
  readonly add: (table: TableLayout, rows: readonly Row[]) => Promise<void>;
  /** Migrates to the newest schema, and allows servers to open it. */
  readonly finish: () => Promise<void>;
  readonly close: () => Promise<void>;
};

export const BATCH_BYTES = 1_000_000;
export const BATCH_ROWS = 5_000;

/** Keys in `meta` that describe one database and its processes, and `node:` with the id of a process. All others are data. */
const PROCESS_KEYS: readonly string[] = ["version", "stopped", "write-probe", "migrating", UNFINISHED];

/** The rows of a table that are copied, for `from`. */
export const toRowsOf = (name: TableLayout["name"]): string =>
  name === "meta"
    ? `(select key, value from meta where key not in (${PROCESS_KEYS.map((key) => `'${key}'`).join(", ")}) and key not like 'node:%') as meta`
    : name;

/** Leases and claims belong to running processes, so a copy has none. */
export function toExpression(table: TableLayout["name"], column: string): string {
  const isLeased = table === "streams" || table === "jobs";
  if (isLeased && column === "holder") return "null";
  if (isLeased && column === "lease_until") return "0";
  return `"${column}"`;
}

/** One line without a line break at its end. */
export const toLine = (row: Row): string =>
  JSON.stringify(row.map((value) => (value instanceof Uint8Array ? { base64: toBase64(value) } : value)));

export function parseLine(line: string): Row {
  const values = JSON.parse(line) as readonly (string | number | null | { readonly base64: string })[];
  return values.map((value) =>
    typeof value === "object" && value !== null ? Buffer.from(value.base64, "base64") : value,
  );
}

const toBase64 = (bytes: Uint8Array): string => Buffer.from(bytes).toString("base64");

/** About the size of its line. */
export const sizeOf = (row: Row): number =>
  row.reduce<number>(
    (sum, value) => sum + (typeof value === "string" || value instanceof Uint8Array ? value.length : 8),
    0,
  );

/** Row count and hash of a table. */
export type TableDigest = { readonly rows: number; readonly hash: string };

export function createTableHash() {
  const hashing = createHash("sha256");
  let rows = 0;
  return {
    add: (line: string): void => {
      hashing.update(line).update("\n");
      rows += 1;
    },
    digest: (): TableDigest => ({ rows, hash: hashing.digest("hex") }),
  };
}

/** A short name for a place or a backup, for the mark of an unfinished copy. */
export const toFingerprint = (text: string): string => hash("sha256", text).slice(0, 32);
