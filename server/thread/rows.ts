import type { MessageHead, QueuedInput, ThreadSummary } from "../../protocol/events.ts";
import { textOf, type MessageView } from "../../protocol/fold.ts";
import { PART_VERSION, type Part } from "../../protocol/parts.ts";
import { toThreadOptions } from "../store/codes.ts";
import type { RowOf } from "../store/schema.ts";

export const toSummary = (row: RowOf<"threads">): ThreadSummary => ({
  id: row.id,
  title: row.title,
  preview: row.preview,
  profile: row.profile,
  model: row.model,
  status: row.status,
  pinned: row.pinned === 1,
  archived: row.archived === 1,
  messageCount: row.message_count,
  createdAt: row.created_at,
  updatedAt: row.updated_at,
  ...toThreadOptions(row),
  projectId: row.project,
  focusId: row.focus,
  temporary: row.temporary === 1,
  seenAt: row.seen_at,
});

/** What an input asks for; stored as JSON in its row. */
export type InputBody = {
  readonly text: string;
  readonly model: string | null;
  readonly target: string | null;
  /** Files that go with it, by id. */
  readonly attachments?: readonly string[];
};

export const toQueued = (row: RowOf<"inputs">): QueuedInput => ({
  id: row.id,
  kind: row.kind as QueuedInput["kind"],
  mode: row.mode,
  text: toInputBody(row).text,
  ...toQueuedFiles(row.kind, toInputBody(row)),
  createdAt: row.created_at,
});

/** Those of an edit may be its message's, too: only a message's own are told. */
export const toQueuedFiles = (kind: string, { attachments = [] }: InputBody): Pick<QueuedInput, "attachments"> =>
  kind === "message" && attachments.length > 0 ? { attachments: [...attachments] } : {};

export const toInputBody = (row: RowOf<"inputs">): InputBody => JSON.parse(row.body) as InputBody;

/** Stored by us, so trusted; but a newer Stonechat's part is not guessed at. */
export function toPart(row: RowOf<"parts">): Part {
  if (row.v > PART_VERSION) throw new Error(`a part of version ${row.v} was stored by a newer Stonechat`);
  return JSON.parse(row.body) as Part;
}

export const toHead = (row: RowOf<"messages">, variants: readonly string[]): MessageHead => ({
  id: row.id,
  role: row.role,
  branchId: row.branch,
  depth: row.depth,
  runId: row.run,
  variants: variants.length ? [...variants] : [row.id],
  createdAt: row.created_at,
});

export const toView = (head: MessageHead, parts: readonly Part[]): MessageView => ({ ...head, parts });

/** What a message said, in words alone: its files by name, and by the number that their text is kept under. */
export function toTextRow(parts: readonly Part[]): string {
  const files = parts.flatMap((part) =>
    part.kind === "file" && part.attachmentId !== undefined
      ? [part.ref === undefined ? `${part.name}` : `${part.name} (ref ${part.ref})`]
      : [],
  );
  return files.length === 0 ? textOf(parts) : `${textOf(parts)}\n[Attached: ${files.join(", ")}]`.trim();
}
