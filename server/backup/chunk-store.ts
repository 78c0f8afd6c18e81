import { closeSync, existsSync, fsyncSync, mkdirSync, openSync, renameSync, rmSync, writeSync } from "node:fs";
import { dirname, join } from "node:path";
import { PRIVATE_FILE, PRIVATE_FOLDER } from "../lib/file-modes.ts";
import { toChunkPath, toHeaderBytes, toName, type Header } from "./format.ts";

/** Stores the chunks of one backup, then its header and manifest. Until `finish` returns there is no backup. */
export type ChunkStore = {
  readonly has: (id: string) => boolean;
  readonly put: (id: string, sealed: Uint8Array) => void;
  /** For the manifest. */
  readonly places: () => Record<string, [number, number]> | undefined;
  readonly toHeaderLine: (ids: readonly string[]) => string;
  /** Returns the path of the backup. */
  readonly finish: (headerLine: string, sealedManifest: Uint8Array) => string;
  /** After a failure. */
  readonly abandon: () => void;
};

type Options = { readonly createdAt: string; readonly encryption: Header["encryption"] };

export function createFolderStore(folder: string, { createdAt, encryption }: Options): ChunkStore {
  const changed = new Set<string>([folder]);
  const store = (path: string, ...pieces: readonly Uint8Array[]): void => {
    mkdirSync(dirname(path), { recursive: true, mode: PRIVATE_FOLDER });
    const part = `${path}.part`;
    const descriptor = openSync(part, "w", PRIVATE_FILE);
    try {
      for (const piece of pieces) writeAll(descriptor, piece);
      fsyncSync(descriptor);
    } finally {
      closeSync(descriptor);
    }
    renameSync(part, path);
    changed.add(dirname(path)).add(dirname(dirname(path)));
  };
  const path = join(folder, toName(createdAt));
  return {
    has: (id) => existsSync(toChunkPath(folder, id)),
    put: (id, sealed) => store(toChunkPath(folder, id), sealed),
    places: () => undefined,
    toHeaderLine: (ids) => {
      // These chunks may come from an earlier run that ended before it synced their folders, so sync them now.
      for (const id of ids) changed.add(dirname(toChunkPath(folder, id)));
      if (ids.length > 0) changed.add(join(folder, "chunks"));
      return toLine({ createdAt, encryption, chunks: [...ids] });
    },
    finish: (headerLine, sealedManifest) => {
      for (const one of changed) sync(one);
      store(path, toHeaderBytes(headerLine), sealedManifest);
      sync(folder);
      return path;
    },
    abandon: () => {},
  };
}

/** Refuses to replace a file. */
export function createFileStore(path: string, { createdAt, encryption }: Options): ChunkStore {
  if (existsSync(path)) throw new Error(`${path} exists. Nothing is overwritten: choose another name.`);
  const headerLine = toLine({ createdAt, encryption, chunks: null });
  const part = `${path}.part`;
  mkdirSync(dirname(path), { recursive: true, mode: PRIVATE_FOLDER });
  const descriptor = openSync(part, "w", PRIVATE_FILE);
  let isOpen = true;
  const close = (): void => {
    if (isOpen) closeSync(descriptor);
    isOpen = false;
  };
  const places: Record<string, [number, number]> = {};
  let position = 0;
  const append = (bytes: Uint8Array): void => {
    writeAll(descriptor, bytes);
    position += bytes.length;
  };
  append(toHeaderBytes(headerLine));
  return {
    has: (id) => id in places,
    put: (id, sealed) => {
      const from = position;
      append(sealed);
      places[id] = [from, sealed.length];
    },
    places: () => places,
    toHeaderLine: () => headerLine,
    finish: (_, sealedManifest) => {
      const start = Buffer.alloc(8);
      start.writeBigUInt64BE(BigInt(position));
      append(sealedManifest);
      append(start);
      fsyncSync(descriptor);
      close();
      renameSync(part, path);
      sync(dirname(path));
      return path;
    },
    abandon: () => {
      // Windows cannot remove an open file.
      close();
      rmSync(part, { force: true });
    },
  };
}

const toLine = (header: Omit<Header, "format" | "v">): string =>
  JSON.stringify({ format: "stonechat-backup", v: 1, ...header } satisfies Header);

function writeAll(descriptor: number, bytes: Uint8Array): void {
  for (let from = 0; from < bytes.length;) from += writeSync(descriptor, bytes, from);
}

/** Windows cannot sync folders. */
function sync(folder: string): void {
  if (process.platform === "win32") return;
  const descriptor = openSync(folder, "r");
  try {
    fsyncSync(descriptor);
  } finally {
    closeSync(descriptor);
  }
}
