import { createHash } from "node:crypto";
import { closeSync, existsSync, fstatSync, openSync, readdirSync, readSync, statSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { z } from "zod";
import { encryptionSchema } from "./sealer.ts";

/**
 * A backup is a file with a header line, the checksum of that line, and a sealed manifest, which lists the tables with their chunks. In a folder,
 * backups share their chunks: `chunks/ab/abcd...`. A backup in a single file has its chunks between header and manifest, and
 * the position of the manifest in its last 8 bytes.
 */
const headerSchema = z.object({
  format: z.literal("stonechat-backup"),
  v: z.literal(1),
  createdAt: z.iso.datetime(),
  encryption: encryptionSchema.nullable(),
  /** In a folder: all chunks that it needs, so that others can be removed without a passphrase. null: they are in the file. */
  chunks: z.array(z.string().regex(/^[0-9a-f]{64}$/)).nullable(),
});
export type Header = z.infer<typeof headerSchema>;

export const manifestSchema = z.object({
  program: z.string(),
  /** Schema version. */
  version: z.int().min(1),
  /** The instance key, as in `secret.key`; null: left out. */
  key: z.string().nullable(),
  tables: z.array(
    z.object({
      name: z.string(),
      columns: z.array(z.string()),
      rows: z.int(),
      hash: z.string(),
      /** Ids, in order. */
      chunks: z.array(z.string()),
    }),
  ),
  /** In a single file: position and length of each chunk. */
  places: z.record(z.string(), z.tuple([z.int(), z.int()])).optional(),
});
export type Manifest = z.infer<typeof manifestSchema>;

const EXTENSION = ".backup";
const ownName = /^stonechat-[\dTZ-]+\.backup$/;

export const isSingleFile = (path: string): boolean => path.endsWith(EXTENSION);
export const toName = (createdAt: string): string => `stonechat-${createdAt.replaceAll(/[:.]/g, "-")}${EXTENSION}`;
export const toChunkPath = (folder: string, id: string): string => join(folder, "chunks", id.slice(0, 2), id);

/** Oldest first. `own`: those with names given by Stonechat; retention leaves the others. */
export const listBackups = (folder: string): readonly { readonly path: string; readonly isOwn: boolean }[] =>
  (existsSync(folder) ? readdirSync(folder) : [])
    .filter(isSingleFile)
    .toSorted()
    .map((name) => ({ path: join(folder, name), isOwn: ownName.test(name) }));

/** The backup at a path, or the newest in a folder. */
export function findBackup(path: string): string {
  if (!existsSync(path)) throw new Error(`No backup found at ${path}. Check the path.`);
  if (!statSync(path).isDirectory()) return path;
  const newest = listBackups(path).findLast(({ isOwn }) => isOwn);
  if (!newest) throw new Error(`The folder ${path} has no backups. Check the path.`);
  return newest.path;
}

export const toHeaderBytes = (line: string): Buffer => Buffer.from(`${line}\n${toSum(line)}\n`);

/** Binding context of this backup's seals. */
export const toContext = (headerLine: string): string => `manifest ${toSum(headerLine)}`;

const toSum = (line: string): string => createHash("sha256").update(line).digest("hex");

export type BackupFile = {
  readonly path: string;
  readonly header: Header;
  /** As it is in the file. */
  readonly line: string;
  /** The sealed manifest. */
  readonly sealed: Uint8Array;
  readonly folder: string;
};

/** Far above any header or manifest. */
const MAX_BYTES = 1_000_000_000;

export const toDamage = (path: string, what: string): Error =>
  new Error(`The backup ${basename(path)} is damaged or incomplete (${what}). Use another backup.`);

export function readBackupFile(path: string): BackupFile {
  const descriptor = openSync(path, "r");
  try {
    const { size } = fstatSync(descriptor);
    const read = (from: number, length: number): Buffer => {
      if (from < 0 || length < 0 || length > MAX_BYTES || from + length > size) throw toDamage(path, "wrong length");
      const bytes = Buffer.alloc(length);
      readSync(descriptor, bytes, 0, length, from);
      return bytes;
    };
    const head = readHead(path, size, read);
    const header = parseHeader(path, head.lines);
    const start = header.chunks === null && size >= 8 ? Number(read(size - 8, 8).readBigUInt64BE()) : head.length;
    const end = header.chunks === null ? size - 8 : size;
    if (start < head.length) throw toDamage(path, "its end is missing");
    return { path, header, line: head.lines[0], sealed: read(start, end - start), folder: dirname(path) };
  } finally {
    closeSync(descriptor);
  }
}

const HEAD_BYTES = 64_000;

/** The first two lines. */
function readHead(path: string, size: number, read: (from: number, length: number) => Buffer) {
  for (let length = HEAD_BYTES; ; length *= 8) {
    const bytes = read(0, Math.min(length, size));
    const first = bytes.indexOf(10);
    const second = first < 0 ? -1 : bytes.indexOf(10, first + 1);
    if (second >= 0) {
      const lines = [bytes.toString("utf8", 0, first), bytes.toString("utf8", first + 1, second)] as const;
      return { lines, length: second + 1 };
    }
    if (bytes.length === size || !bytes.toString("latin1", 0, 20).startsWith('{"format":"stonechat'))
      throw new Error(`${path} is not a backup of Stonechat, or its beginning is damaged.`);
  }
}

function parseHeader(path: string, [line, sum]: readonly [string, string]): Header {
  if (!line.startsWith('{"format":"stonechat-backup"'))
    throw new Error(`${path} is not a backup of Stonechat, or its beginning is damaged.`);
  if (toSum(line) !== sum) throw toDamage(path, "its header");
  const value = JSON.parse(line) as { v?: unknown };
  if (typeof value.v === "number" && value.v > 1)
    throw new Error(`${path} was made by a newer Stonechat. Restore it with that version.`);
  const { success, data } = headerSchema.safeParse(value);
  if (!success) throw toDamage(path, "its header");
  return data;
}
