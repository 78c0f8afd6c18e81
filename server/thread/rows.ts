import type { MessageHead, QueuedInput, ThreadSummary } from "../../protocol/events.ts";
import { textOf, type MessageView } from "../../protocol/fold.ts";
import type { Part } from "../../protocol/parts.ts";
import { toThreadOptions } from "../store/contract.ts";
import type { RowOf } from "../store/schema.ts";

export { toPart } from "../store/parse-rows.ts";

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

/** Content of an input, stored as JSON in its row. */
export type InputBody = {
  readonly text: string;
  readonly model: string | null;
  readonly target: string | null;
  /** Ids of attached files. */
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

/** Attachments that the queue shows. An edit's files may belong to the edited message, so only those of new messages are listed. */
export const toQueuedFiles = (kind: string, { attachments = [] }: InputBody): Pick<QueuedInput, "attachments"> =>
  kind === "message" && attachments.length > 0 ? { attachments: [...attachments] } : {};

export const toInputBody = (row: RowOf<"inputs">): InputBody => JSON.parse(row.body) as InputBody;

export const toHead = (row: RowOf<"messages">, variants: readonly string[]): MessageHead => ({
  id: row.id,
  role: row.role,
  branchId: row.branch,
  depth: row.depth,
  runId: row.run,
  variants: variants.length ? [...variants] : [row.id],
  createdAt: row.created_at,
});

export const toMessageView = (head: MessageHead, parts: readonly Part[]): MessageView => ({ ...head, parts });

/** A message as plain text. Attached files are listed by name, with the ref of their text. */
export function toTextRow(parts: readonly Part[]): string {
  const files = parts.flatMap((part) =>
    part.kind === "file" && part.attachmentId !== undefined
      ? [part.ref === undefined ? `${part.name}` : `${part.name} (ref ${part.ref})`]
      : [],
  );
  return files.length === 0 ? textOf(parts) : `${textOf(parts)}\n[Attached: ${files.join(", ")}]`.trim();
}
