import { ChevronRight } from "lucide-react";
import { memo, useState, type KeyboardEvent } from "react";
import { FileIcon } from "./file-icon.tsx";
import { RowMenu, type RowAction } from "./row-menu.tsx";
import type { TreeRow } from "./tree-rows.ts";

type Props = {
  readonly row: TreeRow;
  /** Its file is the one in the editor. */
  readonly isSeen: boolean;
  /** The one stop of the Tab key in the tree. */
  readonly isStop: boolean;
  readonly isFixed: boolean;
  readonly onPress: (row: TreeRow) => void;
  readonly onDeed: (deed: RowAction, row: TreeRow) => void;
};

export const indentOf = (level: number): string => `${0.5 + (level - 1) * 0.9}rem`;

export const TreeLine = memo(({ row, isSeen, isStop, isFixed, onPress, onDeed }: Props) => {
  const [hasMenu, setMenu] = useState(false);
  const isFolder = row.kind === "folder";
  const onKeyDown = (event: KeyboardEvent) => {
    if (isFixed || (event.key !== "ContextMenu" && !(event.shiftKey && event.key === "F10"))) return;
    event.preventDefault();
    setMenu(true);
  };
  return (
    <div
      role="treeitem"
      data-path={row.path}
      tabIndex={isStop ? 0 : -1}
      aria-level={row.level}
      aria-posinset={row.position}
      aria-setsize={row.siblings}
      aria-selected={isSeen}
      aria-label={row.name}
      {...(isFolder ? { "aria-expanded": row.isOpen } : {})}
      onClick={() => onPress(row)}
      onKeyDown={onKeyDown}
      onContextMenu={(event) => {
        if (isFixed) return;
        event.preventDefault();
        setMenu(true);
      }}
      style={{ paddingInlineStart: indentOf(row.level) }}
      className={`group/row flex h-7 cursor-pointer items-center gap-1.5 rounded-lg pe-1 text-sm select-none focus-visible:-outline-offset-2 pointer-coarse:h-10 ${isSeen ? "bg-press font-medium" : "hover:bg-hover"}`}
    >
      {isFolder ? (
        <ChevronRight
          aria-hidden="true"
          className={`size-4 flex-none text-soft transition-transform ${row.isOpen ? "rotate-90" : "rtl:-scale-x-100"}`}
        />
      ) : (
        <FileIcon path={row.path} />
      )}
      <span className="min-w-0 flex-1 truncate" title={row.path}>
        {row.name}
      </span>
      {!isFixed && <RowMenu row={row} isOpen={hasMenu} onOpen={setMenu} onDeed={onDeed} />}
    </div>
  );
});
