import type { ContextMode } from "../../../protocol/project/project.ts";

/** How a thread looks at the work, in words. */
export const modeWords: Readonly<Record<ContextMode, { readonly name: string; readonly about: string }>> = {
  global: { name: "All projects", about: "Where each of them stands, without single tasks" },
  project: { name: "This project", about: "Its goals, tasks, events and documents" },
  focus: { name: "The focus", about: "One thing whole, with all it is linked to" },
  ontology: { name: "Kinds and relations", about: "What there is and how it hangs together" },
};

/** What holds where nothing was chosen. */
export const toUsualMode = (projectId: string | null, focusId: string | null): ContextMode =>
  projectId === null ? "global" : focusId === null ? "project" : "focus";
