import { define } from "./language.ts";
/** Short messages about actions: toasts, and errors shown at the top of the page. */
export const notices = define("notices", {
  newThread: "New thread",
  theProject: "the project",
  deleted: (title: string) => `Deleted “${title}”`,
  archived: (title: string) => `Archived “${title}”`,
  unarchived: (title: string) => `Moved “${title}” out of the archive`,
  moved: (title: string, project: string) => `Moved “${title}” to ${project}`,
  movedOut: (title: string, project: string) => `Removed “${title}” from ${project}`,
  notSentYet: "Not sent yet.",
  signedOut: "You are signed out.",
  /** `reason` is a sentence. */
  failed: {
    change: (reason: string) => `The change was not saved. ${reason}`,
    delete: (reason: string) => `The thread was not deleted. ${reason}`,
    stop: (reason: string) => `The answer was not stopped. ${reason}`,
    answer: (reason: string) => `Your answer was not sent. ${reason}`,
    withdraw: (reason: string) => `The message was not withdrawn. ${reason}`,
    edit: (reason: string) => `The message was not edited. ${reason}`,
    regenerate: (reason: string) => `The answer was not regenerated. ${reason}`,
    switch: (reason: string) => `The other version was not opened. ${reason}`,
    fork: (reason: string) => `The thread was not copied. ${reason}`,
  },
  files: {
    pasted: "pasted file",
    tooMany: (limit: number) => `A message can have at most ${limit} files.`,
    empty: "This file is empty (or is a folder).",
    tooLarge: (size: string, limit: string) => `This file has ${size}. Files can have at most ${limit}.`,
  },
});
