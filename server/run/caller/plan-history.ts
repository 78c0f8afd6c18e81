import { threadStream } from "../../../protocol/ids.ts";
import type { Part } from "../../../protocol/parts.ts";
import { textOf } from "../../../protocol/fold.ts";
import type { LogEntry } from "../../log/log.ts";
import type { Write } from "../../store/contract.ts";
import type { RowOf } from "../../store/schema.ts";
import { toHead, type HistoryMessage, type InputBody } from "../../thread/rows.ts";
import { indexMessage } from "../../thread/search-docs.ts";
import { countHistoryPart, toHistoryParts } from "./caller.ts";
import { toMessageEvents, toMessageRow } from "../message-rows.ts";
import type { RunDeps } from "../run-context.ts";

type BranchPoint = { readonly branchId: string; readonly depth: number; readonly variants: readonly string[] };
type Options = { readonly body: InputBody; readonly branchPoint: BranchPoint; readonly now: number };
type PlannedHistory = {
  readonly rows: readonly RowOf<"messages">[];
  readonly events: readonly LogEntry[];
  readonly writes: readonly Write[];
  /** Messages with attached files, by the id of their row. */
  readonly withFiles: readonly { readonly input: { readonly id: string }; readonly body: InputBody }[];
};

/** Messages that the caller sent before its last one and that the thread does not have yet. */
export async function planHistory(
  { ids }: RunDeps,
  thread: RowOf<"threads">,
  { body, branchPoint, now }: Options,
): Promise<PlannedHistory> {
  const stream = threadStream(thread.id);
  const planned = (body.history ?? []).map((message, index) => {
    const row = toMessageRow({
      ...{
        thread,
        id: message.id ?? ids.next(),
        branchPoint,
        depth: branchPoint.depth + index,
        role: message.role,
        runId: null,
        now,
      },
    });
    const variants = index === 0 && branchPoint.variants.length > 0 ? [...branchPoint.variants, row.id] : [];
    const head = toHead(row, variants);
    const parts = toParts(message, row.id);
    const events: LogEntry[] =
      message.role === "user"
        ? toMessageEvents(stream, head, message)
        : [
            { stream, event: { type: "message-added", message: head } },
            ...parts.map((part): LogEntry => ({
              stream,
              event: { type: "part-settled", messageId: row.id, part },
              tokens: countHistoryPart(part),
            })),
          ];
    const text = message.role === "user" ? message.text : textOf(parts);
    const writes: Write[] = [{ do: "insert", table: "messages", row }, ...indexMessage(thread, row, text)];
    const attachments = message.role === "user" ? (message.attachments ?? []) : [];
    return { row, events, writes, attachments };
  });
  return {
    rows: planned.map(({ row }) => row),
    events: planned.flatMap(({ events }) => events),
    writes: planned.flatMap(({ writes }) => writes),
    withFiles: planned.map(({ row, attachments }) => ({
      input: { id: row.id },
      body: { text: "", model: null, target: null, attachments },
    })),
  };
}

const toParts = (message: HistoryMessage, messageId: string): readonly Part[] =>
  message.role === "user" ? [] : toHistoryParts(message.parts, messageId);
