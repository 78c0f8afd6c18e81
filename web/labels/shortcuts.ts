import { shortcuts as strings } from "../strings/labels/shortcuts.ts";

/** All keyboard shortcuts. The shell handles `everywhere` by `press`, threads handle `find`; the shortcut list is rendered from here. */
export const everywhere = {
  palette: { press: "k", ...strings.everywhere.palette },
  search: { press: "shift f", ...strings.everywhere.search },
  startThread: { press: "shift o", ...strings.everywhere.startThread },
  write: { press: "i", ...strings.everywhere.write },
  stop: { press: ".", ...strings.everywhere.stop },
  settings: { press: ",", ...strings.everywhere.settings },
  sidebar: { press: "b", ...strings.everywhere.sidebar },
} as const;

export type ShortcutName = keyof typeof everywhere;

type Shortcut = { readonly keys: string; readonly about: string };

export const shortcutGroups: readonly { readonly title: string; readonly shortcuts: readonly Shortcut[] }[] = [
  { title: strings.everywhere.title, shortcuts: [...Object.values(everywhere), strings.everywhere.find] },
  ...[strings.message, strings.threads, strings.files].map(({ title, list }) => ({ title, shortcuts: list })),
];
