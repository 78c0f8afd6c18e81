import type { ThreadSummary } from "../../protocol/events.ts";

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
    const title = thread.pinned ? "Pinned" : toGroup(thread.updatedAt);
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
    { title: "Today", from: toMidnight(now) },
    { title: "Yesterday", from: toMidnight(now, 1) },
    { title: "Previous 7 days", from: toMidnight(now, 7) },
    { title: "Previous 30 days", from: toMidnight(now, 30) },
  ];
  return (at) => {
    const group = recent.find(({ from }) => at >= from);
    if (group) return group.title;
    const day = new Date(at);
    const month = months[day.getMonth()] ?? "";
    return day.getFullYear() === year ? month : `${month} ${day.getFullYear()}`;
  };
}

const months: readonly string[] = [
  "January",
  "February",
  "March",
  "April",
  "May",
  "June",
  "July",
  "August",
  "September",
  "October",
  "November",
  "December",
];
