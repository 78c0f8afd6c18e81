import { createHash } from "node:crypto";
import { threadStream } from "../../protocol/ids.ts";
import { planJob } from "../jobs/jobs.ts";
import type { Ids } from "../lib/ids.ts";
import type { LogEntry } from "../log/log.ts";
import type { Write } from "../store/contract.ts";
import type { RowOf } from "../store/schema.ts";
import type { RangeStart } from "./plan-ranges.ts";

export const SUMMARY = "summary";

/** The body of a summary job. The rest is in the summary's row. */
export type SummaryJob = { readonly summaryId: string; readonly children?: readonly string[] };

type PlanInput = {
  readonly thread: Pick<RowOf<"threads">, "id" | "owner">;
  readonly cause: "auto" | "manual";
  readonly ids: Ids;
  readonly now: number;
};

/** The row of a new summary, and its job. The id is derived from the source, so the same range is never paid for twice. */
export function planRange(
  planned: PlanInput,
  range: readonly RangeStart[],
): { readonly id: string; readonly writes: readonly Write[] } {
  const [first, last] = [range[0], range.at(-1)];
  if (!first || !last) throw new Error("A summary range must have at least one message.");
  return plan(planned, {
    hash: hashJson(range.map(({ id, tokens }) => [id, tokens])),
    branch: last.branch,
    from_depth: first.depth,
    to_depth: last.depth,
    from_message: first.id,
    to_message: last.id,
    messages: range.length,
    level: 0,
    source_tokens: range.reduce((sum, { tokens }) => sum + tokens, 0),
  });
}

/** A summary that merges others, one level above them. */
export function planMerged(planned: PlanInput, children: readonly RowOf<"summaries">[]): ReturnType<typeof planRange> {
  const [first, last] = [children[0], children.at(-1)];
  if (!first || !last) throw new Error("A merge needs at least one summary.");
  return plan(
    planned,
    {
      hash: hashJson(children.map(({ id, updated_at }) => [id, updated_at])),
      branch: last.branch,
      from_depth: first.from_depth,
      to_depth: last.to_depth,
      from_message: first.from_message,
      to_message: last.to_message,
      messages: children.reduce((sum, { messages }) => sum + messages, 0),
      level: Math.max(...children.map(({ level }) => level)) + 1,
      source_tokens: children.reduce((sum, { tokens }) => sum + tokens, 0),
    },
    children.map(({ id }) => id),
  );
}

type Range = Pick<
  RowOf<"summaries">,
  "hash" | "branch" | "from_depth" | "to_depth" | "from_message" | "to_message" | "messages" | "level" | "source_tokens"
>;

function plan({ thread, cause, ids, now }: PlanInput, range: Range, children?: readonly string[]) {
  const id = toId(thread.id, range.hash);
  const row: RowOf<"summaries"> = {
    ...range,
    id,
    thread: thread.id,
    status: "generating",
    cause,
    fields: null,
    tokens: 0,
    cost_usd: null,
    model: null,
    tainted: 0,
    untrusted: "[]",
    merged_into: null,
    error: null,
    created_at: now,
    updated_at: now,
  };
  const body: SummaryJob = { summaryId: id, ...(children ? { children } : {}) };
  const job = planJob({
    id: ids.next(),
    kind: SUMMARY,
    key: id,
    threadId: thread.id,
    ownerId: thread.owner,
    body,
    now,
  });
  return { id, writes: [{ do: "insert", table: "summaries", row, ifAbsent: true } satisfies Write, ...job] };
}

/** Retries a summary that failed or was made without a model. Its text stays until it is replaced. */
export function planAgain({ thread, ids, now }: PlanInput, row: RowOf<"summaries">): readonly Write[] {
  const where = { id: row.id, status: row.status, updated_at: row.updated_at };
  const body: SummaryJob = { summaryId: row.id };
  return [
    {
      do: "update",
      table: "summaries",
      set: { status: "generating", cause: "manual", error: null },
      where,
      expectOne: true,
    },
    ...planJob({ id: ids.next(), kind: SUMMARY, key: row.id, threadId: thread.id, ownerId: thread.owner, body, now }),
  ];
}

export const toChanged = (threadId: string): LogEntry => ({
  stream: threadStream(threadId),
  event: { type: "context-changed", what: "summaries" },
});

export const hashJson = (content: unknown): string =>
  createHash("sha256").update(JSON.stringify(content)).digest("base64url");

/** A UUID derived from its content. */
export function toId(...of: readonly string[]): string {
  const hex = createHash("sha256").update(JSON.stringify(of)).digest("hex");
  const id = `${hex.slice(0, 12)}8${hex.slice(12, 15)}8${hex.slice(15, 30)}`;
  return id.replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, "$1-$2-$3-$4-$5");
}
