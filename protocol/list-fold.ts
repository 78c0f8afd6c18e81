import type { ThreadSummary, UserEvent } from "./events.ts";

/** Reducer for the user stream: the thread list, pinned first, then newest first. */
export type ListView = { readonly seq: number; readonly threads: readonly ThreadSummary[] };

export function applyListEvent(view: ListView, seq: number, event: UserEvent): ListView {
  if (seq <= view.seq) return view;
  return { seq, threads: sortThreads(change(view.threads, event)) };
}

function change(threads: readonly ThreadSummary[], event: UserEvent): readonly ThreadSummary[] {
  switch (event.type) {
    case "thread-created":
      return [event.thread, ...threads.filter((thread) => thread.id !== event.thread.id)];
    case "thread-changed":
      return threads.map((thread) =>
        thread.id === event.threadId ? ({ ...thread, ...event.patch } as ThreadSummary) : thread,
      );
    case "thread-deleted":
      return threads.filter((thread) => thread.id !== event.threadId);
    case "everything-deleted":
      return [];
    default:
      return threads;
  }
}

export const sortThreads = (threads: readonly ThreadSummary[]): readonly ThreadSummary[] =>
  threads.toSorted(
    (a, b) => Number(b.pinned) - Number(a.pinned) || b.updatedAt - a.updatedAt || (a.id < b.id ? 1 : -1),
  );

/** Has messages that the user has not read. A thread that is still streaming is marked as streaming instead. */
export const isUnread = ({ updatedAt, seenAt, status }: ThreadSummary): boolean =>
  updatedAt > seenAt && status !== "streaming";
