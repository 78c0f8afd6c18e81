import { define } from "./language.ts";
/** Texts of the shared components in web/ui. */
export const ui = define("ui", {
  zoomIn: "Zoom in",
  zoomOut: "Zoom out",
  copied: "Copied",
  details: "Details",
  showPassword: "Show password",
  dismiss: "Dismiss",
  undoHint: "Undo (Ctrl Z)",
  saving: "Saving…",
  addressMismatch: "Enter a whole address that begins with http:// or https://.",
  saveAndTest: "Save and test",
  threads: "Threads",
  showSidebar: "Show sidebar",
  showSidebarHint: "Show sidebar (Ctrl B)",
  panelWidth: "Panel width",
  workspace: "Workspace",
  moreFor: (title: string) => `More for ${title}`,
  moreForThread: "More for this thread",
  moreCharacters: (count: string) => `… ${count} more characters`,
  reconnecting: "Reconnecting…",
  offline: "Offline",
  needsProject: {
    text: "The files could not be written: files belong to a project, and this thread has none.",
    mended: "The thread has a project now. Try again to have the answer written with its files.",
    choose: "Choose or create a project",
  },
  crash: {
    title: "This part of the page could not be shown",
    text: "Your messages are stored on the server, and unsent text in this browser. Reload the page to continue.",
    reload: "Reload",
  },
  missing: {
    gone: {
      thread: "This thread no longer exists",
      project: "This project no longer exists",
    },
    failed: {
      thread: "This thread could not be loaded",
      project: "This project could not be loaded",
    },
    goneAbout: "It was deleted, or the link is wrong.",
    newThread: "New thread",
  },
});
