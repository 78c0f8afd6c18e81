import { useEffect } from "react";
import { usePage } from "../../state/page.ts";
import { getWorkspaceStore, type WorkspaceStore } from "./workspace-store.ts";

/** The project's files, kept up to date while they are shown. */
export function useWorkspaceStore(projectId: string): WorkspaceStore {
  const store = getWorkspaceStore(usePage(), projectId);
  useEffect(() => store.feed.hold(), [store]);
  return store;
}
