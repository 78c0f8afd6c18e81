import { promisify } from "node:util";
import { crc32, deflateRaw } from "node:zlib";

export type ZipEntry = { readonly path: string; readonly bytes: Uint8Array };

const pack = promisify(deflateRaw) as (bytes: Uint8Array) => Promise<Buffer>;

const VERSION = 20;
/** UTF-8 names. */
const FLAGS = 0x0800;
const STORED = 0;
const DEFLATED = 8;
/** 1 January 1980: the same files give the same archive. */
const DATE = 0x0021;
/** Unix mode of a regular file, writable by its owner. */
const ATTRIBUTES = (0o100644 << 16) >>> 0;
const MADE_BY_UNIX = (3 << 8) | VERSION;

/**
 * A ZIP archive (PKWARE APPNOTE) without folder entries, times or permissions: the same files in the same order give the same
 * bytes. No ZIP64, since a workspace fits 32-bit sizes. Names are not checked.
 */
export async function writeZip(entries: readonly ZipEntry[]): Promise<Buffer> {
  const files: Buffer[] = [];
  const directory: Buffer[] = [];
  let offset = 0;
  for (const { path, bytes } of entries) {
    const name = Buffer.from(path);
    const packed = await pack(bytes);
    const [method, content] = packed.length < bytes.length ? [DEFLATED, packed] : [STORED, Buffer.from(bytes)];
    const sizes = [crc32(bytes), content.length, bytes.length];
    const head = concat(
      [0x04034b50, 4],
      [VERSION, 2],
      [FLAGS, 2],
      [method, 2],
      [0, 2],
      [DATE, 2],
      ...sizes.map(wide),
      [name.length, 2],
      [0, 2],
    );
    files.push(head, name, content);
    directory.push(
      concat(
        [0x02014b50, 4],
        [MADE_BY_UNIX, 2],
        [VERSION, 2],
        [FLAGS, 2],
        [method, 2],
        [0, 2],
        [DATE, 2],
        ...sizes.map(wide),
      ),
      concat([name.length, 2], [0, 2], [0, 2], [0, 2], [0, 2], [ATTRIBUTES, 4], [offset, 4]),
      name,
    );
    offset += head.length + name.length + content.length;
  }
  const size = directory.reduce((sum, { length }) => sum + length, 0);
  const count = entries.length;
  const end = concat([0x06054b50, 4], [0, 2], [0, 2], [count, 2], [count, 2], [size, 4], [offset, 4], [0, 2]);
  return Buffer.concat([...files, ...directory, end]);
}

type Field = readonly [value: number, width: 2 | 4];
const wide = (value: number): Field => [value, 4];

function concat(...fields: readonly Field[]): Buffer {
  const buffer = Buffer.alloc(fields.reduce((sum, [, width]) => sum + width, 0));
  let at = 0;
  for (const [value, width] of fields) {
    if (width === 2) buffer.writeUInt16LE(value, at);
    else buffer.writeUInt32LE(value, at);
    at += width;
  }
  return buffer;
}
