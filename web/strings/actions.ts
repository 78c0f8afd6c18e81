import { define } from "./language.ts";
/** Buttons and states that several features share. */
export const actions = define("actions", {
  cancel: "Cancel",
  close: "Close",
  delete: "Delete",
  discard: "Discard",
  edit: "Edit",
  loading: "Loading…",
  remove: "Remove",
  rename: "Rename",
  retry: "Retry",
  save: "Save",
  saved: "Saved",
  undo: "Undo",
});
