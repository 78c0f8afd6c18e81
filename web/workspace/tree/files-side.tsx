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

type Props = {
  readonly store: WorkspaceStore;
  readonly files: readonly FileLine[];
  readonly isFixed?: boolean;
  readonly seen: string | null;
  readonly onOpen: (path: string) => void;
  readonly onVersions: (path: string) => void;
  /** After the other buttons. */
  readonly children?: ReactNode;
};

/** Find, make, rename and delete files. */
export const FilesSide = ({ store, files, isFixed = false, seen, onOpen, onVersions, children }: Props) => {
  const [query, setQuery] = useState("");
  const [naming, setNaming] = useState<Naming | null>(null);
  const folders = useSignal(store.folders);
  const beginHere = (kind: "file" | "folder") => {
    setQuery("");
    setNaming({ kind, folder: seen === null ? "" : folderPathOf(seen) });
  };

  const onDeed = useCallback(
    (deed: RowAction, row: TreeRow) => {
      if (deed === "versions") return onVersions(row.path);
      if (deed === "rename") return setNaming({ kind: "rename", path: row.path });
      if (deed !== "delete") return setNaming({ kind: deed, folder: row.path });
      store.folders.set(store.folders.get().filter((path) => !isWithin(path, row.path)));
      const gone = row.kind === "folder" ? listInside(files, row.path) : files.filter(({ path }) => path === row.path);
      if (gone.length > 0) void store.remove(gone, row.path);
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
            aria-label="Find a file"
            placeholder="Find a file"
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
        {!isFixed && (
          <>
            <IconButton label="New file" className="size-8" onClick={() => beginHere("file")}>
              <FilePlus2 aria-hidden="true" className="size-4" />
            </IconButton>
            <IconButton label="New folder" className="size-8" onClick={() => beginHere("folder")}>
              <FolderPlus aria-hidden="true" className="size-4" />
            </IconButton>
          </>
        )}
        {children}
      </div>
      <div className="min-h-0 flex-1 overflow-y-auto overscroll-contain px-2 pb-3">
        {query.trim() !== "" ? (
          <Found files={findByName(files, query)} onOpen={onOpen} />
        ) : files.length + folders.length === 0 && naming === null ? (
          <p className="px-2 pt-4 text-sm text-pretty text-soft">
            {isFixed
              ? "There were no files."
              : "No files yet. Ask for a page in a thread, or begin with a file of your own."}
          </p>
        ) : (
          <FileTree
            projectId={store.projectId}
            files={files}
            folders={isFixed ? [] : folders}
            seen={seen}
            isFixed={isFixed}
            naming={naming}
            onName={onName}
            onOpen={onOpen}
            onDeed={onDeed}
          />
        )}
      </div>
    </div>
  );
};

const mostFound = 100;

type FoundProps = { readonly files: readonly FileLine[]; readonly onOpen: (path: string) => void };

const Found = ({ files, onOpen }: FoundProps) => (
  <>
    <p role="status" className="px-2 py-1 text-xs text-soft">
      {files.length === 0 ? "No file is called so." : files.length === 1 ? "1 file" : `${files.length} files`}
    </p>
    <ul aria-label="Found files" className="grid gap-px">
      {files.slice(0, mostFound).map(({ path }) => (
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
