import { zstdCompressSync, zstdDecompressSync } from "node:zlib";
import type { RowOf } from "./schema.ts";

/** Shorter texts gain nothing. */
const LEAST_CHARACTERS = 1_000;

/**
 * Receipts list every message of a prompt, so they repeat themselves: SQLite keeps them compressed, to about a fifth.
 * PostgreSQL compresses long values by itself. Rows written before are plain text, and read as they are.
 */
export const pack = (text: string): string | Uint8Array =>
  text.length < LEAST_CHARACTERS ? text : zstdCompressSync(text);

export const unpack = (row: RowOf<"receipts">): RowOf<"receipts"> => {
  const body: unknown = row.body;
  return body instanceof Uint8Array ? { ...row, body: zstdDecompressSync(body).toString("utf8") } : row;
};
