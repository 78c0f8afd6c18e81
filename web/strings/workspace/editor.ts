import { define } from "../language.ts";
import { plural } from "../plural.ts";

export const editor = define("editor", {
  empty: "Choose a file to view or edit it. Files that the assistant writes appear here while they are written.",
  gone: (path: string) => `${path} no longer exists.`,
  length: (lines: number, text: string) => plural(lines, "line", "lines", text),
  label: (path: string) => `Text of ${path}`,
  leaveHint: "Tab indents. To leave the editor, press Escape, then Tab.",
  bytes: (count: string) => `${count} bytes`,
  binary: (count: string) => `${count} bytes, binary file`,
  tabs: {
    list: "Open files",
    allFiles: "All files",
    unsaved: "unsaved",
    close: (name: string) => `Close ${name}`,
  },
  save: {
    deleted: "Deleted elsewhere",
    changed: "Changed elsewhere",
    compare: "Compare",
    failed: (reason: string) => `Not saved: ${reason}`,
    saving: "Saving…",
    hint: "Save (Ctrl S)",
  },
  conflict: {
    title: "Conflicting changes",
    deleted: (path: string) => `${path} was deleted while you were editing it.`,
    changed: (path: string) =>
      `${path} was changed while you were editing it. Nothing is lost: their version is on the left, and you can keep editing yours.`,
    changedNarrow: (path: string) =>
      `${path} was changed while you were editing it. Nothing is lost: differences are marked, and you can keep editing.`,
    save: "Save this version",
    saveAgain: "Save anyway",
    useTheirVersion: "Use their version",
    discard: "Discard my changes",
    mineLabel: (path: string) => `Your version of ${path}`,
    theirsLabel: (path: string) => `Their version of ${path}`,
    mine: "Mine",
    keepMine: "Keep mine",
    theirs: "Theirs",
    useTheirs: "Use theirs",
  },
});
