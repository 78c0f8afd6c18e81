import { StringDecoder } from "node:string_decoder";
import { fromBufferPromise, type Entry, type ZipFile } from "yauzl";
import { Unreadable } from "./unreadable.ts";
import { createXmlParser, type XmlHandler } from "./xml.ts";

/** A ZIP archive in memory. Entries are unpacked one after another, within one budget for the whole archive. */
export type Archive = {
  readonly names: readonly string[];
  /** Throws if all entries together are too large, by their declared sizes. */
  readonly assertFits: () => void;
  readonly has: (name: string) => boolean;
  /** The unpacked bytes. Rejects if they are more than `most`. */
  readonly read: (name: string, most?: number) => Promise<Buffer>;
  readonly readText: (name: string) => Promise<string>;
  /** Parses an XML entry while it is unpacked. Does nothing if there is no such entry. */
  readonly parse: (name: string, handler: XmlHandler) => Promise<void>;
};

const MEGABYTE = 1_000_000;
const limits = {
  entries: 20_000,
  /** Maximum size of all entries that are read. */
  unpackedBytes: 150 * MEGABYTE,
  /** Maximum declared size of one entry. A larger one is refused before anything is unpacked. */
  declaredBytes: 250 * MEGABYTE,
  /** Maximum size of an entry that is in memory as a whole. */
  entryBytes: 20 * MEGABYTE,
} as const;

/** Shared by an archive and the archives in it. */
export type Budget = { leftBytes: number };
export const createBudget = (): Budget => ({ leftBytes: limits.unpackedBytes });

const TOO_LARGE = `The file unpacks to more than ${limits.unpackedBytes / MEGABYTE} MB, the limit for archives and documents.`;
const toLargeEntry = (most: number): string =>
  `The file has more than ${Math.round(most / MEGABYTE)} MB when it is unpacked.`;

export async function openArchive(bytes: Buffer, budget: Budget): Promise<Archive> {
  const { zip, entries } = await listEntries(bytes);

  const stream = async (name: string, onChunk: (chunk: Buffer) => void): Promise<void> => {
    const entry = entries.get(name);
    if (!entry) return;
    if (entry.isEncrypted())
      throw new Unreadable("The file is protected by a password. Remove the password and attach it again.");
    // The library checks that the real size is not larger than the declared one.
    if (entry.uncompressedSize > limits.declaredBytes) throw new Unreadable(TOO_LARGE);
    const source = await zip.openReadStreamPromise(entry);
    for await (const chunk of source as AsyncIterable<Buffer>) {
      budget.leftBytes -= chunk.length;
      if (budget.leftBytes < 0) throw new Unreadable(TOO_LARGE);
      onChunk(chunk);
    }
  };
  const read = async (name: string, most: number = limits.entryBytes): Promise<Buffer> => {
    if ((entries.get(name)?.uncompressedSize ?? 0) > most) throw new Unreadable(toLargeEntry(most));
    const chunks: Buffer[] = [];
    let sizeBytes = 0;
    await stream(name, (chunk) => {
      sizeBytes += chunk.length;
      if (sizeBytes > most) throw new Unreadable(toLargeEntry(most));
      chunks.push(chunk);
    });
    return Buffer.concat(chunks);
  };
  return {
    names: [...entries.keys()],
    assertFits: () => {
      const sizes = [...entries.values()].map(({ uncompressedSize }) => uncompressedSize);
      if (sizes.reduce((sum, size) => sum + size, 0) > budget.leftBytes) throw new Unreadable(TOO_LARGE);
    },
    has: (name) => entries.has(name),
    read,
    readText: async (name) => (await read(name)).toString("utf8"),
    parse: async (name, handler) => {
      const parser = createXmlParser(handler);
      const decoder = new StringDecoder("utf8");
      await stream(name, (chunk) => parser.write(decoder.write(chunk)));
      parser.end();
    },
  };
}

/** Names are data here and never paths. Archives with names that lead out of them are rejected by the library. */
async function listEntries(bytes: Buffer): Promise<{ zip: ZipFile; entries: ReadonlyMap<string, Entry> }> {
  try {
    const zip = await fromBufferPromise(bytes);
    if (zip.entryCount > limits.entries)
      throw new Unreadable(`The file contains more than ${limits.entries.toLocaleString("en")} files.`);
    const entries = new Map<string, Entry>();
    for await (const entry of zip.eachEntry())
      if (!entry.fileName.endsWith("/") && !entries.has(entry.fileName)) entries.set(entry.fileName, entry);
    return { zip, entries };
  } catch (error) {
    if (error instanceof Unreadable) throw error;
    throw new Unreadable("The file is a damaged archive or document. Save it again and attach that.");
  }
}

/** Targets of an Office part's relationships, by id. Targets inside the archive are full names. */
export async function readRelations(
  archive: Archive,
  part: string,
): Promise<ReadonlyMap<string, { readonly type: string; readonly target: string; readonly isExternal: boolean }>> {
  const slash = part.lastIndexOf("/");
  const [folder, file] = [part.slice(0, slash + 1), part.slice(slash + 1)];
  const relations = new Map<string, { type: string; target: string; isExternal: boolean }>();
  await archive.parse(`${folder}_rels/${file}.rels`, {
    open: (name, { Id = "", Type = "", Target = "", TargetMode }) => {
      if (name !== "Relationship") return;
      const isExternal = TargetMode === "External";
      relations.set(Id, {
        type: Type.slice(Type.lastIndexOf("/") + 1),
        target: isExternal ? Target : resolveName(folder, Target),
        isExternal,
      });
    },
  });
  return relations;
}

/** Resolves a relative name within the archive. */
export function resolveName(folder: string, target: string): string {
  if (target.startsWith("/")) return target.slice(1);
  const names: string[] = [];
  for (const name of `${folder}${target}`.split("/")) {
    if (name === "..") names.pop();
    else if (name !== "." && name !== "") names.push(name);
  }
  return names.join("/");
}
