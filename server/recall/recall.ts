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
 * Finds older passages of a thread that are relevant to a query and not in the prompt, within a budget, in order of time. `catchUp`
 * indexes finished messages. `search` also covers messages that are not indexed yet, and writes nothing.
 */
export type Recall = {
  /** Called after a run, in the background. Safe to call concurrently. */
  readonly catchUp: (threadId: string, branchId: string) => Promise<void>;
  readonly search: (search: RecallSearch) => Promise<readonly Recalled[]>;
  /** Resolves when all writes have ended. The next turn indexes the rest. */
  readonly close: () => Promise<void>;
};

type Deps = { readonly store: Store; readonly log: Pick<Log, "commit">; readonly clock: Clock };

/** The newest answer may still be continued, so it and its question are indexed after the next turn. */
const NEWEST = 2;
const WHOLE = Number.MAX_SAFE_INTEGER;

export function createRecall({ store: { read }, log }: Deps): Recall {
  /** One pass per branch at a time. Later calls are queued behind it. */
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
