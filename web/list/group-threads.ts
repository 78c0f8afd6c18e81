import type { ThreadSummary } from "../../protocol/events.ts";
import { list } from "../strings/list.ts";

const strings = list.groups;

/** One row of the list: a heading or a thread. */
export type ListRow =
  | { readonly kind: "heading"; readonly key: string; readonly title: string }
  | { readonly kind: "thread"; readonly key: string; readonly thread: ThreadSummary };

/** Threads, pinned first and then newest first, with a heading for each period. */
export function groupThreads(threads: readonly ThreadSummary[], now: number): readonly ListRow[] {
  const toGroup = createGroups(now);
  const rows: ListRow[] = [];
  let last = "";
  for (const thread of threads) {
    const title = thread.pinned ? strings.pinned : toGroup(thread.updatedAt);
    if (title !== last) rows.push({ kind: "heading", key: `group ${title}`, title });
    last = title;
    rows.push({ kind: "thread", key: thread.id, thread });
  }
  return rows;
}

/** By days in the reader's time zone, which are not all 24 hours long. */
export const toMidnight = (now: number, daysAgo = 0): number => {
  const day = new Date(now);
  return new Date(day.getFullYear(), day.getMonth(), day.getDate() - daysAgo).getTime();
};

function createGroups(now: number): (at: number) => string {
  const year = new Date(now).getFullYear();
  const recent = [
    { title: strings.today, from: toMidnight(now) },
    { title: strings.yesterday, from: toMidnight(now, 1) },
    { title: strings.previous7Days, from: toMidnight(now, 7) },
    { title: strings.previous30Days, from: toMidnight(now, 30) },
  ];
  return (at) => {
    const group = recent.find(({ from }) => at >= from);
    if (group) return group.title;
    const day = new Date(at);
    return strings.month(day.getMonth(), day.getFullYear() === year ? null : day.getFullYear());
  };
}
