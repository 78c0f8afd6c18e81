import { ChevronRight } from "lucide-react";
import { memo, useState, type KeyboardEvent } from "react";
import { FileIcon } from "./file-icon.tsx";
import { RowMenu, type RowAction } from "./row-menu.tsx";
import type { TreeRow } from "./tree-rows.ts";

type Props = {
  readonly row: TreeRow;
  /** Open in the editor. */
  readonly isCurrent: boolean;
  /** The row that Tab focuses. */
  readonly isStop: boolean;
  readonly isReadOnly: boolean;
  readonly onPress: (row: TreeRow) => void;
  readonly onAction: (action: RowAction, row: TreeRow) => void;
};

export const indentOf = (level: number): string => `${0.5 + (level - 1) * 0.9}rem`;

export const TreeLine = memo(({ row, isCurrent, isStop, isReadOnly, onPress, onAction }: Props) => {
  const [hasMenu, setMenu] = useState(false);
  const isFolder = row.kind === "folder";
  const onKeyDown = (event: KeyboardEvent) => {
    if (isReadOnly || (event.key !== "ContextMenu" && !(event.shiftKey && event.key === "F10"))) return;
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
      aria-selected={isCurrent}
      aria-label={row.name}
      {...(isFolder ? { "aria-expanded": row.isOpen } : {})}
      onClick={() => onPress(row)}
      onKeyDown={onKeyDown}
      onContextMenu={(event) => {
        if (isReadOnly) return;
        event.preventDefault();
        setMenu(true);
      }}
      style={{ paddingInlineStart: indentOf(row.level) }}
      className={`group/row flex h-7 cursor-pointer items-center gap-1.5 rounded-lg pe-1 text-sm select-none focus-visible:-outline-offset-2 pointer-coarse:h-10 ${isCurrent ? "bg-press font-medium" : "hover:bg-hover"}`}
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
      {!isReadOnly && <RowMenu row={row} isOpen={hasMenu} onOpen={setMenu} onAction={onAction} />}
    </div>
  );
});
