import { closeSync, existsSync, openSync, readFileSync, readSync } from "node:fs";
import { zstdDecompressSync } from "node:zlib";
import { digest, listTables, parseLine, toFingerprint, type OnProgress, type RowSource } from "../store/copy/copy.ts";
import { createSealer, DamagedBackupError, plainSealer, type Sealer } from "./sealer.ts";
import { findBackup, manifestSchema, readBackupFile, toChunkPath, toContext, toDamage } from "./format.ts";
import type { BackupFile, Header, Manifest } from "./format.ts";

/** A backup as rows. */
export type OpenBackup = Required<RowSource> & {
  readonly path: string;
  readonly header: Header;
  readonly manifest: Manifest;
  readonly fingerprint: string;
};

/** A chunk that is missing or was changed. */
export class DamagedChunk extends Error {
  override readonly name = "DamagedChunk";
  readonly id: string;

  constructor(message: string, id: string) {
    super(message);
    this.id = id;
  }
}

/** A chunk has about a megabyte, but a single row may be longer. */
const MAX_CHUNK_BYTES = 500_000_000;

/** `at`: a backup, or a folder whose newest backup is meant. Its rows are checked as they are read. */
export function openBackup(at: string, passphrase: string | null): OpenBackup {
  const file = readBackupFile(findBackup(at));
  const { header, path } = file;
  const sealer = openSealer(file, passphrase);
  const manifest = openManifest(file, sealer);
  const entries = new Map(manifest.tables.map((table) => [table.name, table]));
  // Backups of development versions before 0.2.0 lack `meta`.
  const tables = listTables(manifest.version).filter(({ name }) => name !== "meta" || entries.has(name));
  for (const { name, columns } of tables) {
    if (entries.get(name)?.columns.join() !== columns.join())
      throw new Error(`The table ${name} of ${path} has other columns. Restore it with Stonechat ${manifest.program}.`);
  }
  const entryOf = (name: string): Manifest["tables"][number] => {
    const entry = entries.get(name);
    if (!entry) throw toDamage(path, `no table ${name}`);
    return entry;
  };
  const { readChunk, close } = createChunkReader(file, manifest, sealer);
  return {
    ...{ kind: "backup", version: manifest.version, tables, path, header, manifest },
    fingerprint: toFingerprint(file.line),
    count: async ({ name }) => entryOf(name).rows,
    digest: ({ name }) => entryOf(name),
    read: async function* ({ name }, skip = 0) {
      let left = skip;
      for (const id of entryOf(name).chunks) {
        const lines = readChunk(id).split("\n");
        if (left < lines.length) yield lines.slice(left).map(parseLine);
        left = Math.max(0, left - lines.length);
      }
    },
    close: async () => close(),
  };
}

/** Reads every row and compares every table with the manifest. */
export async function verifyBackup(backup: OpenBackup, onProgress: OnProgress = () => {}): Promise<void> {
  let [done, total] = [0, 0];
  for (const table of backup.tables) total += await backup.count(table);
  for (const table of backup.tables) {
    const { rows, hash } = await digest(backup, table, (count) =>
      onProgress(`Verifying ${table.name}`, (done += count), total),
    );
    const expected = backup.digest(table);
    if (rows !== expected.rows || hash !== expected.hash) throw toDamage(backup.path, `table ${table.name}`);
  }
}

function openSealer({ header, path }: BackupFile, passphrase: string | null): Sealer {
  if (header.encryption === null) return plainSealer;
  if (passphrase === null)
    throw new Error(`The backup ${path} is encrypted. Set STONECHAT_BACKUP_PASSPHRASE to its passphrase.`);
  const sealer = createSealer(passphrase, header.encryption);
  if (!sealer)
    throw new Error(
      `The passphrase does not match the backup ${path}. Set STONECHAT_BACKUP_PASSPHRASE to the one that it was made with.`,
    );
  return sealer;
}

function openManifest({ line, path, sealed }: BackupFile, sealer: Sealer): Manifest {
  try {
    return manifestSchema.parse(JSON.parse(Buffer.from(sealer.open(sealed, toContext(line))).toString("utf8")));
  } catch {
    throw toDamage(path, "its list of tables");
  }
}

function createChunkReader({ path, folder, header }: BackupFile, { places }: Manifest, sealer: Sealer) {
  let descriptor: number | undefined;
  const readSealed = (id: string): Uint8Array => {
    if (header.chunks !== null) {
      const file = toChunkPath(folder, id);
      if (!existsSync(file)) throw new DamagedBackupError("missing");
      return readFileSync(file);
    }
    const [from, length] = places?.[id] ?? [0, 0];
    descriptor ??= openSync(path, "r");
    const bytes = Buffer.alloc(Math.min(length, MAX_CHUNK_BYTES));
    readSync(descriptor, bytes, 0, bytes.length, from);
    return bytes;
  };
  return {
    readChunk: (id: string): string => {
      try {
        const compressed = sealer.open(readSealed(id), id);
        return zstdDecompressSync(compressed, { maxOutputLength: MAX_CHUNK_BYTES }).toString("utf8");
      } catch (error) {
        if (!(error instanceof DamagedBackupError)) throw error;
        throw new DamagedChunk(toDamage(path, `chunk ${id.slice(0, 12)}`).message, id);
      }
    },
    close: (): void => {
      if (descriptor !== undefined) closeSync(descriptor);
    },
  };
}
