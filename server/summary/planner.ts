import type { PolicyName } from "../../protocol/context/policy.ts";
import { ApiError } from "../../protocol/errors.ts";
import type { Clock } from "../lib/clock.ts";
import type { Ids } from "../lib/ids.ts";
import type { Log } from "../log/log.ts";
import { toThreadOptions, type Reads, type Write } from "../store/contract.ts";
import type { RowOf } from "../store/schema.ts";
import { chooseCover, isUsable } from "./cover.ts";
import { loadPath, loadSince, type SummarizedPath } from "./path.ts";
import { planMerge } from "./plan-merge.ts";
import { limits, planClosed, planNow, planWhole, type RangeStart } from "./plan-ranges.ts";
import { planAgain, planMerged, planRange, toChanged } from "./plan-rows.ts";
import { parseFields } from "./views.ts";

export type PlannerOptions = {
  readonly read: Reads;
  readonly log: Pick<Log, "commit">;
  readonly clock: Clock;
  readonly ids: Ids;
  readonly policyOf?: (thread: RowOf<"threads">) => Promise<PolicyName>;
  /** Called when there may be new jobs. */
  readonly wake: () => void;
};

/** Ranges planned at once. The next follow when these are finished. */
const AT_ONCE = 8;
/** Messages read to plan them: enough for that many ranges of the shortest kind. */
const LOOKED_AT = 1_000;

/** The thread. In a shared thread, the user who asked last pays for summaries, so that user is returned as its owner. */
async function findPaidThread(
  read: Pick<Reads, "thread" | "runs">,
  threadId: string,
): Promise<RowOf<"threads"> | undefined> {
  const thread = await read.thread(threadId);
  if (thread?.shared !== 1) return thread;
  const [newest] = await read.runs(threadId, 1);
  return { ...thread, owner: newest?.asker ?? thread.owner };
}

/** Decides which summaries a thread needs, and plans their rows and jobs. */
export function createPlanner({
  read,
  log,
  clock,
  ids,
  wake,
  policyOf = async (thread) => toThreadOptions(thread).policy ?? "stone",
}: PlannerOptions) {
  /** Plans due summaries on a path. Costs three reads if there are none. */
  const planDue = async (threadId: string, branchId: string): Promise<void> => {
    const thread = await findPaidThread(read, threadId);
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

  /** On the user's request: summarizes everything since the last summary, or retries the last one if it was made without a model. */
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

  return { planDue, planManual };
}

const planAuto = (policy: PolicyName, since: readonly RangeStart[]): readonly (readonly RangeStart[])[] =>
  policy === "summary" ? planWhole(since) : policy === "stone" ? planClosed(since) : [];

type ManualPlan = {
  readonly summaryId: string;
  readonly writes: readonly Write[];
  /** Number of messages that it covers. */
  readonly messages: number;
};

/** Merges the oldest summaries, unless a merge is running or the same merge was planned before. */
function planMergeOf(
  { rows, end }: SummarizedPath,
  plan: (children: readonly RowOf<"summaries">[]) => { readonly id: string; readonly writes: readonly Write[] },
): readonly Write[] {
  if (rows.some(({ level, status }) => level > 0 && status === "generating")) return [];
  const children = planMerge(
    chooseCover(rows, end).cover.filter((row) => parseFields(row) !== null && row.status !== "generating"),
  );
  if (children.length === 0) return [];
  const { id, writes } = plan(children);
  return rows.some((row) => row.id === id) ? [] : writes;
}

const describeTooFew = (messages: number, isSummed: boolean): string =>
  `A summary needs at least ${limits.leastMessages} messages, and there ${messages === 1 ? "is" : "are"} only ${messages}` +
  `${isSummed ? " since the last one" : " so far"}. Try again after a few more messages.`;
