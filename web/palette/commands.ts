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
  Printer,
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
import { listSettingsSections } from "../labels/settings-sections.ts";
import { applyLook } from "../state/look.ts";
import { defaultThreadOptions, type Page } from "../state/page.ts";
import { toSettingsPath } from "../state/route.ts";
import { everywhere, type ShortcutName } from "../labels/shortcuts.ts";
import { palette as strings } from "../strings/palette.ts";
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
  readonly group: keyof typeof strings.groups;
  readonly title: string | ((thread: ThreadSummary) => string);
  /** Search aliases. */
  readonly keywords: string;
  readonly Icon: LucideIcon;
  readonly key?: ShortcutName;
  readonly run: (context: CommandContext) => void;
};
type ThreadRow = Omit<Row, "run" | "group"> & {
  readonly isOffered?: (thread: ThreadSummary) => boolean;
  readonly run: (thread: ThreadSummary, page: Page) => void;
};

const labels = strings.commands;

const table: readonly Row[] = [
  {
    id: "start-thread",
    group: "newThread",
    ...labels.startThread,
    Icon: SquarePen,
    key: "startThread",
    run: ({ page }) => startThread(page, defaultThreadOptions),
  },
  {
    id: "begin-temporary",
    group: "newThread",
    ...labels.startTemporary,
    Icon: Hourglass,
    run: ({ page }) => startThread(page, { ...defaultThreadOptions, temporary: true }),
  },
  {
    id: "new-project",
    group: "projects",
    ...labels.newProject,
    Icon: FolderPlus,
    run: ({ page }) => page.sidebar.set("new project"),
  },
  {
    id: "archived",
    group: "goTo",
    ...labels.archived,
    Icon: Archive,
    run: ({ page }) => page.sidebar.set("archived"),
  },
  {
    id: "search",
    group: "goTo",
    ...labels.search,
    Icon: Search,
    run: ({ page }) => page.go(toSearchPath({})),
  },
  {
    id: "write",
    group: "goTo",
    ...labels.write,
    Icon: PenLine,
    key: "write",
    run: () => document.getElementById(composerFieldId)?.focus(),
  },
  { id: "home", group: "goTo", ...labels.home, Icon: Home, run: ({ page }) => page.goTo(null) },
  {
    id: "memory",
    group: "goTo",
    ...labels.memory,
    Icon: Brain,
    run: ({ page }) => page.sheet.set({ kind: "memory" }),
  },
  {
    id: "usage",
    group: "goTo",
    ...labels.usage,
    Icon: ChartNoAxesColumn,
    run: ({ page }) => page.sheet.set({ kind: "usage" }),
  },
  ...(["system", "light", "dark"] as const).map((theme): Row => ({
    id: `theme-${theme}`,
    group: "theme",
    title: strings.themes[theme],
    keywords: strings.keywords.theme,
    Icon: { system: Monitor, light: Sun, dark: Moon }[theme],
    run: ({ page }) => applyLook(page.storage, "theme", theme),
  })),
];

const listSettingsRows = ({ session }: Page): readonly Row[] =>
  listSettingsSections(session.state.get()).map(({ id, name, words }): Row => ({
    id: `settings-${id}`,
    group: "settings",
    title: name,
    keywords: `${strings.keywords.settings} ${words}`,
    Icon: id === "shortcuts" ? Keyboard : Settings,
    ...(id === "models" ? { key: "settings" as const } : {}),
    run: ({ page }) => page.go(toSettingsPath(id)),
  }));

const threadTable: readonly ThreadRow[] = [
  {
    id: "stop",
    ...labels.stop,
    Icon: Square,
    key: "stop",
    isOffered: ({ status }) => status === "streaming" || status === "waiting",
    run: ({ id }, { commands }) => void commands.stop(id),
  },
  {
    id: "rename",
    ...labels.rename,
    Icon: Pencil,
    run: ({ id }, { sheet }) => sheet.set({ kind: "rename", threadId: id }),
  },
  {
    id: "pin",
    title: ({ pinned }) => strings.pin(pinned),
    keywords: strings.keywords.pin,
    Icon: Pin,
    isOffered: ({ temporary }) => !temporary,
    run: (thread, { threadActions }) => void threadActions.pin(thread),
  },
  {
    id: "archive",
    title: ({ archived }) => strings.archive(archived),
    keywords: strings.keywords.archive,
    Icon: Archive,
    isOffered: ({ temporary }) => !temporary,
    run: (thread, { threadActions }) => void threadActions.archive(thread),
  },
  {
    id: "context",
    ...labels.context,
    Icon: Layers,
    run: ({ id }, { sidePanel }) => sidePanel.set({ kind: "context", threadId: id }),
  },
  {
    id: "summary",
    ...labels.summary,
    Icon: ScrollText,
    run: ({ id }, { sheet }) => sheet.set({ kind: "summary", threadId: id }),
  },
  {
    id: "share",
    ...labels.share,
    Icon: Share2,
    run: ({ id }, { sheet }) => sheet.set({ kind: "share", threadId: id }),
  },
  {
    id: "export-markdown",
    ...labels.exportMarkdown,
    Icon: Download,
    run: ({ id }) => exportThread(id, "markdown"),
  },
  {
    id: "export-html",
    ...labels.exportHtml,
    Icon: Printer,
    run: ({ id }) => exportThread(id, "html"),
  },
  {
    id: "export-json",
    ...labels.exportJson,
    Icon: Download,
    run: ({ id }) => exportThread(id, "json"),
  },
  {
    id: "out-of-project",
    ...labels.removeFromProject,
    Icon: FolderKanban,
    isOffered: ({ projectId }) => projectId !== null,
    run: (thread, { threadActions }) => void threadActions.move(thread, null),
  },
  {
    id: "delete",
    ...labels.delete,
    Icon: Trash2,
    run: ({ id }, { sheet }) => sheet.set({ kind: "delete", threadId: id }),
  },
];

/** Commands for the current page; those that depend on lists are in `list-choices.ts`. */
export function listCommands(context: CommandContext): readonly Command[] {
  const { page, thread } = context;
  const threadRows = thread ? threadTable.filter(({ isOffered }) => isOffered?.(thread) ?? true) : [];
  return [
    ...threadRows.map((row): Command =>
      toCommand({ ...row, group: "thread" }, thread, () => thread && row.run(thread, page)),
    ),
    ...[...table, ...listSettingsRows(page)].map((row): Command => toCommand(row, thread, () => row.run(context))),
  ];
}

const toCommand = (row: Omit<Row, "run">, thread: ThreadSummary | null, run: () => void): Command => ({
  id: row.id,
  group: strings.groups[row.group],
  title: typeof row.title === "string" ? row.title : thread ? row.title(thread) : "",
  keywords: row.keywords,
  Icon: row.Icon,
  ...(row.key ? { keys: everywhere[row.key].keys } : {}),
  run,
});

/** Command for other input: searches all messages. */
export const toSearchFor = ({ go }: Page, query: string): Command => ({
  id: "search-for",
  group: strings.groups.search,
  title: strings.searchFor(query),
  keywords: "",
  Icon: Search,
  run: () => go(toSearchPath({ q: query })),
});

export function startThread({ threadOptions, goTo }: Page, options: Parameters<Page["threadOptions"]["set"]>[0]): void {
  threadOptions.set(options);
  goTo(null);
}
