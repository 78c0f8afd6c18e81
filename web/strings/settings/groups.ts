import { define } from "../language.ts";
import { plural } from "../plural.ts";

/** Groups of users, for admins. */
export const groupSettings = define("groupSettings", {
  title: "Groups",
  about:
    "Owners of projects can add a group instead of single people. Everyone whom you add to a group gets access to its projects.",
  people: (count: number) => plural(count, "person", "people"),
  projects: (count: number) =>
    count === 0 ? "Not a member of any project." : `Member of ${plural(count, "project")}.`,
  peopleOf: (name: string) => `People in ${name}`,
  empty: "No one is in this group.",
  create: "New group",
  createAction: "Create",
  name: "Name",
  rename: "Rename",
  person: "Person to add",
  choose: "Choose…",
  addPerson: "Add",
  removePerson: (name: string) => `Remove ${name} from the group`,
  remove: (name: string) => `Delete ${name}`,
  removeTitle: (name: string) => `Delete the group ${name}?`,
  removeText: "Its people lose the access that they have only through this group at once. Their accounts stay.",
  removeAction: "Delete group",
});
