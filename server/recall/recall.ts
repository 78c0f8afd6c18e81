import type { Clock } from "../lib/clock.ts";
import type { Log } from "../log/log.ts";
import type { Store } from "../store/contract.ts";
import { indexBranch } from "./catch-up.ts";
import type { PathCache } from "./path-index.ts";
import { searchRecall, type Recalled, type RecallSearch } from "./search.ts";

export { listShown, renderNewer, type Shown } from "./render-newer.ts";
export { rankMessages, searchRecall } from "./search.ts";
export type { Recalled, RecallSearch, SearchOptions, Visible } from "./search.ts";
export type { RecallReads } from "./path-index.ts";
export { renderRecalled } from "./ranking/render.ts";

/**
 * RECALL. In: a query, and what the model sees already. Out: what of the older thread belongs to it, within a budget, in order
 * of time; or nothing. `catchUp` indexes what has been settled since; `search` also finds what is not indexed yet, and
 * writes nothing.
 */
export type Recall = {
  /** After a run, in the background. Safe to call from many places at once. */
  readonly catchUp: (threadId: string, branchId: string) => Promise<void>;
  readonly search: (search: RecallSearch) => Promise<readonly Recalled[]>;
  /** Resolves when nothing is written any more; what is not indexed yet is with the next turn. */
  readonly close: () => Promise<void>;
};

type Deps = { readonly store: Store; readonly log: Pick<Log, "commit">; readonly clock: Clock };

/** The newest answer may yet be continued, and its question belongs to it: both wait for the next turn. */
const NEWEST = 2;
const WHOLE = Number.MAX_SAFE_INTEGER;

export function createRecall({ store: { read }, log }: Deps): Recall {
  /** One at a time for each branch; who comes meanwhile is answered by one more look. */
  const working = new Map<string, Promise<void>>();
  const cache: PathCache = new Map();
  const closing = new AbortController();

  const catchUpNow = async (thread: string, branch: string): Promise<void> => {
    if (closing.signal.aborted) return;
    const segments = await read.segments({ thread, branch, upTo: WHOLE }, WHOLE);
    const live = await read.liveRun(thread);
    const answered = live && (await read.message(thread, live.message));
    for (const segment of segments.toReversed()) {
      const isLast = segment.branch === branch;
      const open = answered?.branch === segment.branch ? answered.depth - 1 : Infinity;
      const to = Math.min(isLast ? segment.to - NEWEST : segment.to, open);
      await indexBranch(
        { read, log, signal: closing.signal },
        { thread, branch: segment.branch, from: segment.from, to, waits: isLast },
      );
    }
  };

  return {
    catchUp: (threadId, branchId) => {
      if (closing.signal.aborted) return Promise.resolve();
      const key = `${threadId}/${branchId}`;
      const before = working.get(key) ?? Promise.resolve();
      const turn = before.catch(() => {}).then(() => catchUpNow(threadId, branchId));
      working.set(key, turn);
      const forget = (): void => {
        if (working.get(key) === turn) working.delete(key);
      };
      turn.then(forget, forget);
      return turn;
    },
    search: (search) => searchRecall(read, search, { cache }),
    close: async () => {
      closing.abort();
      await Promise.allSettled(working.values());
    },
  };
}
