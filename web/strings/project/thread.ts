import { define } from "../language.ts";
import type { ContextMode } from "../../../protocol/project/project.ts";
import { plural } from "../plural.ts";

type ModeText = { readonly name: string; readonly about: string };

const modes: Readonly<Record<ContextMode, ModeText>> = {
  global: { name: "All projects", about: "The status of every project, without individual tasks" },
  project: { name: "This project", about: "Its goals, tasks, events and documents" },
  focus: { name: "Focus", about: "One item with everything linked to it" },
  ontology: { name: "Kinds and relations", about: "Which kinds of items exist and how they are linked" },
};

/** A thread's project: its focus, the context for the model, and the changes that answers made. */
export const projectThread = define("projectThread", {
  title: "Project and focus",
  project: "Project",
  noProject: "No project",
  chooseProject: "No project. Choose one",
  changeProject: "Change project",
  newProject: "New project…",
  createProject: "Create project",
  builder: {
    /** Followed by the project. */
    text: "Files go into",
    newProject: "a new project, named after your message",
    named: "New project, named after your message",
    choose: (name: string) => `Files go into ${name}. Change`,
  },
  purpose: "Purpose",
  plan: "Chat and plan",
  build: "Build files",

  focus: "Focus",
  chooseFocus: "Choose a focus",
  changeFocus: (title: string) => `Focus: ${title}. Change`,
  deletedFocus: "Deleted",
  clearFocus: "Clear focus",
  findFocus: "Find an item to focus on",
  findFocusHint: "Search this project",
  openFocus: (title: string) => `Open “${title}”`,

  context: "Context for the model",
  changeContext: (mode: string) => `Context for the model: ${mode}. Change`,
  automatic: "Automatic",
  automaticNow: (mode: string) => `Currently “${mode}”`,
  modes,

  changes: "What this answer changed",
  changeList: "Changes made by this answer",
  changeCount: (count: number) => plural(count, "change"),
  allUndone: (count: number) => `${plural(count, "change")}, undone`,
  undoAll: "Undo all",
  undone: "Undone",

  items: "Project items",
  found: (count: number) => `${count} found`,
  more: (count: number) => `Show ${count} more`,
});
