import type { MessageView } from "../../protocol/fold.ts";

/**
 * What was loaded of the path before its live end, by depth. Only what is near the window is held: pages come and go as
 * one scrolls, so a thread of any length takes the same room.
 */
export type History = {
  readonly messages: ReadonlyMap<number, MessageView>;
  /** The last page that was asked for did not come; nothing is asked for until somebody says so. */
  readonly failed: boolean;
};

/** Depths, both included. */
export type Span = { readonly from: number; readonly to: number };

export const noHistory: History = { messages: new Map(), failed: false };

const pageSize = 50;
const keptMessages = 500;
const longestTail = 300;
const keptTail = 150;

/** The next page to load so that the span, and a page on each side of it, is here; null: nothing is missing. */
export function findMissing(history: History, wanted: Span, tailStart: number): Span | null {
  const last = tailStart - 1;
  for (const margin of [0, pageSize]) {
    const to = Math.min(last, wanted.to + margin);
    // From the end: the newest is what a reader who scrolls up comes to first.
    for (let depth = to; depth >= Math.max(1, wanted.from - margin); depth -= 1) {
      if (!history.messages.has(depth)) return { from: Math.max(1, depth - pageSize + 1), to: depth };
    }
  }
  return null;
}

/** With these messages, and without the ones farthest from the span when there are too many. */
export function addMessages(history: History, added: readonly MessageView[], wanted: Span): History {
  const all = [...history.messages.values(), ...added.filter(({ depth }) => !history.messages.has(depth))];
  const middle = (wanted.from + wanted.to) / 2;
  const near =
    all.length <= keptMessages
      ? all
      : all.toSorted((a, b) => Math.abs(a.depth - middle) - Math.abs(b.depth - middle)).slice(0, keptMessages);
  return { messages: new Map(near.map((message) => [message.depth, message])), failed: false };
}

/** What still holds when the path goes another way after this depth. */
export function cutAfter(history: History, forkDepth: number): History {
  const kept = [...history.messages].filter(([depth]) => depth <= forkDepth);
  return kept.length === history.messages.size ? history : { ...history, messages: new Map(kept) };
}

/** A live end that has grown long is shortened; what leaves it is history. */
export function splitTail(messages: readonly MessageView[]): readonly [MessageView[], readonly MessageView[]] {
  if (messages.length <= longestTail) return [[], messages];
  return [messages.slice(0, -keptTail), messages.slice(-keptTail)];
}
