import type { FileLine } from "../../../protocol/workspace/workspace.ts";

/** A row of the tree. A folder exists because it has files, or because the user just created it. */
export type TreeRow = {
  readonly path: string;
  readonly name: string;
  readonly kind: "folder" | "file";
  /** 1 at the root. */
  readonly level: number;
  readonly isOpen: boolean;
  readonly position: number;
  readonly siblings: number;
};

type Folder = { readonly folders: Map<string, Folder>; readonly files: FileLine[] };

/** The visible rows: folders first, sorted by name, with the content of open folders. */
export function toTreeRows(
  files: readonly FileLine[],
  empty: readonly string[],
  isOpen: (path: string) => boolean,
): readonly TreeRow[] {
  const root: Folder = createFolder();
  for (const file of files) folderOf(root, file.path.split("/").slice(0, -1)).files.push(file);
  for (const path of empty) folderOf(root, path.split("/"));
  const rows: TreeRow[] = [];
  const add = (folder: Folder, prefix: string, level: number) => {
    const names = [...folder.folders.keys()].toSorted(byName);
    const inside = folder.files.toSorted((a, b) => byName(a.path, b.path));
    const siblings = names.length + inside.length;
    names.forEach((name, index) => {
      const path = prefix + name;
      const open = isOpen(path);
      rows.push({ path, name, kind: "folder", level, isOpen: open, position: index + 1, siblings });
      const child = folder.folders.get(name);
      if (open && child) add(child, `${path}/`, level + 1);
    });
    inside.forEach(({ path }, index) => {
      const position = names.length + index + 1;
      rows.push({ path, name: path.slice(prefix.length), kind: "file", level, isOpen: false, position, siblings });
    });
  };
  add(root, "", 1);
  return rows;
}

/** Files whose path contains all words, in any order; matches in the file name come first. */
export function findByName(files: readonly FileLine[], query: string): readonly FileLine[] {
  const words = query.toLowerCase().split(/\s+/).filter(Boolean);
  const hasWords = (text: string) => words.every((word) => text.toLowerCase().includes(word));
  const fitting = files.filter(({ path }) => hasWords(path));
  const inName = new Set(fitting.filter(({ path }) => hasWords(nameOf(path))));
  return [...inName, ...fitting.filter((file) => !inName.has(file))];
}

export const nameOf = (path: string): string => path.slice(path.lastIndexOf("/") + 1);
export const folderPathOf = (path: string): string => path.slice(0, Math.max(0, path.lastIndexOf("/")));

/** The files in a folder, however deep. */
export const listInside = (files: readonly FileLine[], folder: string): readonly FileLine[] =>
  files.filter(({ path }) => path.startsWith(`${folder}/`));

const createFolder = (): Folder => ({ folders: new Map(), files: [] });

function folderOf(root: Folder, steps: readonly string[]): Folder {
  return steps.reduce((folder, step) => {
    const known = folder.folders.get(step) ?? createFolder();
    folder.folders.set(step, known);
    return known;
  }, root);
}

const byName = (a: string, b: string): number => a.localeCompare(b, "en", { numeric: true, sensitivity: "base" });
