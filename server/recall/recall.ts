import { textOf, type MessageView } from "../../protocol/fold.ts";
import type { Clock } from "../lib/clock.ts";
import type { Log } from "../log/log.ts";
import { findPassage, rank } from "../rank/rank.ts";
import type { Store } from "../store/contract.ts";
import { indexBranch } from "./catch-up.ts";
import type { PathCache } from "./path-index.ts";
import { searchRecall, type RecalledPassage, type RecallSearch } from "./search.ts";

export { rankMessages, searchRecall } from "./search.ts";
export type { RecalledPassage, RecallSearch, SearchOptions, Visible } from "./search.ts";
export type { RecallReads } from "./path-index.ts";
export { renderRecalled } from "./ranking/render.ts";
export { MOST_ARTIFACT as indexedCharacters } from "./message-passages.ts";

/**
 * Finds older passages of a thread that are relevant to a query and not in the prompt, within a budget, in order of time. `catchUp`
 * indexes finished messages. `search` also covers messages that are not indexed yet, and writes nothing.
 */
export type Recall = {
  /** Called after a run, in the background. Safe to call concurrently. */
  readonly catchUp: (threadId: string, branchId: string) => Promise<void>;
  readonly search: (search: RecallSearch) => Promise<readonly RecalledPassage[]>;
  /** Resolves when all writes have ended. The next turn indexes the rest. */
  readonly close: () => Promise<void>;
};

type Deps = {
  readonly store: Store;
  readonly log: Pick<Log, "commit">;
  readonly clock: Clock;
  /** Messages that wait before a thread is indexed for the first time. Most threads never get there, and a search covers 64 without an index. */
  readonly indexFrom?: number;
};

/** The newest answer may still be continued, so it and its question are indexed after the next turn. */
const NEWEST = 2;
const WHOLE = Number.MAX_SAFE_INTEGER;

export function createRecall({ store: { read }, log, indexFrom = 48 }: Deps): Recall {
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
        { thread, branch: segment.branch, from: segment.from, to, fewestFirst: isLast ? indexFrom : null },
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

/** Text of a message in the prompt, either its own or recalled earlier. */
export type VisibleText = Pick<RecalledPassage, "messageId" | "depth" | "role" | "at" | "text">;

/** The texts of messages in a prompt, and the passages that were recalled before them. */
export const listVisible = (messages: readonly MessageView[]): readonly VisibleText[] =>
  messages.flatMap(({ id: messageId, depth, role, createdAt: at, parts }): readonly VisibleText[] => [
    ...parts.flatMap((part) => (part.kind === "context" ? ((part.recalled ?? []) as readonly RecalledPassage[]) : [])),
    { messageId, depth, role, at, text: textOf(parts) },
  ]);

/** Minimum score, relative to the best recalled passage. */
const AS_NEAR = 0.75;
const MOST = 3;

/**
 * When an old passage is recalled, newer messages in the prompt that are equally relevant are repeated after it. So an outdated
 * statement is never the last one on its subject.
 */
export function renderNewer(
  question: string,
  recalled: readonly RecalledPassage[],
  shown: readonly VisibleText[],
): readonly RecalledPassage[] {
  if (recalled.length === 0) return recalled;
  const oldest = Math.min(...recalled.map(({ depth }) => depth));
  const known = new Set(recalled.map(({ messageId }) => messageId));
  const later = shown.filter(({ depth, messageId, text }) => depth > oldest && !known.has(messageId) && text !== "");
  const scores = rank(
    question,
    [...recalled, ...later].map(({ text }) => text),
  );
  const best = Math.max(...scores.slice(0, recalled.length));
  const near = later
    .map((one, index) => ({ one, score: scores[recalled.length + index] ?? 0 }))
    .filter(({ score }) => score > 0 && score >= best * AS_NEAR)
    .toSorted((a, b) => b.score - a.score || b.one.depth - a.one.depth);
  const again = [...new Map(near.map((found) => [found.one.messageId, found])).values()].slice(0, MOST);
  // Their sources are already listed with the messages in the prompt.
  return [
    ...recalled,
    ...again.map(({ one, score }) => ({ ...one, score, text: toPassage(question, one.text), untrusted: [] })),
  ].toSorted((a, b) => a.depth - b.depth);
}

const LONGEST = 400;

function toPassage(question: string, text: string): string {
  if (text.length <= LONGEST) return text;
  const found = findPassage(question, text);
  return found ? text.slice(found.start, found.end) : text.slice(0, LONGEST).toWellFormed();
}
