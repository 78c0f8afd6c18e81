import type { FileRow } from "../../store/contract.ts";
import type { CountLine } from "./outline.ts";
import { FRAME } from "./render-project.ts";
import { quoteValue } from "../../lib/prompt-tags.ts";

type Folder = { readonly folders: Map<string, Folder>; readonly files: FileRow[] };

/** Lists the files of a workspace. Folders that do not fit the budget are collapsed to a file count. */
export function renderWorkspace(
  files: readonly FileRow[],
  { projectId, seq, budget, count }: { projectId: string; seq: number; budget: number; count: CountLine },
): { readonly text: string; readonly note: string } {
  const open = `<workspace-digest project="${projectId}" seq="${seq}">`;
  const bytes = files.reduce((sum, file) => sum + file.bytes, 0);
  const head =
    files.length === 0
      ? `The workspace has no files yet. ${FRAME}`
      : `The files of the workspace: ${files.length}, ${toSize(bytes)}. ${FRAME}`;
  const left = budget - count(open) - count(head) - 10;
  const lines = foldToFit(toFolder(files), left, count);
  const listed = lines.filter(({ isFile }) => isFile).length;
  return {
    text: [open, head, ...lines.map(({ text }) => text), "</workspace-digest>"].join("\n"),
    note: `files ${listed} of ${files.length}`,
  };
}

type Line = { readonly text: string; readonly isFile: boolean };

/** Expands folders breadth-first while the list fits the budget. */
function foldToFit(root: Folder, budget: number, count: CountLine): readonly Line[] {
  const opened = new Set<Folder>([root]);
  const cost = (lines: readonly Line[]): number => lines.reduce((sum, { text }) => sum + count(text) + 1, 0);
  let lines = list(root, "", opened);
  let total = cost(lines);
  const waiting: { readonly folder: Folder; readonly path: string }[] = [];
  const wait = (folder: Folder, path: string): void => {
    for (const [name, below] of sorted(folder)) waiting.push({ folder: below, path: `${path}${name}/` });
  };
  wait(root, "");
  for (let next = waiting.shift(); next; next = waiting.shift()) {
    const { folder, path } = next;
    const more = cost(list(folder, path, new Set([folder]))) - cost([toFolded(folder, path)]);
    if (total + more > budget) continue;
    total += more;
    opened.add(folder);
    wait(folder, path);
  }
  lines = list(root, "", opened);
  if (cost(lines) <= budget) return lines;
  // Not even the root fits: list what fits and count the rest.
  let left = budget - REST_TOKENS;
  const shown = lines.filter(({ text }) => (left -= count(text) + 1) >= 0);
  return [
    ...shown,
    { text: `${lines.length - shown.length} more at the root, get them with search_files`, isFile: false },
  ];
}

const REST_TOKENS = 16;

function list(folder: Folder, path: string, opened: ReadonlySet<Folder>): readonly Line[] {
  return [
    ...sorted(folder).flatMap(([name, below]) =>
      opened.has(below) ? list(below, `${path}${name}/`, opened) : [toFolded(below, `${path}${name}/`)],
    ),
    ...folder.files.map((file) => ({ text: toFileLine(file), isFile: true })),
  ];
}

const sorted = ({ folders }: Folder): readonly (readonly [string, Folder])[] =>
  [...folders].toSorted(([a], [b]) => (a < b ? -1 : 1));

const toFolded = (folder: Folder, path: string): Line => ({
  text: `${toPath(path)} (${countFiles(folder)} files)`,
  isFile: false,
});

const countFiles = ({ folders, files }: Folder): number =>
  [...folders.values()].reduce((sum, folder) => sum + countFiles(folder), files.length);

const toFileLine = ({ path, lines, bytes }: FileRow): string =>
  `${toPath(path)} ${lines === null ? "" : `${lines} lines `}${toSize(bytes)}`;

/** Quotes a path unless it is plain. */
export const toPath = (path: string): string => (/^[\w@.+()[\]$/-]+$/.test(path) ? path : quoteValue(path));

const toSize = (bytes: number): string =>
  bytes < 1_000
    ? `${bytes} B`
    : bytes < 1_000_000
      ? `${(bytes / 1_000).toFixed(1)} kB`
      : `${(bytes / 1_000_000).toFixed(1)} MB`;

function toFolder(files: readonly FileRow[]): Folder {
  const root: Folder = { folders: new Map(), files: [] };
  for (const file of files) {
    let folder = root;
    for (const name of file.path.split("/").slice(0, -1)) {
      let below = folder.folders.get(name);
      if (!below) folder.folders.set(name, (below = { folders: new Map(), files: [] }));
      folder = below;
    }
    folder.files.push(file);
  }
  return root;
}
