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
import { workspace as strings } from "../../strings/workspace/workspace.ts";

/** A name being edited: of an existing item, or of a new one in a folder ("" is the root). */
export type Naming =
  | { readonly kind: "rename"; readonly path: string }
  | { readonly kind: "file" | "folder"; readonly folder: string };

type Props = {
  readonly projectId: string;
  readonly files: readonly FileLine[];
  readonly folders: readonly string[];
  readonly current: string | null;
  /** Set when an earlier version is shown. */
  readonly isReadOnly?: boolean;
  readonly naming: Naming | null;
  readonly onName: (value: string | null) => void;
  readonly onOpen: (path: string) => void;
  readonly onAction: (action: RowAction, row: TreeRow) => void;
};

/** The files as a tree with the usual keys; F2 renames, Delete deletes. */
export const FileTree = (props: Props) => {
  const { projectId, files, folders, current, isReadOnly = false, naming, onName, onOpen, onAction } = props;
  const { isOpen, fold } = useFolds(projectId, files.length);
  const rows = useMemo(() => toTreeRows(files, folders, isOpen), [files, folders, isOpen]);
  const [stop, setStop] = useState<string | null>(current);
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
  const onRowAction = useCallback(
    (action: RowAction, row: TreeRow) => {
      if (row.kind === "folder") fold(row.path, action === "file" || action === "folder" || row.isOpen);
      onAction(action, row);
    },
    [fold, onAction],
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
    if (!isReadOnly) onAction(move.act, row);
  };
  useEffect(() => {
    if (naming?.kind === "rename" || !naming?.folder) return;
    fold(naming.folder, true);
  }, [naming, fold]);

  const isNaming = naming !== null && naming.kind !== "rename";
  return (
    <div
      ref={box}
      role="tree"
      aria-label={strings.files.tree}
      onKeyDown={onKeyDown}
      onFocus={(event) => setStop(pathAt(event.target) ?? stop)}
      className="grid gap-px"
    >
      {isNaming && naming.folder === "" && <NewRow level={1} kind={naming.kind} onDone={onName} />}
      {rows.map((row, index) => (
        <Fragment key={`${row.kind} ${row.path}`}>
          {naming?.kind === "rename" && naming.path === row.path ? (
            <NameRow
              level={row.level}
              icon={<FileIcon path={row.path} />}
              label={strings.files.newPath(row.name)}
              value={row.path}
              onDone={onName}
            />
          ) : (
            <TreeLine
              row={row}
              isCurrent={row.path === current}
              isStop={index === at}
              isReadOnly={isReadOnly}
              onPress={onPress}
              onAction={onRowAction}
            />
          )}
          {isNaming && row.kind === "folder" && naming.folder === row.path && (
            <NewRow level={row.level + 1} kind={naming.kind} onDone={onName} />
          )}
        </Fragment>
      ))}
    </div>
  );
};

type NameRowProps = {
  readonly level: number;
  readonly icon: ReactNode;
  readonly label: string;
  readonly value: string;
  readonly onDone: Props["onName"];
};

/** A row whose name is being edited. */
const NameRow = ({ level, icon, label, value, onDone }: NameRowProps) => (
  <div
    role="treeitem"
    aria-level={level}
    aria-selected={false}
    aria-label={label}
    style={{ paddingInlineStart: indentOf(level) }}
    className="flex min-h-7 items-center gap-1.5 pe-1 pointer-coarse:min-h-10"
  >
    {icon}
    <NameField label={label} value={value} onDone={onDone} />
  </div>
);

type NewRowProps = Pick<NameRowProps, "level" | "onDone"> & { readonly kind: "file" | "folder" };

const NewRow = ({ level, kind, onDone }: NewRowProps) =>
  kind === "folder" ? (
    <NameRow
      level={level}
      icon={<Folder aria-hidden="true" className="size-4 flex-none opacity-70" />}
      label={strings.files.folderName}
      value=""
      onDone={onDone}
    />
  ) : (
    <NameRow level={level} icon={<FileIcon path="" />} label={strings.files.fileName} value="" onDone={onDone} />
  );

/** The row that contains the element. */
const pathAt = (target: EventTarget): string | null =>
  (target instanceof Element && target.closest("[data-path]")?.getAttribute("data-path")) || null;

/** With up to this many files, folders are open by default. */
const fewFiles = 60;

/** Which folders are open, stored per project. */
function useFolds(projectId: string, fileCount: number) {
  const { storage } = usePage();
  const key = `workspace.${projectId}.folds`;
  const [set, setSet] = useState<Readonly<Record<string, boolean>>>(() => parseStored(storage.get(key)));
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

function parseStored(text: string | null): Readonly<Record<string, boolean>> {
  try {
    const stored: unknown = JSON.parse(text ?? "{}");
    const entries = typeof stored === "object" && stored !== null ? Object.entries(stored) : [];
    return Object.fromEntries(entries.filter(([, open]) => typeof open === "boolean"));
  } catch {
    return {};
  }
}
