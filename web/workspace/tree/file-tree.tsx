import { Folder } from "lucide-react";
import { Fragment, useCallback, useEffect, useMemo, useRef, useState, type KeyboardEvent, type ReactNode } from "react";
import type { FileLine } from "../../../protocol/workspace/workspace.ts";
import { FileIcon } from "./file-icon.tsx";
import { NameField } from "./name-field.tsx";
import type { RowAction } from "./row-menu.tsx";
import { toTreeMove } from "./tree-keys.ts";
import { indentOf, TreeLine } from "./tree-line.tsx";
import { toTreeRows, type TreeRow } from "./tree-rows.ts";
import { usePage } from "../../state/page.ts";

/** A name that is being written: of something that is there, or of something new in a folder ("" is the top). */
export type Naming =
  | { readonly kind: "rename"; readonly path: string }
  | { readonly kind: "file" | "folder"; readonly folder: string };

type Props = {
  readonly projectId: string;
  readonly files: readonly FileLine[];
  readonly folders: readonly string[];
  readonly seen: string | null;
  /** An earlier version: looked at, and left as it is. */
  readonly isFixed?: boolean;
  readonly naming: Naming | null;
  readonly onName: (value: string | null) => void;
  readonly onOpen: (path: string) => void;
  readonly onDeed: (deed: RowAction, row: TreeRow) => void;
};

/** The files as a tree, with the keys that trees have; F2 and Delete do what they do elsewhere. */
export const FileTree = (props: Props) => {
  const { projectId, files, folders, seen, isFixed = false, naming, onName, onOpen, onDeed } = props;
  const { isOpen, fold } = useFolds(projectId, files.length);
  const rows = useMemo(() => toTreeRows(files, folders, isOpen), [files, folders, isOpen]);
  const [stop, setStop] = useState<string | null>(seen);
  const box = useRef<HTMLDivElement>(null);
  const at = Math.max(
    0,
    rows.findIndex(({ path }) => path === stop),
  );

  const focusRow = (path: string | undefined) => {
    if (path === undefined) return;
    setStop(path);
    box.current?.querySelector<HTMLElement>(`[data-path="${CSS.escape(path)}"]`)?.focus();
  };
  const onPress = useCallback(
    (row: TreeRow) => {
      setStop(row.path);
      if (row.kind === "folder") fold(row.path, !row.isOpen);
      else onOpen(row.path);
    },
    [fold, onOpen],
  );
  const onRowDeed = useCallback(
    (deed: RowAction, row: TreeRow) => {
      if (row.kind === "folder") fold(row.path, deed === "file" || deed === "folder" || row.isOpen);
      onDeed(deed, row);
    },
    [fold, onDeed],
  );
  const onKeyDown = (event: KeyboardEvent<HTMLElement>) => {
    if (event.defaultPrevented || event.ctrlKey || event.metaKey || event.altKey) return;
    const here = rows.findIndex(({ path }) => path === pathAt(event.target));
    const row = rows[here];
    const move = toTreeMove(event.key, rows, here);
    if (!move || !row) return;
    event.preventDefault();
    if ("go" in move) return focusRow(rows[move.go]?.path);
    if ("fold" in move) return fold(move.fold, move.isOpen);
    if (move.act === "open") return onOpen(row.path);
    if (!isFixed) onDeed(move.act, row);
  };
  useEffect(() => {
    if (naming?.kind === "rename" || !naming?.folder) return;
    fold(naming.folder, true);
  }, [naming, fold]);

  const field = (level: number, icon: ReactNode, label: string, value: string) => (
    <div
      role="treeitem"
      aria-level={level}
      aria-selected={false}
      aria-label={label}
      style={{ paddingInlineStart: indentOf(level) }}
      className="flex min-h-7 items-center gap-1.5 pe-1 pointer-coarse:min-h-10"
    >
      {icon}
      <NameField label={label} value={value} onDone={onName} />
    </div>
  );
  const isMaking = naming !== null && naming.kind !== "rename";
  const made = (level: number) =>
    naming?.kind === "folder"
      ? field(level, <Folder aria-hidden="true" className="size-4 flex-none opacity-70" />, "Name of the folder", "")
      : field(level, <FileIcon path="" />, "Name of the file", "");
  return (
    <div
      ref={box}
      role="tree"
      aria-label="Files"
      onKeyDown={onKeyDown}
      onFocus={(event) => setStop(pathAt(event.target) ?? stop)}
      className="grid gap-px"
    >
      {isMaking && naming.folder === "" && made(1)}
      {rows.map((row, index) => (
        <Fragment key={`${row.kind} ${row.path}`}>
          {naming?.kind === "rename" && naming.path === row.path ? (
            field(row.level, <FileIcon path={row.path} />, `New path of ${row.name}`, row.path)
          ) : (
            <TreeLine
              row={row}
              isSeen={row.path === seen}
              isStop={index === at}
              isFixed={isFixed}
              onPress={onPress}
              onDeed={onRowDeed}
            />
          )}
          {isMaking && row.kind === "folder" && naming.folder === row.path && made(row.level + 1)}
        </Fragment>
      ))}
    </div>
  );
};

/** The row that has the focus, however it came there. */
const pathAt = (target: EventTarget): string | null =>
  (target instanceof Element && target.closest("[data-path]")?.getAttribute("data-path")) || null;

/** In a small workspace every folder is open until it is closed; in a large one it is the other way round. */
const fewFiles = 60;

/** Which folders are open, kept per project. */
function useFolds(projectId: string, fileCount: number) {
  const { storage } = usePage();
  const key = `workspace.${projectId}.folds`;
  const [set, setSet] = useState<Readonly<Record<string, boolean>>>(() => readKept(storage.get(key)));
  const isOpen = useMemo(() => (path: string) => set[path] ?? fileCount <= fewFiles, [set, fileCount]);
  const fold = useCallback(
    (path: string, open: boolean) =>
      setSet((before) => {
        const next = { ...before, [path]: open };
        storage.set(key, JSON.stringify(next));
        return next;
      }),
    [storage, key],
  );
  return { isOpen, fold } as const;
}

function readKept(text: string | null): Readonly<Record<string, boolean>> {
  try {
    const kept: unknown = JSON.parse(text ?? "{}");
    const entries = typeof kept === "object" && kept !== null ? Object.entries(kept) : [];
    return Object.fromEntries(entries.filter(([, open]) => typeof open === "boolean"));
  } catch {
    return {};
  }
}
