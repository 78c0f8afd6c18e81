import { define } from "../language.ts";
import { plural } from "../plural.ts";

/** The project page. */
export const project = define("project", {
  views: "Project views",
  tabs: {
    overview: "Overview",
    tasks: "Tasks",
    timeline: "Timeline",
    documents: "Documents",
    graph: "Graph",
    files: "Files",
    activity: "Activity",
    settings: "Settings",
  },
  newThread: "New thread",
  newThreadHere: "New thread in this project",
  newThreadAbout: (title: string) => `New thread about ${title}`,
  unsaved: (count: number, reason: string) =>
    `${plural(count, "change")} ${count === 1 ? "is" : "are"} not saved yet. ${reason}`,
  add: {
    label: (kind: string) => `Add a ${kind}`,
    labelInState: (kind: string, state: string) => `Add a ${kind}: ${state}`,
    submit: "Add",
  },

  files: {
    add: "Add files",
    hint: {
      document: "Add PDFs, Office documents or text to this project. Every thread in it can read them.",
      file: "Add text files or pictures to this project's files.",
    },
    drop: { document: "Drop to add to the project's documents", file: "Drop to add to the project's files" },
    list: "Added files",
    adding: (done: number, total: number) => `Adding files: ${done} of ${total}`,
    added: (count: number) => `${plural(count, "file")} added`,
    progress: (share: number) => (share < 1 ? `${Math.floor(share * 100)}%` : "Reading…"),
    dismiss: "Dismiss",
  },

  overview: {
    description: "Description",
    descriptionHint: "What is this project about?",
    instructions: "Instructions",
    instructionsHint:
      "Instructions for every thread in this project, such as tone, facts and preferred ways of working.",
    items: "All items",
    threads: "Threads",
    newThread: "New",
    noThreads: "No threads yet.",
    viewAll: "View all",
    viewAllActivity: "View all activity",
    progress: (done: number, total: number) => `${done} of ${total}`,
    progressLink: (done: number, total: number, kinds: string) => `${done} of ${total} ${kinds} completed. View all`,
    progressBar: (kinds: string) => `${kinds} completed`,
    overdue: "Overdue",
    upcoming: "Upcoming",
    nothingUpcoming: "No upcoming due dates.",
    more: (count: string) => `and ${count} more`,
  },

  activity: {
    title: "Activity",
    history: "History",
    empty: "No activity yet.",
    showEarlier: "Show earlier",
    changes: (count: number) => plural(count, "change"),
    undone: "undone",
    you: "You",
    stonechat: "Stonechat",
    inThread: (author: string) => `${author}, in a thread`,
  },

  list: {
    filter: "Filter",
    filterLabel: "Filter by text",
    filterKind: (kinds: string) => `Filter ${kinds}`,
    state: "State",
    states: { open: "Unfinished", any: "All" },
    sort: "Sort",
    sorts: {
      position: "Manual order",
      priority: "By priority",
      due: "By due date",
      updated: "Recently updated",
      title: "By title",
    },
    empty: (kinds: string) => `No matching ${kinds}.`,
  },

  board: {
    title: "Board",
    minimumPriority: "Minimum priority",
    priorities: {
      none: "Any priority",
      low: "Low and above",
      medium: "Medium and above",
      high: "High and above",
      urgent: "Urgent only",
    },
    moveCard: (title: string) => `Move ${title}`,
    moveTo: "Move to",
    moveUp: "Move up",
    moveDown: "Move down",
    reordered: (title: string) => `${title} moved within its column.`,
    moved: (title: string, state: string) => `${title} moved to ${state}.`,
    priorityChanged: (title: string, priority: string) => `Priority of ${title} changed to ${priority}.`,
  },

  timeline: {
    title: "Weeks",
    today: "Today",
    previousMonth: "Previous month",
    nextMonth: "Next month",
    add: "Add",
    week: (monday: string) => `Week of ${monday}`,
    addToDay: (day: string) => `Add to ${day}`,
    addToToday: (day: string) => `Add to ${day} (today)`,
    entryTitle: "Title",
    entryExample: "14:00 Standup",
    kind: "Kind",
  },

  graph: {
    title: "Links",
    empty: "No links yet. Open an item and link it to others.",
    counts: (counts: {
      readonly items: string;
      readonly ofItems: string;
      readonly links: string;
      readonly ofLinks: string;
    }) => `${counts.items} of ${counts.ofItems} items, ${counts.links} of ${counts.ofLinks} links`,
    items: "Linked items",
    notShown: "Not shown",
    open: "Open",
    showNeighbors: "Show only its links",
    showAll: (title: string) => `Links of ${title}. Show all`,
    depth: "Depth",
    depths: { "1": "1 step", "2": "2 steps", "3": "3 steps" },
  },

  entity: {
    details: "Details",
    path: "Breadcrumb",
    title: "Title",
    untitled: "Untitled",
    state: "State",
    priority: "Priority",
    time: (date: string) => `${date} time`,
    addTime: (date: string) => `${date}: add a time`,
    clearDate: (date: string) => `${date}: clear`,
    newThread: "New thread about this item",
    delete: (kind: string) => `Delete this ${kind}`,
    notes: "Notes",
    noNotes: "No notes yet.",
    format: "Markdown",
    subtasks: "Subtasks",
    childDocuments: "Child documents",
    dates: (created: string, updated: string) => `Created ${created}, updated ${updated}`,
  },

  links: {
    title: "Links",
    empty: "No links yet.",
    add: "Link",
    to: "to",
    from: "from",
    unlink: (title: string) => `Unlink ${title}`,
    new: "New link",
    relation: "Relation",
    custom: "Custom…",
    customRelation: "Custom relation",
    customExample: "informs",
    target: "Link to",
  },

  conflict: {
    title: "This has changed",
    about: (title: string) =>
      `${title === "" ? "This item" : `“${title}”`} was changed elsewhere since you opened it. Your change is not saved yet.`,
    theirs: "Theirs",
    yours: "Yours",
    takeTheirs: "Take theirs",
    keepMine: "Keep mine",
    action: "Action",
    noAction: "Keep as it is",
    delete: "Delete",
    move: "Move",
  },

  settings: {
    name: "Name",
    untitled: "Untitled",
    created: (date: string) => `Created ${date}`,
    archive: "Archive",
    archiveAbout: "Hides the project from the sidebar. Nothing is deleted, and you can restore it at any time.",
    archiveButton: "Archive this project",
    archived: "Archived",
    archivedAbout: "This project is archived. Its threads keep access to it.",
    restoreButton: "Restore this project",
    delete: "Delete",
    deleteAbout: "Permanently deletes the project with its items, documents, files and history. Its threads are kept.",
    deleteButton: "Delete this project",
    deleteTitle: "Delete this project?",
    deleteConfirm: (name: string) =>
      `“${name}” and everything in it will be permanently deleted. This cannot be undone.`,
  },
});
