import { define } from "../language.ts";
/** Project entities and their changes, on the project page and in threads. */
export const entities = define("entities", {
  overdue: "overdue",
  due: "due",
  picker: { hint: "Search", empty: "No results." },
  changes: {
    created: "created",
    deleted: "deleted",
    changed: "changed",
    to: "changed to",
    none: "none",
    yes: "yes",
    no: "no",
    otherParent: "another item",
    fields: { startsAt: "Starts", endsAt: "Ends", parentId: "Parent", body: "Text" },
  },
  undo: (text: string) => `Undo: ${text}`,
});
