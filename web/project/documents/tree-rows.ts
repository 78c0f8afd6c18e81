import type { EntityLine, EntityOp } from "../../../protocol/project/project.ts";

/** A visible row of the tree. */
export type TreeRow = {
  readonly line: EntityLine;
  readonly depth: number;
  readonly hasChildren: boolean;
  readonly isOpen: boolean;
  readonly position: number;
  readonly siblings: number;
};

export type Tree = {
  readonly byId: ReadonlyMap<string, EntityLine>;
  /** By parent id, in order; null: top level. */
  readonly children: ReadonlyMap<string | null, readonly EntityLine[]>;
};

/** Documents whose parent is not in the list are at the top level. */
export function toTree(lines: readonly EntityLine[]): Tree {
  const byId = new Map(lines.map((line) => [line.id, line]));
  const parentOf = ({ parentId }: EntityLine) => (parentId !== null && byId.has(parentId) ? parentId : null);
  const groups = Map.groupBy(lines, parentOf);
  const children = new Map([...groups].map(([id, list]) => [id, list.toSorted(byPosition)]));
  return { byId, children };
}

const byPosition = (a: EntityLine, b: EntityLine): number => a.position - b.position || (a.id < b.id ? -1 : 1);

export function toRows({ children }: Tree, open: ReadonlySet<string>): readonly TreeRow[] {
  const rows: TreeRow[] = [];
  const walk = (parentId: string | null, depth: number) => {
    const siblings = children.get(parentId) ?? [];
    for (const [index, line] of siblings.entries()) {
      const hasChildren = children.has(line.id);
      const isOpen = hasChildren && open.has(line.id);
      rows.push({ line, depth, hasChildren, isOpen, position: index + 1, siblings: siblings.length });
      if (isOpen) walk(line.id, depth + 1);
    }
  };
  walk(null, 1);
  return rows;
}

/** Rows whose titles contain the query, with their parents. */
export function filterTree(tree: Tree, query: string): readonly TreeRow[] {
  const wanted = query.trim().toLowerCase();
  const matches = new Set<string>();
  for (const line of tree.byId.values()) {
    if (!line.title.toLowerCase().includes(wanted)) continue;
    for (let at: EntityLine | undefined = line; at && !matches.has(at.id); at = tree.byId.get(at.parentId ?? ""))
      matches.add(at.id);
  }
  const lines = [...tree.byId.values()].filter(({ id }) => matches.has(id));
  return toRows(toTree(lines), matches);
}

export const pathTo = ({ byId }: Tree, id: string): readonly string[] => {
  const path: string[] = [];
  for (let at = byId.get(id); at?.parentId && !path.includes(at.parentId); at = byId.get(at.parentId))
    path.push(at.parentId);
  return path;
};

/** The move for an arrow key with a modifier: up or down among siblings, into the previous sibling, or out to the parent's level. */
export function toTreeMove(tree: Tree, id: string, key: string): EntityOp | null {
  const line = tree.byId.get(id);
  if (!line) return null;
  const parentId = tree.byId.has(line.parentId ?? "") ? line.parentId : null;
  const siblings = tree.children.get(parentId) ?? [];
  const at = siblings.findIndex((sibling) => sibling.id === id);
  const move = (to: string | null, after: string | null | undefined): EntityOp => ({
    do: "move",
    id,
    version: line.version,
    parentId: to,
    ...(after === undefined ? {} : { after }),
  });
  if (key === "ArrowUp") return at > 0 ? move(parentId, siblings[at - 2]?.id ?? null) : null;
  if (key === "ArrowDown") return at + 1 < siblings.length ? move(parentId, siblings[at + 1]?.id) : null;
  const above = siblings[at - 1];
  if (key === "ArrowRight") return above ? move(above.id, undefined) : null;
  const parent = parentId === null ? undefined : tree.byId.get(parentId);
  if (key === "ArrowLeft" && parent)
    return move(tree.byId.has(parent.parentId ?? "") ? parent.parentId : null, parent.id);
  return null;
}

export type Drop = { readonly id: string; readonly targetId: string; readonly where: "before" | "inside" | "after" };

/** The move for a drop; null if the target is the document or one of its descendants. */
export function toDropMove(tree: Tree, { id, targetId, where }: Drop): EntityOp | null {
  const [line, target] = [tree.byId.get(id), tree.byId.get(targetId)];
  if (!line || !target || id === targetId || pathTo(tree, targetId).includes(id)) return null;
  if (where === "inside") return { do: "move", id, version: line.version, parentId: targetId };
  const parentId = tree.byId.has(target.parentId ?? "") ? target.parentId : null;
  const siblings = (tree.children.get(parentId) ?? []).filter((sibling) => sibling.id !== id);
  const at = siblings.findIndex((sibling) => sibling.id === targetId);
  const after = where === "after" ? targetId : (siblings[at - 1]?.id ?? null);
  return { do: "move", id, version: line.version, parentId, after };
}
