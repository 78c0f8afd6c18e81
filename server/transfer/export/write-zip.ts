import { createHash } from "node:crypto";
import { pipeline } from "node:stream/promises";
import { crc32, createDeflateRaw } from "node:zlib";

export type ZipSource = { readonly name: string; readonly chunks: AsyncIterable<Uint8Array | string> };
/** Called when an entry is complete, with the SHA-256 of its content. */
type OnEntry = (name: string, hash: string) => void;

const VERSION = 45;
/** UTF-8 names; sizes and checksum follow the content. */
const FLAGS = 0x0808;
const DEFLATED = 8;
/** 1 January 1980: the same data gives the same archive. */
const DATE = 0x0021;
const ATTRIBUTES = (0o100644 << 16) >>> 0;
const MADE_BY_UNIX = (3 << 8) | VERSION;
const MOST_32 = 0xffffffff;
const MOST_16 = 0xffff;

/**
 * Writes a ZIP archive (PKWARE APPNOTE, ZIP64 where needed) while its entries are read, so that memory does not grow with them.
 * An entry may have up to 4 GB.
 */
export async function* writeZipStream(
  entries: AsyncIterable<ZipSource> | Iterable<ZipSource>,
  onEntry: OnEntry = () => {},
): AsyncGenerator<Uint8Array> {
  const directory: Buffer[] = [];
  let offset = 0;
  for await (const { name, chunks } of entries) {
    const start = offset;
    const path = Buffer.from(name);
    const head = fields([0x04034b50, 4], [VERSION, 2], [FLAGS, 2], [DEFLATED, 2], [0, 2], [DATE, 2]);
    const rest = fields([0, 4], [0, 4], [0, 4], [path.length, 2], [0, 2]);
    yield Buffer.concat([head, rest, path]);
    offset += head.length + rest.length + path.length;
    const found = { crc: 0, bytes: 0, hash: createHash("sha256") };
    let packedBytes = 0;
    for await (const packed of pack(chunks, found)) {
      packedBytes += packed.length;
      yield packed;
    }
    if (found.bytes > MOST_32 || packedBytes > MOST_32) throw new Error(`${name} is too large for an archive.`);
    const sizes = fields([found.crc, 4], [packedBytes, 4], [found.bytes, 4]);
    yield Buffer.concat([fields([0x08074b50, 4]), sizes]);
    offset += packedBytes + 16;
    onEntry(name, found.hash.digest("hex"));
    directory.push(toDirectoryEntry(path, sizes, start));
  }
  yield* writeEnd(directory, offset);
}

async function* pack(
  chunks: ZipSource["chunks"],
  found: { crc: number; bytes: number; readonly hash: ReturnType<typeof createHash> },
): AsyncGenerator<Buffer> {
  const deflate = createDeflateRaw();
  async function* measure(): AsyncGenerator<Uint8Array> {
    for await (const chunk of chunks) {
      const bytes = typeof chunk === "string" ? Buffer.from(chunk) : chunk;
      found.crc = crc32(bytes, found.crc);
      found.bytes += bytes.length;
      found.hash.update(bytes);
      yield bytes;
    }
  }
  // A failure of the source reaches the reader of `deflate`; a reader that leaves ends the source.
  pipeline(measure(), deflate).catch(() => {});
  yield* deflate as AsyncIterable<Buffer>;
}

function toDirectoryEntry(path: Buffer, sizes: Buffer, start: number): Buffer {
  const isFar = start > MOST_32;
  const extra = isFar ? fields([0x0001, 2], [8, 2], [start, 8]) : Buffer.alloc(0);
  return Buffer.concat([
    fields([0x02014b50, 4], [MADE_BY_UNIX, 2], [VERSION, 2], [FLAGS, 2], [DEFLATED, 2], [0, 2], [DATE, 2]),
    sizes,
    fields([path.length, 2], [extra.length, 2], [0, 2], [0, 2], [0, 2], [ATTRIBUTES, 4]),
    fields([isFar ? MOST_32 : start, 4]),
    path,
    extra,
  ]);
}

function* writeEnd(directory: readonly Buffer[], offset: number): Generator<Uint8Array> {
  const count = directory.length;
  const size = directory.reduce((sum, { length }) => sum + length, 0);
  for (const entry of directory) yield entry;
  if (count > MOST_16 || offset > MOST_32 || size > MOST_32) {
    const end = offset + size;
    yield Buffer.concat([
      fields([0x06064b50, 4], [44, 8], [MADE_BY_UNIX, 2], [VERSION, 2], [0, 4], [0, 4]),
      fields([count, 8], [count, 8], [size, 8], [offset, 8]),
      fields([0x07064b50, 4], [0, 4], [end, 8], [1, 4]),
    ]);
  }
  const few = Math.min(count, MOST_16);
  yield Buffer.concat([
    fields([0x06054b50, 4], [0, 2], [0, 2], [few, 2], [few, 2]),
    fields([Math.min(size, MOST_32), 4], [Math.min(offset, MOST_32), 4], [0, 2]),
  ]);
}

type Field = readonly [value: number, width: 2 | 4 | 8];

function fields(...all: readonly Field[]): Buffer {
  const buffer = Buffer.alloc(all.reduce((sum, [, width]) => sum + width, 0));
  let at = 0;
  for (const [value, width] of all) {
    if (width === 2) buffer.writeUInt16LE(value, at);
    else if (width === 4) buffer.writeUInt32LE(value, at);
    else buffer.writeBigUInt64LE(BigInt(value), at);
    at += width;
  }
  return buffer;
}
