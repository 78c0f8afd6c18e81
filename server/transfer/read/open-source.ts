import { createHash } from "node:crypto";
import { createReadStream, createWriteStream } from "node:fs";
import { open } from "node:fs/promises";
import { Readable, Transform } from "node:stream";
import { pipeline } from "node:stream/promises";
import { openPromise, type Entry, type ZipFile } from "yauzl";
import type { Unit } from "../items.ts";

/** The file of an import: an archive, or one text. */
export type Source =
  | {
      readonly kind: "zip";
      /** In order. */
      readonly names: readonly string[];
      /** In the order in which they are in the archive. */
      readonly written: readonly string[];
      readonly read: (name: string) => AsyncIterable<Buffer>;
    }
  | { readonly kind: "json" | "text"; readonly read: () => AsyncIterable<Buffer> };

/** The file cannot be imported, with the reason for the user. */
export class Unimportable extends Error {
  override readonly name = "Unimportable";
}

const limits = {
  entries: 400_000,
  /** Maximum size of everything in an archive, and how many times its own size that may be. */
  unpackedBytes: 40_000_000_000,
  ratio: 250,
  /** Archives below this size when unpacked are not checked for their ratio. */
  smallBytes: 100_000_000,
} as const;

export async function openSource(path: string): Promise<Source> {
  const file = await open(path, "r");
  const { buffer, bytesRead } = await file.read(Buffer.alloc(64 * 1024), 0, 64 * 1024, 0);
  const { size } = await file.stat();
  await file.close();
  const head = buffer.subarray(0, bytesRead);
  if (head.subarray(0, 2).toString("latin1") === "PK") return openZip(path, size);
  if (head.includes(0))
    throw new Unimportable("The file is neither an archive (ZIP) nor text, so it cannot be imported.");
  const first = head
    .toString("utf8")
    .replace(/^\uFEFF/, "")
    .trimStart()
    .slice(0, 1);
  return { kind: first === "[" || first === "{" ? "json" : "text", read: () => createReadStream(path) };
}

async function openZip(path: string, sizeBytes: number): Promise<Source> {
  const { zip, entries } = await listEntries(path);
  const unpacked = [...entries.values()].reduce((sum, { uncompressedSize }) => sum + uncompressedSize, 0);
  if (unpacked > limits.unpackedBytes || (unpacked > limits.smallBytes && unpacked > sizeBytes * limits.ratio))
    throw new Unimportable("The archive unpacks to far more than its size, so it was not opened.");
  async function* read(name: string): AsyncGenerator<Buffer> {
    const entry = entries.get(name);
    if (!entry) throw new Unimportable(`The archive has no file ${name}.`);
    if (entry.isEncrypted())
      throw new Unimportable("The archive is protected by a password. Remove the password first.");
    try {
      // The library rejects an entry that is larger than declared.
      yield* (await zip.openReadStreamPromise(entry)) as AsyncIterable<Buffer>;
    } catch {
      throw new Unimportable(`${name} in the archive is damaged, so it was not imported completely.`);
    }
  }
  return { kind: "zip", names: [...entries.keys()].toSorted(), written: [...entries.keys()], read };
}

/** Names are data here and never paths. Names that lead out of the archive are rejected by the library. */
async function listEntries(path: string): Promise<{ zip: ZipFile; entries: ReadonlyMap<string, Entry> }> {
  try {
    const zip = await openPromise(path, { autoClose: false });
    if (zip.entryCount > limits.entries)
      throw new Unimportable(`The archive contains more than ${limits.entries.toLocaleString("en")} files.`);
    const entries = new Map<string, Entry>();
    for await (const entry of zip.eachEntry())
      if (!entry.fileName.endsWith("/") && !entries.has(entry.fileName)) entries.set(entry.fileName, entry);
    return { zip, entries };
  } catch (error) {
    if (error instanceof Unimportable) throw error;
    throw new Unimportable("The archive is damaged. Download or export it again.");
  }
}

/** The units of one file in an archive. If it is damaged, that is a note, and the other files are read. */
export async function* withFaults(units: AsyncIterable<Unit>): AsyncGenerator<Unit> {
  try {
    yield* units;
  } catch (error) {
    if (!(error instanceof Unimportable)) throw error;
    yield { kind: "note", text: error.message };
  }
}

const MOST_TEXT_BYTES = 30_000_000;

/** The whole content. Rejects if it is too large to be in memory. */
export async function readWhole(chunks: AsyncIterable<Buffer>, most: number = MOST_TEXT_BYTES): Promise<Buffer> {
  const all: Buffer[] = [];
  let sizeBytes = 0;
  for await (const chunk of chunks) {
    sizeBytes += chunk.length;
    if (sizeBytes > most)
      throw new Unimportable(`A text has more than ${most / 1_000_000} MB, the limit for one text.`);
    all.push(chunk);
  }
  return Buffer.concat(all, sizeBytes);
}

/** Copies content to a file, up to a size. */
export async function copyTo(
  chunks: AsyncIterable<Uint8Array> | Iterable<Uint8Array>,
  path: string,
  most: number,
): Promise<{ readonly sizeBytes: number; readonly hash: string }> {
  const hash = createHash("sha256");
  let sizeBytes = 0;
  const measure = new Transform({
    transform: (chunk: Buffer, _, done) => {
      sizeBytes += chunk.length;
      hash.update(chunk);
      if (sizeBytes > most) done(new Unimportable(`It has more than ${most / 1_000_000} MB, the limit for a file.`));
      else done(null, chunk);
    },
  });
  await pipeline(Readable.from(chunks), measure, createWriteStream(path, { mode: 0o600 }));
  return { sizeBytes, hash: hash.digest("hex") };
}

/** Lines of a text, without their ends. A line that is too long is null. */
export async function* readLines(chunks: AsyncIterable<Buffer>, most: number): AsyncGenerator<string | null> {
  let parts: Buffer[] = [];
  let sizeBytes = 0;
  const take = (): string | null => {
    const line = sizeBytes > most ? null : Buffer.concat(parts).toString("utf8");
    parts = [];
    sizeBytes = 0;
    return line;
  };
  const add = (bytes: Buffer): void => {
    sizeBytes += bytes.length;
    if (sizeBytes <= most) parts.push(Buffer.from(bytes));
    else parts = [];
  };
  for await (const chunk of chunks) {
    let from = 0;
    for (let at = chunk.indexOf(10); at !== -1; at = chunk.indexOf(10, from)) {
      add(chunk.subarray(from, at));
      yield take();
      from = at + 1;
    }
    add(chunk.subarray(from));
  }
  if (sizeBytes > 0) yield take();
}
