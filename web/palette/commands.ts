import {
  Archive,
  Brain,
  ChartNoAxesColumn,
  Download,
  FolderKanban,
  FolderPlus,
  Home,
  Hourglass,
  Keyboard,
  Layers,
  Monitor,
  Moon,
  PenLine,
  Pencil,
  Pin,
  Search,
  Settings,
  Share2,
  Square,
  SquarePen,
  ScrollText,
  Sun,
  Trash2,
  type LucideIcon,
} from "lucide-react";
import type { ThreadSummary } from "../../protocol/events.ts";
import { composerFieldId } from "../composer/composer.tsx";
import { exportThread } from "../api/export-thread.ts";
import { toSearchPath } from "../state/search-route.ts";
import { settingsSections } from "../labels/settings-sections.ts";
import { applyLook } from "../state/look.ts";
import { defaultThreadOptions, type Page } from "../state/page.ts";
import { toSettingsPath } from "../state/route.ts";
import { everywhere, type ShortcutName } from "../labels/shortcuts.ts";
import type { Searchable } from "./find-commands.ts";

/** A command of the palette. */
export type Command = Searchable & {
  readonly Icon: LucideIcon;
  readonly keys?: string;
  readonly run: () => void;
};

/** The page and thread from which the palette was opened. */
export type CommandContext = { readonly page: Page; readonly thread: ThreadSummary | null };

type Row = {
  readonly id: string;
  readonly group: "New thread" | "Projects" | "This thread" | "Go to" | "Theme" | "Settings";
  readonly title: string | ((thread: ThreadSummary) => string);
  /** Search aliases. */
  readonly words?: string;
  readonly Icon: LucideIcon;
  readonly key?: ShortcutName;
  readonly run: (situation: CommandContext) => void;
};
type ThreadRow = Omit<Row, "run" | "group"> & {
  readonly isOffered?: (thread: ThreadSummary) => boolean;
  readonly run: (thread: ThreadSummary, page: Page) => void;
};

const table: readonly Row[] = [
  {
    id: "start-thread",
    group: "New thread",
    title: "New thread",
    words: "start chat conversation ask",
    Icon: SquarePen,
    key: "startThread",
    run: ({ page }) => begin(page, defaultThreadOptions),
  },
  {
    id: "begin-temporary",
    group: "New thread",
    title: "New temporary thread",
    words: "private incognito start chat",
    Icon: Hourglass,
    run: ({ page }) => begin(page, { ...defaultThreadOptions, temporary: true }),
  },
  {
    id: "new-project",
    group: "Projects",
    title: "New project",
    words: "create start goals tasks",
    Icon: FolderPlus,
    run: ({ page }) => page.sidebar.set("new project"),
  },
  {
    id: "archived",
    group: "Go to",
    title: "Archived threads",
    words: "archive put away hidden old",
    Icon: Archive,
    run: ({ page }) => page.sidebar.set("archived"),
  },
  {
    id: "search",
    group: "Go to",
    title: "Search everything",
    words: "find threads messages text",
    Icon: Search,
    run: ({ page }) => page.go(toSearchPath({})),
  },
  {
    id: "write",
    group: "Go to",
    title: "Message field",
    words: "write composer type focus",
    Icon: PenLine,
    key: "write",
    run: () => document.getElementById(composerFieldId)?.focus(),
  },
  { id: "home", group: "Go to", title: "Start page", words: "home", Icon: Home, run: ({ page }) => page.goTo(null) },
  {
    id: "memory",
    group: "Go to",
    title: "Memory",
    words: "remembered about me facts forget",
    Icon: Brain,
    run: ({ page }) => page.sheet.set({ kind: "memory" }),
  },
  {
    id: "usage",
    group: "Go to",
    title: "Usage and budgets",
    words: "costs spent money tokens limit",
    Icon: ChartNoAxesColumn,
    run: ({ page }) => page.sheet.set({ kind: "usage" }),
  },
  ...(["system", "light", "dark"] as const).map((theme): Row => ({
    id: `theme-${theme}`,
    group: "Theme",
    title: { system: "Theme of the system", light: "Light theme", dark: "Dark theme" }[theme],
    words: "appearance look colour mode night day",
    Icon: { system: Monitor, light: Sun, dark: Moon }[theme],
    run: ({ page }) => applyLook(page.storage, "theme", theme),
  })),
  ...settingsSections.map(({ id, name, words }): Row => ({
    id: `settings-${id}`,
    group: "Settings",
    title: name,
    words: `settings preferences options ${words}`,
    Icon: id === "shortcuts" ? Keyboard : Settings,
    ...(id === "models" ? { key: "settings" as const } : {}),
    run: ({ page }) => page.go(toSettingsPath(id)),
  })),
];

const ofThread: readonly ThreadRow[] = [
  {
    id: "stop",
    title: "Stop the answer",
    words: "cancel halt abort",
    Icon: Square,
    key: "stop",
    isOffered: ({ status }) => status === "streaming" || status === "waiting",
    run: ({ id }, { commands }) => void commands.stop(id),
  },
  {
    id: "rename",
    title: "Rename this thread",
    words: "title name",
    Icon: Pencil,
    run: ({ id }, { sheet }) => sheet.set({ kind: "rename", threadId: id }),
  },
  {
    id: "pin",
    title: ({ pinned }) => (pinned ? "Unpin this thread" : "Pin this thread"),
    words: "keep on top favourite",
    Icon: Pin,
    isOffered: ({ temporary }) => !temporary,
    run: (thread, { threadActions }) => void threadActions.pin(thread),
  },
  {
    id: "archive",
    title: ({ archived }) => (archived ? "Unarchive this thread" : "Archive this thread"),
    words: "put away hide",
    Icon: Archive,
    isOffered: ({ temporary }) => !temporary,
    run: (thread, { threadActions }) => void threadActions.archive(thread),
  },
  {
    id: "context",
    title: "Context of this thread",
    words: "prompt pins what the model sees budget",
    Icon: Layers,
    run: ({ id }, { sidePanel }) => sidePanel.set({ kind: "context", threadId: id }),
  },
  {
    id: "summary",
    title: "Summary of this thread",
    words: "summarise summarize shorten",
    Icon: ScrollText,
    run: ({ id }, { sheet }) => sheet.set({ kind: "summary", threadId: id }),
  },
  {
    id: "share",
    title: "Share this thread",
    words: "link publish read-only snapshot",
    Icon: Share2,
    run: ({ id }, { sheet }) => sheet.set({ kind: "share", threadId: id }),
  },
  {
    id: "export-markdown",
    title: "Export this thread as Markdown",
    words: "download save file",
    Icon: Download,
    run: ({ id }) => exportThread(id, "markdown"),
  },
  {
    id: "export-json",
    title: "Export this thread as JSON",
    words: "download save file",
    Icon: Download,
    run: ({ id }) => exportThread(id, "json"),
  },
  {
    id: "out-of-project",
    title: "Take this thread out of its project",
    words: "move remove",
    Icon: FolderKanban,
    isOffered: ({ projectId }) => projectId !== null,
    run: (thread, { threadActions }) => void threadActions.move(thread, null),
  },
  {
    id: "delete",
    title: "Delete this thread",
    words: "remove trash",
    Icon: Trash2,
    run: ({ id }, { sheet }) => sheet.set({ kind: "delete", threadId: id }),
  },
];

/** Commands for the current page; those that depend on lists are in `list-choices.ts`. */
export function listCommands(situation: CommandContext): readonly Command[] {
  const { page, thread } = situation;
  const own = thread ? ofThread.filter(({ isOffered }) => isOffered?.(thread) ?? true) : [];
  return [
    ...own.map((row): Command =>
      toCommand({ ...row, group: "This thread" }, thread, () => thread && row.run(thread, page)),
    ),
    ...table.map((row): Command => toCommand(row, thread, () => row.run(situation))),
  ];
}

const toCommand = (row: Omit<Row, "run">, thread: ThreadSummary | null, run: () => void): Command => ({
  id: row.id,
  group: row.group,
  title: typeof row.title === "string" ? row.title : thread ? row.title(thread) : "",
  words: row.words ?? "",
  Icon: row.Icon,
  ...(row.key ? { keys: everywhere[row.key].keys } : {}),
  run,
});

/** For other input: searches all messages. */
export const toSearchFor = ({ go }: Page, query: string): Command => ({
  id: "search-for",
  group: "Search",
  title: `Search everything for “${query}”`,
  words: "",
  Icon: Search,
  run: () => go(toSearchPath({ q: query })),
});

export function begin({ threadOptions, goTo }: Page, how: Parameters<Page["threadOptions"]["set"]>[0]): void {
  threadOptions.set(how);
  goTo(null);
}
