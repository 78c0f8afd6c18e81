import { existsSync, mkdirSync, readdirSync, rmSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { crc32, zstdCompressSync } from "node:zlib";
import { PRIVATE_FOLDER } from "../lib/file-modes.ts";
import { createTableHash, openSource, takeLock, toLine, type OnProgress } from "../store/copy/copy.ts";
import type { DatabaseLocation, RowSource, TableLayout } from "../store/copy/copy.ts";
import { createFileStore, createFolderStore, type ChunkStore } from "./chunk-store.ts";
import { isSingleFile, listBackups, readBackupFile, toChunkPath, toContext, type Manifest } from "./format.ts";
import { DamagedChunk, openBackup, verifyBackup } from "./open-backup.ts";
import { createSealer, plainSealer, type Encryption, type Sealer } from "./sealer.ts";

export type BackupOptions = {
  readonly place: DatabaseLocation;
  /** A folder that backups share, or a file whose name ends in `.backup`. */
  readonly to: string;
  /** null: not encrypted. */
  readonly passphrase: string | null;
  /** The instance key; null: left out. */
  readonly key: string | null;
  /** How many backups stay in the folder; null: all. */
  readonly keep: number | null;
  readonly program: string;
  readonly now: number;
};

export type WrittenBackup = {
  readonly path: string;
  readonly rows: number;
  readonly chunks: number;
  readonly newChunks: number;
  readonly newBytes: number;
};

/** Makes a backup of a database that a server may be using, then verifies it by reading it. */
export async function writeBackup(options: BackupOptions, onProgress: OnProgress = () => {}): Promise<WrittenBackup> {
  const to = resolve(options.to);
  const folder = isSingleFile(to) ? dirname(to) : to;
  try {
    mkdirSync(folder, { recursive: true, mode: PRIVATE_FOLDER });
    const lock = takeLock(join(folder, "stonechat"), "Another backup is being made there: wait until it ends.");
    try {
      const source = await openSource(options.place, false);
      let written: WrittenBackup;
      try {
        written = await write(source, { ...options, to }, onProgress);
      } finally {
        await source.close();
      }
      if (options.keep !== null && !isSingleFile(to)) pruneBackups(to, options.keep);
      return written;
    } finally {
      lock.release();
    }
  } catch (error) {
    const { code = "", message } = error as { code?: string; message: string };
    if (code === "ENOSPC" || code === "SQLITE_FULL")
      throw new Error(`The disk of ${folder} is full. Free some space, or choose another folder.`, { cause: error });
    if (/^E(?:ACCES|PERM|ROFS|EXIST|NOTDIR)$/.test(code))
      throw new Error(`${folder} cannot be used (${message}). Name a folder that this user may write to.`, {
        cause: error,
      });
    throw error;
  }
}

async function write(source: RowSource, options: BackupOptions, onProgress: OnProgress): Promise<WrittenBackup> {
  const { to, passphrase, key, program, now } = options;
  const sealer = findSealer(to, passphrase);
  const init = { createdAt: new Date(now).toISOString(), encryption: sealer.encryption };
  const store = isSingleFile(to) ? createFileStore(to, init) : createFolderStore(to, init);
  const ids = new Set<string>();
  const counts = { rows: 0, newChunks: 0, newBytes: 0 };
  const put = (text: string): string => {
    const bytes = Buffer.from(text);
    const id = sealer.idOf(bytes);
    ids.add(id);
    if (store.has(id)) return id;
    const sealed = sealer.seal(zstdCompressSync(bytes), id);
    store.put(id, sealed);
    counts.newChunks += 1;
    counts.newBytes += sealed.length;
    return id;
  };
  try {
    let total = 0;
    for (const table of source.tables) total += await source.count(table);
    const tables: Manifest["tables"] = [];
    for (const table of source.tables) {
      tables.push(
        await writeTable(source, table, put, (rows) =>
          onProgress(`Reading ${table.name}`, (counts.rows += rows), total),
        ),
      );
    }
    const path = finish(store, sealer, { program, version: source.version, key, tables }, [...ids]);
    await verify(path, passphrase, onProgress);
    return { path, chunks: ids.size, ...counts };
  } catch (error) {
    store.abandon();
    throw error;
  }
}

function finish(store: ChunkStore, sealer: Sealer, manifest: Manifest, ids: readonly string[]): string {
  const headerLine = store.toHeaderLine(ids);
  const places = store.places();
  const text = JSON.stringify({ ...manifest, ...(places ? { places } : {}) } satisfies Manifest);
  return store.finish(headerLine, sealer.seal(Buffer.from(text), toContext(headerLine)));
}

/** A damaged chunk of an earlier backup was used again. Once it is removed, the next backup writes it. */
async function verify(path: string, passphrase: string | null, onProgress: OnProgress): Promise<void> {
  const backup = openBackup(path, passphrase);
  try {
    await verifyBackup(backup, onProgress);
  } catch (error) {
    rmSync(path, { force: true });
    if (!(error instanceof DamagedChunk)) throw error;
    rmSync(toChunkPath(dirname(path), error.id), { force: true });
    throw new Error(
      `A chunk of earlier backups in ${dirname(path)} was damaged and has been removed. Check the disk, then run the backup again.`,
    );
  } finally {
    await backup.close();
  }
}

/** With the salt of the newest backup that has this passphrase, so that its chunks can be used again. */
function findSealer(to: string, passphrase: string | null): Sealer {
  if (passphrase === null) return plainSealer;
  const earlier = isSingleFile(to) ? undefined : findEncryption(to);
  const known = earlier && createSealer(passphrase, earlier);
  if (known) return known;
  const sealer = createSealer(passphrase);
  if (!sealer) throw new Error("A new passphrase was not accepted.");
  return sealer;
}

function findEncryption(folder: string): Encryption | undefined {
  for (const { path } of listBackups(folder).toReversed()) {
    try {
      const { encryption } = readBackupFile(path).header;
      if (encryption) return encryption;
    } catch {
      // A damaged backup must not prevent the next one.
    }
  }
  return undefined;
}

const TARGET_BYTES = 512_000;
const MIN_BYTES = 64_000;
const MAX_BYTES = 4_000_000;

/**
 * Cuts a table into chunks. Where depends on the rows' contents, so that after changes most chunks are the same as before: a
 * chunk may end after a row whose checksum is below a limit in proportion to the row's length.
 */
async function writeTable(
  source: RowSource,
  table: TableLayout,
  put: (text: string) => string,
  onRows: (count: number) => void,
): Promise<Manifest["tables"][number]> {
  const hashing = createTableHash();
  const chunks: string[] = [];
  let [lines, bytes]: [string[], number] = [[], 0];
  const cut = (): void => {
    if (lines.length > 0) chunks.push(put(lines.join("\n")));
    [lines, bytes] = [[], 0];
  };
  for await (const rows of source.read(table)) {
    for (const row of rows) {
      const line = toLine(row);
      hashing.add(line);
      lines.push(line);
      bytes += Buffer.byteLength(line);
      const isEnd = crc32(line) < (line.length / TARGET_BYTES) * 2 ** 32;
      if ((isEnd && bytes >= MIN_BYTES) || bytes >= MAX_BYTES) cut();
    }
    onRows(rows.length);
  }
  cut();
  return { name: table.name, columns: [...table.columns], ...hashing.digest(), chunks };
}

/**
 * Leaves the newest `keep` backups of a folder and removes chunks that none of the rest needs. Backups that were renamed stay.
 * If a header cannot be read, no chunk is removed.
 */
function pruneBackups(folder: string, keep: number): void {
  const own = listBackups(folder).filter(({ isOwn }) => isOwn);
  for (const { path } of own.slice(0, Math.max(0, own.length - keep))) rmSync(path);
  const needed = new Set<string>();
  try {
    for (const { path } of listBackups(folder)) {
      for (const id of readBackupFile(path).header.chunks ?? []) needed.add(id);
    }
  } catch {
    return;
  }
  const chunks = join(folder, "chunks");
  for (const part of existsSync(chunks) ? readdirSync(chunks) : []) {
    for (const id of readdirSync(join(chunks, part))) {
      if (!needed.has(id)) rmSync(join(chunks, part, id), { force: true });
    }
  }
}
