import type { MessageHead } from "../../protocol/events.ts";
import type { threadStream } from "../../protocol/ids.ts";
import { PART_VERSION, type Part } from "../../protocol/parts.ts";
import { countTokens } from "../lib/tokens.ts";
import type { LogEntry } from "../log/log.ts";
import type { Write } from "../store/contract.ts";
import type { RowOf } from "../store/schema.ts";
import type { InputBody } from "../thread/rows.ts";
import { planAttachments, type AttachedFiles } from "./plan-attached.ts";
import type { RunDeps } from "./run-context.ts";

type InputWithBody = {
  readonly input: Pick<RowOf<"inputs">, "id"> & Partial<Pick<RowOf<"inputs">, "author">>;
  readonly body: Pick<InputBody, "attachments">;
};

/** Attached files by input id. Their refs continue after the highest ref of the thread. */
export async function planInputFiles(
  deps: RunDeps,
  thread: RowOf<"threads">,
  asked: readonly InputWithBody[],
  { model, now }: { readonly model: string; readonly now: number },
): Promise<ReadonlyMap<string, AttachedFiles>> {
  const found = new Map<string, AttachedFiles>();
  const withFiles = asked.filter(({ body }) => (body.attachments ?? []).length > 0);
  if (withFiles.length === 0) return found;
  let lastRef = await deps.store.read.lastRef(thread.id);
  for (const { input, body } of withFiles) {
    const files = await planAttachments(deps, {
      thread,
      owner: input.author ?? thread.owner,
      messageId: input.id,
      ids: body.attachments ?? [],
      lastRef,
      windowTokens: deps.models.find(model)?.info.windowTokens ?? null,
      now,
    });
    found.set(input.id, files);
    lastRef += files.writes.filter((write) => write.table === "artifacts").length;
  }
  return found;
}

/** Marks an input as delivered. The batch fails if it was delivered or withdrawn already. */
export const markDelivered = ({ thread, id }: RowOf<"inputs">): Write => ({
  do: "update",
  table: "inputs",
  set: { state: "delivered" },
  where: { thread, id, state: "queued" },
  expectOne: true,
});

type NewMessage = {
  readonly thread: RowOf<"threads">;
  readonly id: string;
  readonly branchPoint: { readonly branchId: string };
  readonly depth: number;
  readonly role: "user" | "assistant";
  readonly runId: string | null;
  readonly now: number;
  /** The input that becomes the message. */
  readonly from?: Pick<RowOf<"inputs">, "author" | "author_name">;
};

export const toMessageRow = ({
  thread,
  id,
  branchPoint,
  depth,
  role,
  runId,
  now,
  from,
}: NewMessage): RowOf<"messages"> => ({
  thread: thread.id,
  id,
  branch: branchPoint.branchId,
  depth,
  role,
  run: runId,
  created_at: now,
  author: from?.author ?? null,
  author_name: from?.author_name ?? null,
});

/** Events for a user message and its text part. `untrusted`: sources of the text. */
export function toMessageEvents(
  stream: ReturnType<typeof threadStream>,
  message: MessageHead,
  { text, untrusted }: Pick<InputBody, "text" | "untrusted">,
): LogEntry[] {
  const head = { id: `${message.id}.0`, v: PART_VERSION, n: 0, step: 0 } as const;
  const part: Part = { ...head, kind: "text", state: "done", text, ...(untrusted ? { untrusted } : {}) };
  return [
    { stream, event: { type: "message-added", message } },
    { stream, event: { type: "part-settled", messageId: message.id, part }, tokens: countTokens(text) },
  ];
}
