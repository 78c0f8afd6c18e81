import { define } from "../language.ts";
/** The documents of a project. */
export const documents = define("documents", {
  title: "Documents",
  all: "All documents",
  new: "New document",
  create: "Create a document",
  empty: "No documents yet.",
  noMatch: "No documents found.",
  choose: "Select a document to read or edit it.",
  find: "Find",
  findLabel: "Find a document by title",
  untitled: "Untitled",
  rename: "Document title",
  addBelow: (title: string) => `Add a document under ${title}`,
  delete: (title: string) => `Delete ${title}`,

  editor: {
    document: "Document",
    preview: "Preview",
    write: "Write",
    read: "Read",
    details: "Details and links",
    versions: "Versions",
    newThread: "New thread about this document",
    title: "Title",
    text: "Text",
    textHint: "Write in Markdown. Changes are saved automatically.",
    state: "State",
    save: { saved: "Saved", unsaved: "Unsaved changes", saving: "Saving…", stale: "Conflict" },
  },

  conflict: {
    title: "This document has changed",
    about:
      "This document was changed elsewhere while you were editing. Choose the version to keep. Yours is saved in this browser until then.",
    theirs: "Theirs",
    theirsTitled: (title: string) => `Theirs: ${title}`,
    yours: "Yours",
    takeTheirs: "Take theirs",
    keepMine: "Keep mine",
  },

  versions: {
    empty: "No earlier versions.",
    current: "Current",
    showEarlier: "Show earlier",
    unavailable: "This version is no longer available.",
    restore: "Restore this version",
    you: "You",
    stonechat: "Stonechat",
  },
});
