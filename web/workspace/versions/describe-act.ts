import type { Act } from "../../../protocol/project/project.ts";

/** A file that an act changed, and how. */
export type FileChange = { readonly path: string; readonly what: "new" | "changed" | "deleted" };

export const listFileChanges = ({ changes }: Pick<Act, "changes">): readonly FileChange[] =>
  changes.flatMap(({ what, id, before, after }): readonly FileChange[] =>
    what === "file" ? [{ path: id, what: before === null ? "new" : after === null ? "deleted" : "changed" }] : [],
  );

export const touchesFiles = (act: Pick<Act, "changes">): boolean => act.changes.some(({ what }) => what === "file");

/** Whether the act undoes another one; undoing it redoes that one. */
export const isUndo = ({ undoes }: Pick<Act, "undoes">): boolean => undoes !== null;

type FileHash = { readonly path: string; readonly hash: string };

/** Files that differ between two lists, sorted by path. */
export function compareLists(before: readonly FileHash[], after: readonly FileHash[]): readonly FileChange[] {
  const old = new Map(before.map(({ path, hash }) => [path, hash]));
  const now = new Map(after.map(({ path, hash }) => [path, hash]));
  const paths = [...new Set([...old.keys(), ...now.keys()])].toSorted();
  return paths.flatMap((path): readonly FileChange[] => {
    if (old.get(path) === now.get(path)) return [];
    return [{ path, what: !old.has(path) ? "new" : !now.has(path) ? "deleted" : "changed" }];
  });
}
