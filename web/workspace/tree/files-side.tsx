import { FilePlus2, FolderPlus, Search } from "lucide-react";
import { useCallback, useState, type ReactNode } from "react";
import type { FileLine } from "../../../protocol/workspace/workspace.ts";
import { useSignal } from "../../lib/signal.ts";
import { IconButton } from "../../ui/icon-button.tsx";
import type { WorkspaceStore } from "../state/workspace-store.ts";
import { FileIcon } from "./file-icon.tsx";
import { FileTree, type Naming } from "./file-tree.tsx";
import type { RowAction } from "./row-menu.tsx";
import { findByName, folderPathOf, listInside, nameOf, type TreeRow } from "./tree-rows.ts";
import { workspace as strings } from "../../strings/workspace/workspace.ts";

type Props = {
  readonly store: WorkspaceStore;
  readonly files: readonly FileLine[];
  readonly isReadOnly?: boolean;
  readonly current: string | null;
  readonly onOpen: (path: string) => void;
  readonly onVersions: (path: string) => void;
  /** After the other buttons. */
  readonly children?: ReactNode;
};

/** The file list: find, create, rename and delete files. */
export const FilesSide = ({ store, files, isReadOnly = false, current, onOpen, onVersions, children }: Props) => {
  const [query, setQuery] = useState("");
  const [naming, setNaming] = useState<Naming | null>(null);
  const folders = useSignal(store.folders);
  const startNaming = (kind: "file" | "folder") => {
    setQuery("");
    setNaming({ kind, folder: current === null ? "" : folderPathOf(current) });
  };

  const onAction = useCallback(
    (action: RowAction, row: TreeRow) => {
      if (action === "versions") return onVersions(row.path);
      if (action === "rename") return setNaming({ kind: "rename", path: row.path });
      if (action !== "delete") return setNaming({ kind: action, folder: row.path });
      store.folders.set(store.folders.get().filter((path) => !isWithin(path, row.path)));
      const deleted =
        row.kind === "folder" ? listInside(files, row.path) : files.filter(({ path }) => path === row.path);
      if (deleted.length > 0) void store.remove(deleted, row.path);
    },
    [store, files, onVersions],
  );
  const onName = (value: string | null) => {
    setNaming(null);
    if (value === null || naming === null) return;
    if (naming.kind === "rename") {
      const from = naming.path;
      const inside = listInside(files, from);
      const moved = inside.length > 0 ? inside : files.filter(({ path }) => path === from);
      store.folders.set(store.folders.get().map((path) => (path === from ? value : path)));
      if (moved.length > 0) void store.rename(moved, from, value);
      return;
    }
    const path = naming.folder === "" ? value : `${naming.folder}/${value}`;
    if (naming.kind === "folder") return store.folders.set([...new Set([...store.folders.get(), path])]);
    void store.create(path);
  };
  return (
    <div className="flex h-full min-h-0 flex-col">
      <div className="flex flex-none items-center gap-0.5 px-2 pb-1.5">
        <label className="flex h-8 min-w-0 flex-1 items-center gap-1.5 rounded-lg bg-hover px-2 text-soft focus-within:text-ink">
          <Search aria-hidden="true" className="size-3.5 flex-none" />
          <input
            type="search"
            aria-label={strings.files.find}
            placeholder={strings.files.find}
            value={query}
            onChange={(event) => setQuery(event.target.value)}
            onKeyDown={(event) => {
              const [first] = findByName(files, query);
              if (event.key === "Enter" && query.trim() !== "" && first) onOpen(first.path);
              if (event.key === "Escape") setQuery("");
            }}
            className="w-full min-w-0 bg-transparent text-sm text-ink outline-none placeholder:text-soft"
          />
        </label>
        {!isReadOnly && (
          <>
            <IconButton label={strings.files.newFile} className="size-8" onClick={() => startNaming("file")}>
              <FilePlus2 aria-hidden="true" className="size-4" />
            </IconButton>
            <IconButton label={strings.files.newFolder} className="size-8" onClick={() => startNaming("folder")}>
              <FolderPlus aria-hidden="true" className="size-4" />
            </IconButton>
          </>
        )}
        {children}
      </div>
      <div className="min-h-0 flex-1 overflow-y-auto overscroll-contain px-2 pb-3">
        {query.trim() !== "" ? (
          <Matches files={findByName(files, query)} onOpen={onOpen} />
        ) : files.length + folders.length === 0 && naming === null ? (
          <p className="px-2 pt-4 text-sm text-pretty text-soft">
            {isReadOnly ? strings.files.emptyPast : strings.files.empty}
          </p>
        ) : (
          <FileTree
            projectId={store.projectId}
            files={files}
            folders={isReadOnly ? [] : folders}
            current={current}
            isReadOnly={isReadOnly}
            naming={naming}
            onName={onName}
            onOpen={onOpen}
            onAction={onAction}
          />
        )}
      </div>
    </div>
  );
};

const mostMatches = 100;

type MatchesProps = { readonly files: readonly FileLine[]; readonly onOpen: (path: string) => void };

const Matches = ({ files, onOpen }: MatchesProps) => (
  <>
    <p role="status" className="px-2 py-1 text-xs text-soft">
      {strings.files.matchCount(files.length)}
    </p>
    <ul aria-label={strings.files.matches} className="grid gap-px">
      {files.slice(0, mostMatches).map(({ path }) => (
        <li key={path}>
          <button
            type="button"
            className="flex min-h-7 w-full items-center gap-1.5 rounded-lg px-2 py-1 text-start text-sm hover:bg-hover focus-visible:-outline-offset-2 pointer-coarse:min-h-10"
            onClick={() => onOpen(path)}
          >
            <FileIcon path={path} />
            <span className="min-w-0 flex-none truncate">{nameOf(path)}</span>
            <span className="min-w-0 flex-1 truncate text-xs text-soft">{folderPathOf(path)}</span>
          </button>
        </li>
      ))}
    </ul>
  </>
);

const isWithin = (path: string, folder: string): boolean => path === folder || path.startsWith(`${folder}/`);
