import { define } from "../language.ts";
/** The projects in the sidebar. */
export const projectList = define("projectList", {
  title: "Projects",
  archived: "Archived projects",
  new: "New project",
  name: "Project name",
  failed: "Projects could not be loaded. Reload the page to try again.",
  showAll: (count: number) => `Show all ${count}`,
  threads: (name: string) => `Threads in ${name}`,
  noThreads: "No threads yet.",
  newThread: (name: string) => `New thread in ${name}`,
  newThreadHere: "New thread in this project",
  overdue: (count: number) => `${count} overdue`,
});
