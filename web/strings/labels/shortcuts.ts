import { define } from "../language.ts";
/** `mod` is Ctrl, or Cmd on a Mac. */
export const shortcuts = define("shortcuts", {
  everywhere: {
    title: "Everywhere",
    palette: { keys: "mod K", about: "Open the command palette" },
    search: { keys: "mod Shift F", about: "Search threads" },
    find: { keys: "mod F", about: "Find in the open thread" },
    startThread: { keys: "mod Shift O", about: "New thread" },
    write: { keys: "mod I", about: "Go to the message field" },
    stop: { keys: "mod .", about: "Stop the answer" },
    settings: { keys: "mod ,", about: "Settings" },
    sidebar: { keys: "mod B", about: "Show or hide the sidebar" },
  },
  message: {
    title: "Message field",
    list: [
      { keys: "Enter", about: "Send; while an answer is running, queue the message" },
      { keys: "mod Enter", about: "Send now, into the running answer" },
      { keys: "Shift Enter", about: "New line" },
      { keys: "↑ ↓", about: "In an empty field: your previous messages" },
      { keys: "@", about: "Mention a tool, a project, an item or a file" },
      { keys: "/", about: "Insert a saved prompt or a command" },
    ],
  },
  threads: {
    title: "Thread list",
    list: [
      { keys: "↑ ↓ Home End", about: "Move through the list" },
      { keys: "F2", about: "Rename the focused thread" },
      { keys: "Delete", about: "Delete the focused thread" },
      { keys: "mod Z", about: "Undo the last delete, move or archive" },
    ],
  },
  files: {
    title: "Files",
    list: [
      { keys: "mod S", about: "Save the file" },
      { keys: "mod F", about: "Find in the file" },
      { keys: "← → ↑ ↓ Home End", about: "Move through the tree, open and close folders" },
      { keys: "F2", about: "Rename or move the focused file" },
      { keys: "Delete", about: "Delete the focused file; you can undo this" },
    ],
  },
});

/** Names of modifier keys in keyboard shortcuts. */
export const keys = define("keys", { mac: "Cmd", other: "Ctrl" });
