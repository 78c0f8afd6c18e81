/**
 * All keyboard shortcuts. The shell handles `everywhere` by `press`; the shortcut list is rendered from here. `mod` is Ctrl,
 * or Cmd on a Mac.
 */
export const everywhere = {
  palette: { press: "k", keys: "mod K", about: "Find and do anything" },
  search: { press: "shift f", keys: "mod Shift F", about: "Search threads" },
  startThread: { press: "shift o", keys: "mod Shift O", about: "New thread" },
  write: { press: "i", keys: "mod I", about: "Go to the message field" },
  stop: { press: ".", keys: "mod .", about: "Stop the answer" },
  settings: { press: ",", keys: "mod ,", about: "Settings" },
} as const;

export type ShortcutName = keyof typeof everywhere;

type Shortcut = { readonly keys: string; readonly about: string };

export const shortcutGroups: readonly { readonly title: string; readonly shortcuts: readonly Shortcut[] }[] = [
  { title: "Everywhere", shortcuts: Object.values(everywhere) },
  {
    title: "Message field",
    shortcuts: [
      { keys: "Enter", about: "Send; while an answer runs, wait for its turn" },
      { keys: "mod Enter", about: "Send into the running answer, at its next step" },
      { keys: "Shift Enter", about: "New line" },
      { keys: "↑ ↓", about: "In an empty field: what you said before" },
    ],
  },
  {
    title: "Thread list",
    shortcuts: [
      { keys: "↑ ↓ Home End", about: "Move in the list" },
      { keys: "F2", about: "Rename the thread in focus" },
      { keys: "Delete", about: "Delete the thread in focus" },
      { keys: "mod Z", about: "Take back what was just deleted, moved or archived" },
    ],
  },
  {
    title: "Files",
    shortcuts: [
      { keys: "mod S", about: "Save the file" },
      { keys: "mod F", about: "Find in the file" },
      { keys: "← → ↑ ↓ Home End", about: "Move in the tree, open and close folders" },
      { keys: "F2", about: "Rename or move the file in focus" },
      { keys: "Delete", about: "Delete the file in focus; it can be undone" },
    ],
  },
];
