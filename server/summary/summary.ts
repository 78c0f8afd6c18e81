import type { PolicyName } from "../../protocol/context/policy.ts";
import type { SummaryFields, SummaryView } from "../../protocol/context/summary.ts";
import { ApiError } from "../../protocol/errors.ts";
import type { ReserveBudget } from "../cost/cost.ts";
import type { Clock } from "../lib/clock.ts";
import type { Ids } from "../lib/ids.ts";
import type { Log } from "../log/log.ts";
import type { Models } from "../model/model.ts";
import { toThreadOptions, type Reads, type Store, type Write } from "../store/contract.ts";
import type { RowOf } from "../store/schema.ts";
import { editSummary, checkSameAction, toInput, undoSummary, type SummaryAction } from "./change-summary.ts";
import { createSummaryKind } from "./job.ts";
import type { Timeouts } from "./make/ask-model.ts";
import type { MakeDeps } from "./make/make-summary.ts";
import { loadPath, loadSince, type SummarizedPath } from "./path.ts";
import { hashOf, planAgain, planMerged, planRange, toChanged } from "./plan-rows.ts";
import { chooseCover, isUsable, type Gap } from "./cover.ts";
import { planMerge } from "./plan-merge.ts";
import { limits, planClosed, planNow, planWhole, type RangeStart } from "./plan-ranges.ts";
import { toChunk, toFields, toView, type Chunk } from "./views.ts";
export { findUnfaithful } from "./check.ts";
export { renderChunk } from "./render-chunk.ts";
export { createSummarizeTool } from "./summarize-tool.ts";
export type { Chunk } from "./views.ts";

/**
 * SUMMARIES of what was said, made in the background. In: turns that have ended, a person's wish. Out: chunks that stand for
 * ranges of a path, and the ranges that none stands for yet. A chunk is immutable but for a person's edits; the oldest are
 * merged, so nothing older vanishes. No turn ever waits for one.
 */
export type Summaries = ReturnType<typeof createSummaries>;

type Options = {
  readonly store: Pick<Store, "read">;
  readonly log: Pick<Log, "commit">;
  readonly models: Pick<Models, "find" | "isLocal">;
  readonly clock: Clock;
  readonly ids: Ids;
  readonly reserveBudget: ReserveBudget;
  /** A smaller window than a model claims, as its server has shown. */
  readonly findLearned?: MakeDeps["findLearned"];
  /** The operator's list of models; undefined: the usual ones. */
  readonly wanted?: readonly string[] | undefined;
  readonly policyOf?: (thread: RowOf<"threads">) => Promise<PolicyName>;
  /** Jobs are there to be looked for. */
  readonly wake: () => void;
  readonly onError: (error: unknown) => void;
  readonly timeouts?: Timeouts;
};

export type Progress = { readonly messages: number; readonly tokens: number; readonly leastMessages: number };

/** So many ranges at once; the next follow when these are made. */
const AT_ONCE = 8;
/** Messages that are looked at for them: enough for that many of the shortest. */
const LOOKED_AT = 1_000;

export function createSummaries(options: Options) {
  const {
    store,
    log,
    clock,
    ids,
    wake,
    policyOf = async (thread) => toThreadOptions(thread).policy ?? "stone",
  } = options;
  const { read } = store;
  const counts = { completed: 0, partial: 0, failed: 0 };

  const planAuto = (policy: PolicyName, since: readonly RangeStart[]): readonly (readonly RangeStart[])[] =>
    policy === "summary" ? planWhole(since) : policy === "stone" ? planClosed(since) : [];

  /** Plans what is due on a path. Nothing to do costs three reads. */
  const planDue = async (threadId: string, branchId: string): Promise<void> => {
    const thread = await read.thread(threadId);
    const policy = thread && (await policyOf(thread));
    if (!thread || (policy !== "stone" && policy !== "summary")) return wake();
    const path = await loadPath(read, { thread: threadId, branch: branchId });
    const planned = { thread, cause: "auto" as const, ids, now: clock.now() };
    const ranges = planAuto(policy, await loadSince(read, threadId, path, LOOKED_AT)).slice(0, AT_ONCE);
    const writes = [
      ...ranges.flatMap((range) => planRange(planned, range).writes),
      ...planMergeOf(path, (children) => planMerged(planned, children)),
    ];
    if (writes.length > 0) await log.commit({ events: [toChanged(threadId)], writes });
    wake();
  };

  const turns = createDebouncedQueue(planDue, options.onError);

  const findChunks = async (
    reads: Pick<Reads, "segments" | "summariesOn">,
    place: { readonly thread: string; readonly branch: string; readonly upTo: number },
  ): Promise<{ readonly chunks: readonly Chunk[]; readonly uncovered: readonly Gap[] }> => {
    const { rows, end } = await loadPath(reads, place);
    const { cover, gaps } = chooseCover(rows, Math.min(place.upTo, end));
    return { chunks: cover.map(toChunk), uncovered: gaps };
  };

  const toViews = async (threadId: string, rows: readonly RowOf<"summaries">[]): Promise<SummaryView[]> => {
    const edited = await read.editedSummaries(
      threadId,
      rows.map(({ id }) => id),
    );
    return rows.map((row) => toView(row, edited.has(row.id)));
  };

  /** What a person asks for: everything since the last summary, or the last one again where it had to do without a model. */
  const planManual = async (thread: RowOf<"threads">): Promise<ManualPlan> => {
    const path = await loadPath(read, { thread: thread.id, branch: thread.branch });
    const since = await loadSince(read, thread.id, path);
    const planned = { thread, cause: "manual" as const, ids, now: clock.now() };
    const ranges = planNow(since).map((range) => planRange(planned, range));
    const made = ranges.at(-1);
    if (made) return { summaryId: made.id, writes: ranges.flatMap(({ writes }) => writes), messages: since.length };
    const last = path.rows.filter(({ level }) => level === 0).toSorted((a, b) => b.to_depth - a.to_depth)[0];
    if (last?.status === "generating") return { summaryId: last.id, writes: [], messages: last.messages };
    const isAgain = last?.error !== null && last?.merged_into === null && last.model === null;
    if (last && isAgain && !(await read.editedSummaries(thread.id, [last.id])).has(last.id))
      return { summaryId: last.id, writes: planAgain(planned, last), messages: last.messages };
    throw new ApiError("conflict", describeTooFew(since.length, path.rows.some(isUsable)));
  };

  return {
    /** For `createJobs`. */
    kind: createSummaryKind({
      findLearned: async () => null,
      ...options,
      read,
      wanted: options.wanted,
      onMade: (status) => void (counts[status] += 1),
      after: async (threadId) => {
        const thread = await read.thread(threadId);
        if (thread) await planDue(threadId, thread.branch);
      },
    }),

    /** After a run has ended. Nobody waits for it; one that is lost is made good by the next. */
    afterTurn: turns.add,

    /** The same, at once. */
    planDue,

    /** The chunks of a path up to a depth, in order, and the depths that none of them tells of: lines stand in for those. */
    forPath: findChunks,

    chunksOf: async (
      reads: Pick<Reads, "segments" | "summariesOn">,
      place: { readonly thread: string; readonly branch: string; readonly upTo: number },
    ): Promise<readonly Chunk[]> => (await findChunks(reads, place)).chunks,

    planManual,

    /** Of the active path, newest first; and what has come since the last. */
    list: async (
      { id, branch }: Pick<RowOf<"threads">, "id" | "branch">,
      limit: number,
    ): Promise<{ summaries: SummaryView[]; since: Progress }> => {
      const path = await loadPath(read, { thread: id, branch });
      const rows = (await read.summaries(id, path.segments, limit)).toSorted(
        (a, b) => b.created_at - a.created_at || b.to_depth - a.to_depth,
      );
      const since = await loadSince(read, id, path);
      return {
        summaries: await toViews(id, rows),
        since: {
          messages: since.length,
          tokens: since.reduce((sum, { tokens }) => sum + tokens, 0),
          leastMessages: limits.leastMessages,
        },
      };
    },

    /** Begins one at once; its row is there when this resolves. */
    summarizeNow: async (thread: RowOf<"threads">, { id }: { readonly id: string }): Promise<SummaryView> => {
      const hash = hashOf(["summarize"]);
      const known = await read.input(thread.id, id);
      const summaryId = known
        ? checkSameAction(known, hash) && (JSON.parse(known.body) as { summaryId: string }).summaryId
        : await begin(thread, id, hash);
      wake();
      const row = await read.summary(summaryId);
      if (!row) throw new ApiError("not-found", "There is nothing of yours under this id.");
      return (await toViews(thread.id, [row]))[0] as SummaryView;
    },

    edit: (act: SummaryAction, fields: SummaryFields): Promise<SummaryView> =>
      editSummary({ read, log, clock }, act, fields),
    undo: (act: SummaryAction): Promise<SummaryView> => undoSummary({ read, log, clock }, act),

    stats: () => counts,

    /** Resolves when nothing is being planned. */
    close: turns.close,
  };

  async function begin(thread: RowOf<"threads">, id: string, hash: string): Promise<string> {
    const { summaryId, writes } = await planManual(thread);
    const now = clock.now();
    const input = toInput({ threadId: thread.id, id, kind: "summarize", hash, body: { summaryId }, now });
    const result = await log.commit({
      events: [toChanged(thread.id)],
      writes: [{ do: "insert", table: "inputs", row: input }, ...writes],
    });
    if (result.ok) return summaryId;
    const winner = await read.input(thread.id, id);
    if (winner && checkSameAction(winner, hash)) return (JSON.parse(winner.body) as { summaryId: string }).summaryId;
    throw new ApiError("conflict", "The thread has changed meanwhile: look again, then retry.");
  }
}

export type ManualPlan = {
  readonly summaryId: string;
  readonly writes: readonly Write[];
  /** That it tells of. */
  readonly messages: number;
};

/** The oldest as one, unless that is being made already or could not be. */
function planMergeOf(
  { rows, end }: SummarizedPath,
  plan: (children: readonly RowOf<"summaries">[]) => { readonly id: string; readonly writes: readonly Write[] },
): readonly Write[] {
  if (rows.some(({ level, status }) => level > 0 && status === "generating")) return [];
  const children = planMerge(
    chooseCover(rows, end).cover.filter((row) => toFields(row) !== null && row.status !== "generating"),
  );
  if (children.length === 0) return [];
  const { id, writes } = plan(children);
  return rows.some((row) => row.id === id) ? [] : writes;
}

const describeTooFew = (messages: number, isSummed: boolean): string =>
  `A summary needs at least ${limits.leastMessages} messages, and there ${messages === 1 ? "is" : "are"} only ${messages}` +
  `${isSummed ? " since the last one" : " so far"}. Say a little more first.`;

/** Long enough that the answer is out of the door, and that turns in a row are looked at once. */
const DELAY_MS = 150;

/** Gathers threads whose turn has ended and looks at them a moment later, one after the other, so that no answer is slower for it. */
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
