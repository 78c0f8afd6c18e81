import { ApiError } from "../../protocol/errors.ts";
import type { SummaryFields, SummaryView } from "../../protocol/context/summary.ts";
import type { Clock } from "../lib/clock.ts";
import type { Log } from "../log/log.ts";
import type { Reads, Write } from "../store/contract.ts";
import type { RowOf } from "../store/schema.ts";
import { countChunk } from "./job.ts";
import { hashJson, toChanged, toId } from "./plan-rows.ts";
import { toSummaryView } from "./views.ts";
import { toAuthorColumns } from "../thread/rows.ts";

type Deps = { readonly read: Reads; readonly log: Pick<Log, "commit">; readonly clock: Clock };

export type SummaryAction = { readonly id: string; readonly threadId: string; readonly summaryId: string };

/** Replaces a summary with the user's text. The earlier version is stored for undo. */
export async function editSummary(deps: Deps, act: SummaryAction, fields: SummaryFields): Promise<SummaryView> {
  const now = deps.clock.now();
  return change(deps, { ...act, kind: "edit-summary", content: fields }, async (row) => {
    const after = JSON.stringify(fields);
    const { threadId: thread, summaryId: summary } = act;
    const id = toId(thread, summary, `edit ${act.id}`);
    const kept = { id, thread, summary, before: row.fields ?? "", after, undone: 0, created_at: now };
    return { fields, writes: [{ do: "insert", table: "summary_changes", row: kept }] };
  });
}

/** Undoes the newest edit that was not undone yet. */
export function undoSummary(deps: Deps, act: SummaryAction): Promise<SummaryView> {
  return change(deps, { ...act, kind: "undo-summary", content: null }, async () => {
    const edits = await deps.read.summaryChanges(act.threadId, act.summaryId);
    const newest = edits.find(({ undone }) => undone === 0);
    if (!newest) throw new ApiError("conflict", "This summary has no edit to undo.");
    return {
      fields: JSON.parse(newest.before) as SummaryFields,
      writes: [
        {
          do: "update",
          table: "summary_changes",
          set: { undone: 1 },
          where: { id: newest.id, undone: 0 },
          expectOne: true,
        },
      ],
    };
  });
}

export async function getSummary(read: Deps["read"], threadId: string, summaryId: string): Promise<SummaryView> {
  const row = ofThread(await read.summary(summaryId), threadId);
  const isEdited = (await read.summaryChanges(threadId, summaryId)).some(({ undone }) => undone === 0);
  return toSummaryView(row, isEdited);
}

type Change = { readonly fields: SummaryFields; readonly writes: readonly Write[] };

async function change(
  { read, log, clock }: Deps,
  { id, threadId, summaryId, kind, content }: SummaryAction & { readonly kind: string; readonly content: unknown },
  plan: (row: RowOf<"summaries">) => Promise<Change>,
): Promise<SummaryView> {
  const view = (): Promise<SummaryView> => getSummary(read, threadId, summaryId);
  const hash = hashJson([kind, summaryId, content]);
  const row = ofThread(await read.summary(summaryId), threadId);
  const known = await read.input(threadId, id);
  if (known) return checkSameAction(known, hash) && view();
  checkOpen(row);
  const { fields, writes } = await plan(row);
  const set = {
    fields: JSON.stringify(fields),
    tokens: countChunk(fields, row.tainted === 1),
    updated_at: Math.max(clock.now(), row.updated_at + 1),
  };
  const where = { id: row.id, updated_at: row.updated_at };
  const result = await log.commit({
    events: [toChanged(threadId)],
    writes: [
      {
        do: "insert",
        table: "inputs",
        row: toSummaryInput({ threadId, id, kind, hash, body: { summaryId }, now: clock.now() }),
      },
      { do: "update", table: "summaries", set, where, expectOne: true },
      ...writes,
    ],
  });
  if (result.ok) return view();
  const winner = await read.input(threadId, id);
  if (winner) return checkSameAction(winner, hash) && view();
  throw new ApiError("conflict", "The summary changed in the meantime. Reload it, then try again.");
}

function checkOpen({ fields, status, merged_into: mergedInto }: RowOf<"summaries">): void {
  if (fields === null || status === "generating")
    throw new ApiError("conflict", "This summary is not finished yet. Try again when it is.");
  if (mergedInto !== null)
    throw new ApiError("conflict", "This summary was merged into a later one. Edit that one instead.");
}

type InputContent = {
  readonly threadId: string;
  readonly id: string;
  readonly kind: string;
  readonly hash: string;
  readonly body: object;
  readonly now: number;
};

/** The action under the client's id, so that a repeated request gets the same response. */
export const toSummaryInput = ({ threadId, id, kind, hash, body, now }: InputContent) =>
  ({
    thread: threadId,
    id,
    kind,
    mode: "queue",
    hash,
    body: JSON.stringify(body),
    state: "done",
    seq: { seqOf: 0 },
    created_at: now,
    ...toAuthorColumns(null),
  }) as const;

export function checkSameAction(known: RowOf<"inputs">, hash: string): true {
  if (known.hash === hash) return true;
  throw new ApiError("conflict", "This id was already used with different content. Use a new id for a new request.");
}

/** Ids of other threads are treated like unknown ids. */
function ofThread(row: RowOf<"summaries"> | undefined, threadId: string): RowOf<"summaries"> {
  if (row?.thread === threadId) return row;
  throw new ApiError("not-found", "Not found.");
}
