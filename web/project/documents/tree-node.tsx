import { ChevronRight, FilePlus2, Trash2 } from "lucide-react";
import { useState, type DragEvent, type KeyboardEvent } from "react";
import { projectLimits } from "../../../protocol/project/kinds.ts";
import type { EntityLine } from "../../../protocol/project/project.ts";
import { toProjectPath } from "../../state/route.ts";
import { IconButton } from "../../ui/icon-button.tsx";
import { RenameField } from "../../ui/rename-field.tsx";
import { KindMark } from "../entity-marks.tsx";
import { useProject } from "../../state/project/project-context.ts";
import type { Drop, TreeRow } from "./tree-rows.ts";
import { documents as strings } from "../../strings/project/documents.ts";

export type TreeActions = {
  readonly toggle: (id: string, isOpen: boolean) => void;
  /** Returns true if the key moved it. */
  readonly moveBy: (id: string, key: string) => boolean;
  readonly drop: (drop: Drop) => void;
  readonly rename: (id: string, title: string) => void;
  readonly remove: (id: string) => void;
  readonly addBelow: (id: string) => void;
  readonly show: (id: string) => void;
};

export const treeRowPx = 36;
const dragType = "application/x-stonechat-document";

type NodeProps = {
  readonly row: TreeRow;
  readonly start: number;
  readonly isShown: boolean;
  readonly isTabStop: boolean;
  readonly isRenaming: boolean;
  readonly actions: TreeActions;
  readonly onFocus: () => void;
  readonly onKeyDown: (event: KeyboardEvent) => void;
  readonly onRename: (title: string | null) => void;
};

/** One document of the tree. It can be opened, renamed and dragged. */
export const TreeNode = ({
  row,
  start,
  isShown,
  isTabStop,
  isRenaming,
  actions,
  onFocus,
  onKeyDown,
  onRename,
}: NodeProps) => {
  const { projectId } = useProject();
  const { line, depth, hasChildren, isOpen, position, siblings } = row;
  const { where, handlers } = useDrag(line.id, actions.drop);
  return (
    <div
      role="treeitem"
      data-node={line.id}
      aria-level={depth}
      aria-posinset={position}
      aria-setsize={siblings}
      aria-selected={isShown}
      aria-label={line.title}
      {...(hasChildren ? { "aria-expanded": isOpen } : {})}
      tabIndex={isTabStop ? 0 : -1}
      onFocus={onFocus}
      onKeyDown={onKeyDown}
      onClick={() => actions.show(line.id)}
      draggable={!isRenaming}
      {...handlers}
      style={{ transform: `translateY(${start}px)`, height: treeRowPx, paddingInlineStart: `${(depth - 1) * 1.1}rem` }}
      className={`group/node absolute inset-x-0 top-0 flex cursor-pointer items-center gap-1 rounded-xl pe-1 text-sm focus-visible:-outline-offset-2 ${isShown ? "bg-press font-medium" : "hover:bg-hover"} ${where ? dropLooks[where] : ""}`}
    >
      <button
        type="button"
        tabIndex={-1}
        aria-hidden="true"
        className={`grid size-7 flex-none place-items-center rounded-lg text-soft ${hasChildren ? "" : "invisible"}`}
        onClick={(event) => {
          event.stopPropagation();
          actions.toggle(line.id, !isOpen);
        }}
      >
        <ChevronRight className={`size-4 transition-transform rtl:-scale-x-100 ${isOpen ? "rotate-90" : ""}`} />
      </button>
      <KindMark kind="document" />
      {isRenaming ? (
        <RenameField
          label={strings.rename}
          title={line.title}
          longest={projectLimits.titleCharacters}
          className="min-w-0 flex-1 rounded-lg bg-raised px-1 py-1"
          onDone={onRename}
        />
      ) : (
        <a
          href={toProjectPath(projectId, "documents", line.id)}
          tabIndex={-1}
          dir="auto"
          draggable={false}
          className="min-w-0 flex-1 truncate px-1 py-1.5"
        >
          {line.title}
        </a>
      )}
      <NodeButtons line={line} actions={actions} />
    </div>
  );
};

type ButtonsProps = { readonly line: EntityLine; readonly actions: TreeActions };

const NodeButtons = ({ line, actions }: ButtonsProps) => (
  <span className="hidden flex-none group-focus/node:flex group-hover/node:flex pointer-coarse:flex">
    <IconButton
      label={strings.addBelow(line.title)}
      tabIndex={-1}
      className="size-7"
      onClick={(event) => {
        event.stopPropagation();
        actions.addBelow(line.id);
      }}
    >
      <FilePlus2 aria-hidden="true" className="size-3.5" />
    </IconButton>
    <IconButton
      label={strings.delete(line.title)}
      tabIndex={-1}
      className="size-7"
      onClick={(event) => {
        event.stopPropagation();
        actions.remove(line.id);
      }}
    >
      <Trash2 aria-hidden="true" className="size-3.5" />
    </IconButton>
  </span>
);

/** Drag handlers of a document, and where a document dragged over it would go. */
function useDrag(id: string, drop: TreeActions["drop"]) {
  const [where, setWhere] = useState<Drop["where"] | null>(null);
  const handlers = {
    onDragStart: (event: DragEvent) => event.dataTransfer.setData(dragType, id),
    onDragOver: (event: DragEvent) => {
      if (!event.dataTransfer.types.includes(dragType)) return;
      event.preventDefault();
      setWhere(findWhere(event));
    },
    onDragLeave: () => setWhere(null),
    onDrop: (event: DragEvent) => {
      event.preventDefault();
      setWhere(null);
      drop({ id: event.dataTransfer.getData(dragType), targetId: id, where: findWhere(event) });
    },
  };
  return { where, handlers };
}

const dropLooks: Readonly<Record<Drop["where"], string>> = {
  before: "shadow-[inset_0_2px_var(--accent)]",
  inside: "bg-accent-wash",
  after: "shadow-[inset_0_-2px_var(--accent)]",
};

function findWhere(event: DragEvent): Drop["where"] {
  const box = event.currentTarget.getBoundingClientRect();
  const part = (event.clientY - box.top) / box.height;
  return part < 0.28 ? "before" : part > 0.72 ? "after" : "inside";
}
