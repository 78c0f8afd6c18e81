import type { SummaryFields, SummaryView } from "../../protocol/context/summary.ts";
import { ApiError } from "../../protocol/errors.ts";
import type { ReserveBudget } from "../cost/cost.ts";
import type { Models } from "../model/model.ts";
import type { Reads, Store } from "../store/contract.ts";
import type { RowOf } from "../store/schema.ts";
import {
  editSummary,
  checkSameAction,
  getSummary,
  toSummaryInput,
  undoSummary,
  type SummaryAction,
} from "./change-summary.ts";
import { createSummaryKind } from "./job.ts";
import type { Timeouts } from "./make/ask-model.ts";
import type { MakeDeps } from "./make/make-summary.ts";
import { loadPath, loadSince } from "./path.ts";
import { hashJson, toChanged } from "./plan-rows.ts";
import { chooseCover, type Gap } from "./cover.ts";
import { limits } from "./plan-ranges.ts";
import { createPlanner, type PlannerOptions } from "./planner.ts";
import { toPathSummary, toSummaryView, type PathSummary } from "./views.ts";
export { findUnfaithful } from "./check.ts";
export { renderSummary } from "./render-summary.ts";
export { createSummarizeTool } from "./summarize-tool.ts";
export type { PathSummary } from "./views.ts";

/**
 * Summaries of conversations, made in the background after turns or on the user's request. Each covers a range of a path. Only
 * the user's edits change a finished summary. The oldest are merged, so older messages stay covered. No turn waits for one.
 */
export type Summaries = ReturnType<typeof createSummaries>;

type Options = Omit<PlannerOptions, "read"> & {
  readonly store: Pick<Store, "read">;
  readonly models: Pick<Models, "find" | "isLocal" | "list" | "forUser">;
  readonly reserveBudget: ReserveBudget;
  /** Without it a model's window is the one that it claims. */
  readonly findWindow?: MakeDeps["findWindow"];
  /** The operator's list of models. Undefined: the defaults. */
  readonly wanted?: readonly string[] | undefined;
  readonly onError: (error: unknown) => void;
  readonly timeouts?: Timeouts;
};

type Progress = { readonly messages: number; readonly tokens: number; readonly leastMessages: number };

export function createSummaries(options: Options) {
  const { store, log, clock, wake } = options;
  const { read } = store;
  const { planDue, planManual } = createPlanner({ ...options, read });
  const counts = { completed: 0, partial: 0, failed: 0 };

  const turns = createDebouncedQueue(planDue, options.onError);

  const begin = async (thread: RowOf<"threads">, id: string, hash: string): Promise<string> => {
    const { summaryId, writes } = await planManual(thread);
    const now = clock.now();
    const input = toSummaryInput({ threadId: thread.id, id, kind: "summarize", hash, body: { summaryId }, now });
    const result = await log.commit({
      events: [toChanged(thread.id)],
      writes: [{ do: "insert", table: "inputs", row: input }, ...writes],
    });
    if (result.ok) return summaryId;
    const winner = await read.input(thread.id, id);
    if (winner && checkSameAction(winner, hash)) return (JSON.parse(winner.body) as { summaryId: string }).summaryId;
    throw new ApiError("conflict", "The thread changed in the meantime. Reload it, then try again.");
  };

  return {
    /** The kind of job, passed to `createJobs`. */
    kind: createSummaryKind({
      findWindow: async (_, claimed) => claimed ?? Number.POSITIVE_INFINITY,
      ...options,
      read,
      wanted: options.wanted,
      onMade: (status) => void (counts[status] += 1),
      after: async (threadId) => {
        const thread = await read.thread(threadId);
        if (thread) await planDue(threadId, thread.branch);
      },
    }),

    /** After a run. Not awaited; a lost call is made up for by the next one. */
    afterTurn: turns.add,

    /** The same without the delay. */
    planDue,

    /** The summaries of a path up to a depth, in order, and the depths that none of them covers. */
    forPath: findOnPath,

    summariesOf: async (
      reads: Pick<Reads, "segments" | "summariesOn">,
      place: { readonly thread: string; readonly branch: string; readonly upTo: number },
    ): Promise<readonly PathSummary[]> => (await findOnPath(reads, place)).summaries,

    planManual,

    list: (thread: Pick<RowOf<"threads">, "id" | "branch">, limit: number) => listSummaries(read, thread, limit),

    get: ({ threadId, summaryId }: Pick<SummaryAction, "threadId" | "summaryId">): Promise<SummaryView> =>
      getSummary(read, threadId, summaryId),

    /** Starts a summary. Its row exists when this resolves. */
    summarizeNow: async (thread: RowOf<"threads">, { id }: { readonly id: string }): Promise<SummaryView> => {
      const hash = hashJson(["summarize"]);
      const known = await read.input(thread.id, id);
      const summaryId = known
        ? checkSameAction(known, hash) && (JSON.parse(known.body) as { summaryId: string }).summaryId
        : await begin(thread, id, hash);
      wake();
      const row = await read.summary(summaryId);
      if (!row) throw new ApiError("not-found", "Not found.");
      return (await toViews(read, thread.id, [row]))[0] as SummaryView;
    },

    edit: (act: SummaryAction, fields: SummaryFields): Promise<SummaryView> =>
      editSummary({ read, log, clock }, act, fields),
    undo: (act: SummaryAction): Promise<SummaryView> => undoSummary({ read, log, clock }, act),

    stats: () => counts,

    /** Resolves when no planning is running. */
    close: turns.close,
  };
}

/** Summaries of the active path, newest first, and the messages since the last one. */
async function listSummaries(
  read: Store["read"],
  { id, branch }: Pick<RowOf<"threads">, "id" | "branch">,
  limit: number,
): Promise<{ summaries: SummaryView[]; since: Progress }> {
  const path = await loadPath(read, { thread: id, branch });
  const rows = (await read.summaries(id, path.segments, limit)).toSorted(
    (a, b) => b.created_at - a.created_at || b.to_depth - a.to_depth,
  );
  const since = await loadSince(read, id, path);
  return {
    summaries: await toViews(read, id, rows),
    since: {
      messages: since.length,
      tokens: since.reduce((sum, { tokens }) => sum + tokens, 0),
      leastMessages: limits.leastMessages,
    },
  };
}

async function findOnPath(
  reads: Pick<Reads, "segments" | "summariesOn">,
  place: { readonly thread: string; readonly branch: string; readonly upTo: number },
): Promise<{ readonly summaries: readonly PathSummary[]; readonly uncovered: readonly Gap[] }> {
  const { rows, end } = await loadPath(reads, place);
  const { cover, gaps } = chooseCover(rows, Math.min(place.upTo, end));
  return { summaries: cover.map(toPathSummary), uncovered: gaps };
}

async function toViews(
  read: Pick<Reads, "editedSummaries">,
  threadId: string,
  rows: readonly RowOf<"summaries">[],
): Promise<SummaryView[]> {
  const edited = await read.editedSummaries(
    threadId,
    rows.map(({ id }) => id),
  );
  return rows.map((row) => toSummaryView(row, edited.has(row.id)));
}

/** Long enough for the response to be sent, and to handle several turns in one pass. */
const DELAY_MS = 150;

/** Collects threads whose turn has ended and plans them one by one after a delay, so that no response is slowed down. */
function createDebouncedQueue(
  look: (threadId: string, branchId: string) => Promise<void>,
  onError: (error: unknown) => void,
) {
  const waiting = new Map<string, string>();
  let timer: NodeJS.Timeout | undefined;
  let looking: Promise<void> = Promise.resolve();
  let closed = false;

  const lookAll = async (): Promise<void> => {
    for (const [threadId, branchId] of waiting) {
      if (closed) return;
      waiting.delete(threadId);
      await look(threadId, branchId).catch(onError);
    }
  };
  return {
    add: (threadId: string, branchId: string): void => {
      if (closed) return;
      waiting.set(threadId, branchId);
      timer ??= setTimeout(() => {
        timer = undefined;
        looking = looking.then(lookAll);
      }, DELAY_MS).unref();
    },
    close: async (): Promise<void> => {
      closed = true;
      clearTimeout(timer);
      await looking;
    },
  };
}
