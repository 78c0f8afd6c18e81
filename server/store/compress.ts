import { zstdCompressSync, zstdDecompressSync } from "node:zlib";
import type { RowOf } from "./schema.ts";

/** Shorter texts are not compressed. */
const LEAST_CHARACTERS = 1_000;

/**
 * SQLite stores receipts compressed, to about a fifth, because they list every message of a prompt and repeat each other.
 * PostgreSQL compresses long values anyway. Older rows are plain text and still readable.
 */
export const compress = (text: string): string | Uint8Array =>
  text.length < LEAST_CHARACTERS ? text : zstdCompressSync(text);

export const decompress = (row: RowOf<"receipts">): RowOf<"receipts"> => {
  const body: unknown = row.body;
  return body instanceof Uint8Array ? { ...row, body: decompressText(body) } : row;
};

export const decompressText = (bytes: Uint8Array): string => zstdDecompressSync(bytes).toString("utf8");
