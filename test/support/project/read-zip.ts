import { crc32 } from "node:zlib";
import { fromBufferPromise } from "yauzl";

/** Reads every entry of an archive with an independent reader and verifies checksums; unsafe names are errors. */
export async function readZip(archive: Buffer): Promise<readonly { readonly path: string; readonly bytes: Buffer }[]> {
  const zip = await fromBufferPromise(archive, { strictFileNames: true });
  const entries: { path: string; bytes: Buffer }[] = [];
  for await (const entry of zip.eachEntry()) {
    const chunks: Buffer[] = [];
    for await (const chunk of await zip.openReadStreamPromise(entry)) chunks.push(chunk as Buffer);
    const bytes = Buffer.concat(chunks);
    if (crc32(bytes) !== entry.crc32) throw new Error(`the checksum of ${entry.fileName} is wrong`);
    entries.push({ path: entry.fileName, bytes });
  }
  return entries;
}
