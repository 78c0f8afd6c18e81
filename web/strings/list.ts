import { define } from "./language.ts";
import { plural } from "./plural.ts";

/** The list of threads. */
export const list = define("list", {
  threads: "Threads",
  archivedThreads: "Archived threads",
  loading: "Loading threads…",
  empty: "No threads yet.",
  emptyArchive: "No archived threads.",
  loadFailed: "Threads could not be loaded.",
  loadOlder: "Load older threads",
  groups: {
    pinned: "Pinned",
    today: "Today",
    yesterday: "Yesterday",
    previous7Days: "Previous 7 days",
    previous30Days: "Previous 30 days",
    month: (month: number, year: number | null) => (year === null ? `${months[month]}` : `${months[month]} ${year}`),
  },
  row: {
    title: "Thread title",
    untitled: "New thread",
    pinned: "Pinned",
    answering: "Answering",
    unread: "Unread",
    needsApproval: "Waiting for you",
    noMessages: "No messages yet",
    noAnswer: "No answer yet",
    writing: "Writing…",
    failed: "The answer failed",
    delete: (title: string) => `Delete ${title}`,
  },
  menu: {
    pin: "Pin",
    unpin: "Unpin",
    archive: "Archive",
    unarchive: "Unarchive",
    move: "Move to project",
    projects: "Projects",
    noProject: "No project",
    find: "Find in this thread…",
    share: "Share…",
    exportMarkdown: "Export as Markdown",
    exportHtml: "Export as HTML for printing",
    exportJson: "Export as JSON",
  },
  deletion: {
    title: "Delete this thread?",
    text: (title: string) => `“${title}” and everything in it will be deleted. You can undo this for a few seconds.`,
    forget: "Also forget what was learned in this thread",
    forgetCount: (count: number) => `${plural(count, "memory", "memories")} from this thread.`,
  },
});

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
