import type { Page } from "./page.ts";

/** Which side of a project's files is looked at. */
export type WorkspaceSide = "files" | "preview" | "versions";

/** The workspace that is open beside a thread, and what in it was asked for. */
export type WorkspaceRoute = {
  readonly projectId: string;
  readonly side: WorkspaceSide;
  /** A file to be opened. */
  readonly path: string | null;
};

const toKey = (projectId: string): string => `workspace.${projectId}.side`;

type WorkspaceStores = Pick<Page, "storage" | "workspace">;

export function showWorkspace(
  { storage, workspace }: WorkspaceStores,
  route: Partial<WorkspaceRoute> & { projectId: string },
): void {
  const next = { side: recallSide({ storage }, route.projectId) ?? "files", path: null, ...route };
  storage.set(toKey(route.projectId), next.side);
  workspace.set(next);
}

export function hideWorkspace({ storage, workspace }: WorkspaceStores): void {
  const open = workspace.get();
  if (open) storage.set(toKey(open.projectId), `closed ${open.side}`);
  workspace.set(null);
}

/** The side that was looked at last, whether it was closed since or not. */
export const recallSide = ({ storage }: Pick<Page, "storage">, projectId: string): WorkspaceSide | null => {
  const side = storage.get(toKey(projectId))?.replace("closed ", "");
  return side === "files" || side === "preview" || side === "versions" ? side : null;
};

/** Whether it stood open when the person was here last; a thread of the builder begins with it. */
export const wasShown = ({ storage }: Pick<Page, "storage">, projectId: string, profile: string): boolean => {
  const kept = storage.get(toKey(projectId));
  return kept === null ? profile === "builder" : !kept.startsWith("closed");
};
