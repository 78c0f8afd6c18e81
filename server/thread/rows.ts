import type { Sources } from "../../protocol/context/untrusted.ts";
import type { MessageHead, QueuedInput, ThreadSummary } from "../../protocol/events.ts";
import { textOf, type MessageView } from "../../protocol/fold.ts";
import type { Part } from "../../protocol/parts.ts";
import type { CallSettings, Effort, ToolChoice, ToolSpec } from "../../protocol/model.ts";
import type { MessageAuthor } from "../../protocol/project/members.ts";
import { toThreadOptions } from "../store/contract.ts";
import type { RowOf } from "../store/schema.ts";

export { toPart } from "../store/parse-rows.ts";

/** `own`: what differs by user in a shared thread. Without it, the summary is for all of its users. */
export const toSummary = (
  row: RowOf<"threads">,
  own: Partial<Pick<ThreadSummary, "seenAt" | "role">> = {},
): ThreadSummary => ({
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
  ...(row.shared === 1 ? { shared: true, seenAt: 0, ...own } : {}),
});

/** Content of an input, stored as JSON in its row. */
export type InputBody = {
  readonly text: string;
  readonly model: string | null;
  readonly target: string | null;
  /** Untrusted sources of the text: a program wrote it, or it edits such a text. Absent: the user wrote it. */
  readonly untrusted?: Sources;
  /** Ids of attached files. */
  readonly attachments?: readonly string[];
  readonly caller?: CallerRequest;
  /** Messages before this one that the thread does not have yet. */
  readonly history?: readonly HistoryMessage[];
  /** Steps of the answer that the caller already has, with the results of its tools. */
  readonly begun?: readonly HistoryPart[];
  /** Id of the answer, if the caller knows it from its first steps. */
  readonly answerId?: string;
};

/** Options of one request of a program that speaks another API. */
export type CallerRequest = {
  /** Only the conversation is sent: no profile, memory or context, and of Stonechat's tools only `ownTools`. */
  readonly isPlain?: true;
  /** No user can approve tool calls, so those that need it are not run. */
  readonly isUnattended?: true;
  /** System text for this request, added to that of the profile. */
  readonly instructions?: string;
  /** Tools that the caller runs. */
  readonly tools?: readonly ToolSpec[];
  /** Names of our tools to offer instead of those of the profile. */
  readonly ownTools?: readonly string[];
  /** Tool choice for the first model call of the request. */
  readonly toolChoice?: ToolChoice;
  readonly effort?: Effort;
  readonly settings?: CallSettings;
  /** First step of the answer that belongs to this request. Default: 1. */
  readonly fromStep?: number;
};

export type HistoryPart =
  | { readonly kind: "text"; readonly step: number; readonly text: string }
  | {
      readonly kind: "tool";
      readonly step: number;
      readonly callId: string;
      readonly name: string;
      readonly input: unknown;
      /** The text of the arguments, if JSON.stringify(input) differs. */
      readonly inputText?: string;
      readonly output: string;
    };

/** `id`: the caller knows the message by it. */
export type HistoryMessage = { readonly id?: string } & (
  | { readonly role: "user"; readonly text: string; readonly attachments?: readonly string[] }
  | { readonly role: "assistant"; readonly parts: readonly HistoryPart[] }
);

/** Result of a caller's tool, stored as the decision on its call. The first of a request also has the request's settings. */
export type SuppliedResult = { readonly output: string; readonly caller?: CallerRequest; readonly model?: string };

export const toQueued = (row: RowOf<"inputs">): QueuedInput => ({
  id: row.id,
  kind: row.kind as QueuedInput["kind"],
  mode: row.mode,
  text: toInputBody(row).text,
  ...toQueuedFiles(row.kind, toInputBody(row)),
  createdAt: row.created_at,
  ...toAuthor(row),
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
  ...toAuthor(row),
});

/** Columns of the author of an input or message. */
export const toAuthorColumns = (
  author: MessageAuthor | null,
): { author: string | null; author_name: string | null } => ({
  author: author?.id ?? null,
  author_name: author?.name ?? null,
});

const toAuthor = ({
  author,
  author_name: name,
}: Pick<RowOf<"messages">, "author" | "author_name">): { readonly author?: MessageAuthor } =>
  author === null ? {} : { author: { id: author, name: name ?? "" } };

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
