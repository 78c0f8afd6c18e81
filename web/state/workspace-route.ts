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

type Keeper = Pick<Page, "keep" | "workspace">;

export function showWorkspace(
  { keep, workspace }: Keeper,
  place: Partial<WorkspaceRoute> & { projectId: string },
): void {
  const next = { side: recallSide({ keep }, place.projectId) ?? "files", path: null, ...place };
  keep.set(toKey(place.projectId), next.side);
  workspace.set(next);
}

export function hideWorkspace({ keep, workspace }: Keeper): void {
  const open = workspace.get();
  if (open) keep.set(toKey(open.projectId), `closed ${open.side}`);
  workspace.set(null);
}

/** The side that was looked at last, whether it was closed since or not. */
export const recallSide = ({ keep }: Pick<Page, "keep">, projectId: string): WorkspaceSide | null => {
  const side = keep.get(toKey(projectId))?.replace("closed ", "");
  return side === "files" || side === "preview" || side === "versions" ? side : null;
};

/** Whether it stood open when the person was here last; a thread of the builder begins with it. */
export const wasShown = ({ keep }: Pick<Page, "keep">, projectId: string, profile: string): boolean => {
  const kept = keep.get(toKey(projectId));
  return kept === null ? profile === "builder" : !kept.startsWith("closed");
};
