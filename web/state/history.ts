import type { MessageView } from "../../protocol/fold.ts";

/**
 * Loaded messages before the live end of the path, by depth. Only those near the viewport are kept, so memory use does not
 * depend on the thread's length.
 */
export type History = {
  readonly messages: ReadonlyMap<number, MessageView>;
  /** The last page failed to load; loading resumes on request. */
  readonly failed: boolean;
};

/** Depths, inclusive. */
export type Span = { readonly from: number; readonly to: number };

export const noHistory: History = { messages: new Map(), failed: false };

const pageSize = 50;
const keptMessages = 500;
const longestTail = 300;
const keptTail = 150;

/** The next page to load so that the span and one page on each side are loaded; null: none is missing. */
export function findMissing(history: History, wanted: Span, tailStart: number): Span | null {
  const last = tailStart - 1;
  for (const margin of [0, pageSize]) {
    const to = Math.min(last, wanted.to + margin);
    // Starts at the end, because a reader who scrolls up reaches the newest first.
    for (let depth = to; depth >= Math.max(1, wanted.from - margin); depth -= 1) {
      if (!history.messages.has(depth)) return { from: Math.max(1, depth - pageSize + 1), to: depth };
    }
  }
  return null;
}

/** Adds messages, and drops those farthest from the span if there are too many. */
export function addMessages(history: History, added: readonly MessageView[], wanted: Span): History {
  const all = [...history.messages.values(), ...added.filter(({ depth }) => !history.messages.has(depth))];
  const middle = (wanted.from + wanted.to) / 2;
  const near =
    all.length <= keptMessages
      ? all
      : all.toSorted((a, b) => Math.abs(a.depth - middle) - Math.abs(b.depth - middle)).slice(0, keptMessages);
  return { messages: new Map(near.map((message) => [message.depth, message])), failed: false };
}

/** The messages that stay valid when the path changes after this depth. */
export function cutAfter(history: History, forkDepth: number): History {
  const shared = [...history.messages].filter(([depth]) => depth <= forkDepth);
  return shared.length === history.messages.size ? history : { ...history, messages: new Map(shared) };
}

/** Moves messages from a long live end to the history. */
export function splitTail(messages: readonly MessageView[]): readonly [MessageView[], readonly MessageView[]] {
  if (messages.length <= longestTail) return [[], messages];
  return [messages.slice(0, -keptTail), messages.slice(-keptTail)];
}
