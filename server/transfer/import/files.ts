import { readdir, rm } from "node:fs/promises";
import { join } from "node:path";
import { ApiError } from "../../../protocol/errors.ts";
import { PART_VERSION, type Part } from "../../../protocol/parts.ts";
import type { Ids } from "../../lib/ids.ts";
import type { Log } from "../../log/log.ts";
import { planAttachments } from "../../run/plan-attached.ts";
import type { Store, Write } from "../../store/contract.ts";
import type { RowOf } from "../../store/schema.ts";
import { describeFile, planContent, toName } from "../../thread/attachments/attachments.ts";
import { hashId } from "../read/foreign.ts";
import type { FilesRow, ReadReply } from "../items.ts";

type Deps = { readonly store: Store; readonly log: Log; readonly ids: Ids };
type FileReply = Extract<ReadReply, { kind: "file" }>;

export type StoredFiles = {
  /** Stores a content, and the file if the import has no row of it. Returns why not. */
  readonly add: (file: FileReply) => Promise<string | undefined>;
  /** Parts of a message for its files. */
  readonly toParts: (row: FilesRow) => Promise<readonly Write[]>;
  readonly count: () => number;
  /** Its content was not in the archive. */
  readonly isMissing: (hash: string) => boolean;
};

/** Files of imported threads. A content is stored in small commits, and its rows with the thread. */
export function createFiles({ store, log, ids }: Deps) {
  const commit = async (writes: readonly Write[]): Promise<void> => {
    if (!(await log.commit({ events: [], writes })).ok) throw new Error("A file of the import could not be stored.");
  };

  const storeFile = async (
    thread: RowOf<"threads">,
    { key, name: given, isContent, content }: FileReply,
  ): Promise<void> => {
    if (!content) return;
    const { owner } = thread;
    const { path, sizeBytes, hash } = content;
    if (isContent && key !== hash) throw new ApiError("invalid", "The content is not the one that the archive names.");
    if (sizeBytes === 0) throw new ApiError("invalid", "The file is empty.");
    const name = toName(given);
    const described = isContent ? null : await describeFile({ path, name, sizeBytes });
    const { pieces, pictures } = planContent({ owner, hash, path, sizeBytes }, described?.pictures ?? []);
    const blob: Write = { do: "insert", table: "attachment_blobs", row: { owner, hash }, ifAbsent: true };
    for (const write of [...pieces, ...pictures]) await commit([blob, write]);
    if (!described) return;
    const row: RowOf<"attachments"> = {
      owner,
      id: hashId(thread.id, "file", key),
      thread: thread.id,
      sent: 1,
      hash,
      name,
      media_type: described.mediaType,
      kind: described.kind,
      size_bytes: sizeBytes,
      width: described.width,
      height: described.height,
      text: described.text,
      page_count: described.pageCount,
      created_at: thread.created_at,
      slot: null,
    };
    await commit([blob, { do: "insert", table: "attachments", row, ifAbsent: true }]);
  };

  const begin = (thread: RowOf<"threads">): StoredFiles => {
    const missing = new Map<string, string>();
    let [count, lastRef] = [0, 0];
    return {
      count: () => count,
      isMissing: (hash) => missing.has(hash),
      add: async (file) => {
        try {
          if (!file.content) throw new ApiError("invalid", file.reason);
          await storeFile(thread, file);
          count += 1;
          return undefined;
        } catch (error) {
          if (!(error instanceof ApiError)) throw error;
          missing.set(file.key, file.name);
          return `The file ${file.name} was not imported. ${error.message}`;
        } finally {
          if (file.content) await rm(file.content.path, { force: true });
        }
      },
      toParts: async ({ message, n, keys }) => {
        const all = JSON.parse(keys) as readonly string[];
        const found = all.filter((key) => !missing.has(key)).map((key) => hashId(thread.id, "file", key));
        const planned = await planAttachments(
          { store, ids },
          {
            thread,
            owner: thread.owner,
            messageId: message,
            ids: found,
            lastRef,
            windowTokens: null,
            now: thread.created_at,
            firstN: n,
          },
        );
        lastRef += planned.writes.filter((write) => write.table === "artifacts").length;
        const absent = all.filter((key) => missing.has(key));
        return [
          ...planned.events.flatMap(({ event, tokens = 0 }): Write[] =>
            event.type === "part-settled" ? [toPartRow(thread.id, message, event.part, tokens)] : [],
          ),
          ...planned.writes.map((write): Write => (write.do === "insert" ? { ...write, ifAbsent: true } : write)),
          ...absent.map((key, index): Write => {
            const at = n + found.length + index;
            const text = `The file ${missing.get(key) ?? ""} was not imported.`;
            const notice = { kind: "notice" as const, level: "info" as const, code: "file-not-imported", text };
            const part: Part = { id: `${message}.${at}`, v: PART_VERSION, n: at, step: 0, ...notice };
            return toPartRow(thread.id, message, part, 0);
          }),
        ];
      },
    };
  };

  return { begin };
}

const toPartRow = (thread: string, message: string, part: Part, tokens: number): Write => ({
  do: "insert",
  table: "parts",
  row: { thread, message, n: part.n, v: part.v, kind: part.kind, tokens, body: JSON.stringify(part) },
  ifAbsent: true,
});

/** Removes files that a reader left behind. */
export async function clearFiles(folder: string, importId: string): Promise<void> {
  for (const name of await readdir(folder).catch(() => []))
    if (name.startsWith(`import-${importId}`)) await rm(join(folder, name), { force: true });
}
