import type { TreeRow } from "./tree-rows.ts";

/** The effect of a key on a tree row, following the ARIA tree pattern. */
export type TreeMove =
  | { readonly go: number }
  | { readonly fold: string; readonly isOpen: boolean }
  | { readonly act: "open" | "rename" | "delete" };

export function toTreeMove(key: string, rows: readonly TreeRow[], at: number): TreeMove | null {
  const row = rows[at];
  if (!row) return null;
  switch (key) {
    case "ArrowDown":
      return { go: Math.min(at + 1, rows.length - 1) };
    case "ArrowUp":
      return { go: Math.max(at - 1, 0) };
    case "Home":
      return { go: 0 };
    case "End":
      return { go: rows.length - 1 };
    case "ArrowRight":
      if (row.kind === "file") return null;
      if (!row.isOpen) return { fold: row.path, isOpen: true };
      return (rows[at + 1]?.level ?? 0) > row.level ? { go: at + 1 } : null;
    case "ArrowLeft":
      if (row.kind === "folder" && row.isOpen) return { fold: row.path, isOpen: false };
      return toParent(rows, at);
    case "Enter":
    case " ":
      return row.kind === "folder" ? { fold: row.path, isOpen: !row.isOpen } : { act: "open" };
    case "F2":
      return { act: "rename" };
    case "Delete":
      return { act: "delete" };
    default:
      return key.length === 1 ? toTypeahead(key, rows, at) : null;
  }
}

const toParent = (rows: readonly TreeRow[], at: number): TreeMove | null => {
  const level = rows[at]?.level ?? 1;
  const parent = rows.slice(0, at).findLastIndex((row) => row.level < level);
  return parent < 0 ? null : { go: parent };
};

/** The next row that starts with this letter, wrapping around. */
function toTypeahead(key: string, rows: readonly TreeRow[], at: number): TreeMove | null {
  const order = rows.map((_, index) => (at + 1 + index) % rows.length);
  const found = order.find((index) => rows[index]?.name.toLowerCase().startsWith(key.toLowerCase()));
  return found === undefined ? null : { go: found };
}
