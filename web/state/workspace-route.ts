import type { Page } from "./page.ts";

/** The views of a workspace. */
export type WorkspaceSide = "files" | "preview" | "versions";

/** The workspace that is open next to a thread. */
export type WorkspaceRoute = {
  readonly projectId: string;
  readonly side: WorkspaceSide;
  /** A file to open. */
  readonly path: string | null;
  /** It was opened automatically, and this browser has no view of it yet. */
  readonly isFirst?: boolean;
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

/** The last view, even if the workspace was closed since. */
export const recallSide = ({ storage }: Pick<Page, "storage">, projectId: string): WorkspaceSide | null => {
  const side = storage.get(toKey(projectId))?.replace("closed ", "");
  return side === "files" || side === "preview" || side === "versions" ? side : null;
};

/** Whether it was open last time; threads of the builder profile start with it open. */
export const wasShown = ({ storage }: Pick<Page, "storage">, projectId: string, profile: string): boolean => {
  const stored = storage.get(toKey(projectId));
  return stored === null ? profile === "builder" : !stored.startsWith("closed");
};
