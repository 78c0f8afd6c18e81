import type { MessageView } from "../../../protocol/fold.ts";
import type { Part } from "../../../protocol/parts.ts";
import type { Reads } from "../../store/contract.ts";
import type { RowOf } from "../../store/schema.ts";
import { toHead, toPart } from "../../thread/rows.ts";
import { findEarlyEnds, loadMessageViews } from "../../thread/snapshot.ts";
import { writeList } from "./json-stream.ts";

const PAGE = 100;

export type ExportedMessage = Pick<
  MessageView,
  "id" | "role" | "branchId" | "depth" | "createdAt" | "endedEarly" | "author"
> & {
  readonly parts: readonly Part[];
};

/** The active path from its first message on, a page at a time. */
export async function* readPath(
  read: Reads,
  { id, branch }: Pick<RowOf<"threads">, "id" | "branch">,
): AsyncGenerator<ExportedMessage> {
  for (let upTo = PAGE; ; upTo += PAGE) {
    const messages = await loadMessageViews(read, { thread: id, branch, upTo, count: PAGE });
    const fresh = messages.filter(({ depth }) => depth > upTo - PAGE);
    for (const { variants: _, runId: __, ...message } of fresh) yield message;
    if (fresh.length < PAGE) return;
  }
}

/** Messages of every branch. */
export async function* readBranches(read: Reads, thread: string): AsyncGenerator<ExportedMessage> {
  for (let after = ""; ;) {
    const rows = await read.messagesAfter(thread, after, PAGE);
    const ends = await findEarlyEnds(
      read,
      rows.map(({ run }) => run),
    );
    for (const row of rows) {
      const { id, role, branchId, depth, createdAt, author } = toHead(row, []);
      const parts = (await read.partsOf(thread, [id])).map(toPart);
      const endedEarly = ends.get(id);
      yield {
        id,
        role,
        branchId,
        depth,
        createdAt,
        parts,
        ...(endedEarly ? { endedEarly } : {}),
        ...(author ? { author } : {}),
      };
    }
    const last = rows.at(-1);
    if (rows.length < PAGE || !last) return;
    after = last.id;
  }
}

export async function* writeArtifacts(read: Reads, thread: string): AsyncGenerator<string> {
  async function* rows() {
    for (let ref = 0; ;) {
      const page = await read.artifactsAfter(thread, ref, PAGE);
      for (const { ref: number, kind, title, url, type, message, body: text, created_at: createdAt } of page) {
        yield { ref: number, kind, title, url, type, messageId: message, text, createdAt };
      }
      const last = page.at(-1);
      if (page.length < PAGE || !last) return;
      ref = last.ref;
    }
  }
  yield* writeList(rows());
}

/** Attached files with their content, one at a time. */
export async function* writeAttachments(read: Reads, thread: string): AsyncGenerator<string> {
  async function* rows() {
    for (const row of await read.attachmentsOf(thread)) {
      const content = (await read.attachmentBody(row.owner, row.hash)) ?? "";
      const { id, name, media_type: mediaType, size_bytes: sizeBytes, created_at: createdAt } = row;
      yield { id, name, mediaType, sizeBytes, createdAt, content };
    }
  }
  yield* writeList(rows());
}
