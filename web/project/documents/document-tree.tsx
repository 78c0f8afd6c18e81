import { useVirtualizer } from "@tanstack/react-virtual";
import { ChevronRight, FilePlus2, Trash2 } from "lucide-react";
import { useEffect, useRef, useState, type DragEvent, type KeyboardEvent } from "react";
import { projectLimits } from "../../../protocol/project/kinds.ts";
import { toProjectPath } from "../../state/route.ts";
import { IconButton } from "../../ui/icon-button.tsx";
import { focusSoon } from "../bits/focus-soon.ts";
import { KindMark } from "../bits/entity-marks.tsx";
import { useProject } from "../state/project-context.ts";
import type { Drop, TreeRow } from "./tree-rows.ts";

export type TreeActions = {
  readonly toggle: (id: string, isOpen: boolean) => void;
  /** True when the key moved it. */
  readonly moveBy: (id: string, key: string) => boolean;
  readonly drop: (drop: Drop) => void;
  readonly rename: (id: string, title: string) => void;
  readonly remove: (id: string) => void;
  readonly addBelow: (id: string) => void;
  readonly show: (id: string) => void;
};

type Props = {
  readonly rows: readonly TreeRow[];
  readonly openId: string | null;
  readonly actions: TreeActions;
};

const rowPx = 36;
const dragType = "application/x-stonechat-document";

/** The tree of documents. Arrows walk, arrows with Alt move, F2 renames, Delete deletes, Insert adds below. */
export const DocumentTree = ({ rows, openId, actions }: Props) => {
  const scroller = useRef<HTMLDivElement>(null);
  const [tabId, setTabId] = useState<string | null>(null);
  const [renamingId, setRenamingId] = useState<string | null>(null);
  const virtualizer = useVirtualizer({
    count: rows.length,
    getScrollElement: () => scroller.current,
    getItemKey: (index) => rows[index]?.line.id ?? index,
    estimateSize: () => rowPx,
    overscan: 12,
  });
  const wanted = tabId ?? openId;
  const tabStop = rows.some(({ line }) => line.id === wanted) ? wanted : rows[0]?.line.id;
  const focusRow = (index: number) => {
    const id = rows[index]?.line.id;
    if (id === undefined) return;
    virtualizer.scrollToIndex(index);
    focusSoon(() => scroller.current?.querySelector<HTMLElement>(`[data-node="${id}"]`));
  };
  // After a move by keys the row is drawn somewhere else.
  const following = useRef<string | null>(null);
  useEffect(() => {
    const index = rows.findIndex(({ line }) => line.id === following.current);
    if (index < 0) return;
    following.current = null;
    virtualizer.scrollToIndex(index);
    focusSoon(() => scroller.current?.querySelector<HTMLElement>(`[data-node="${rows[index]?.line.id}"]`));
  }, [rows, virtualizer]);

  const onKeyDown = (event: KeyboardEvent, index: number) => {
    const row = rows[index];
    if (!row || event.target !== event.currentTarget) return;
    const { id } = row.line;
    if (event.altKey || event.ctrlKey || event.metaKey) {
      if (!event.key.startsWith("Arrow")) return;
      event.preventDefault();
      if (actions.moveBy(id, event.key)) following.current = id;
      return;
    }
    const run = keys(row, index)[event.key];
    if (!run) return;
    event.preventDefault();
    run();
  };
  const keys = ({ line: { id }, depth, hasChildren, isOpen }: TreeRow, index: number) =>
    ({
      ArrowDown: () => focusRow(index + 1),
      ArrowUp: () => focusRow(index - 1),
      Home: () => focusRow(0),
      End: () => focusRow(rows.length - 1),
      ArrowRight: () => (hasChildren && !isOpen ? actions.toggle(id, true) : hasChildren && focusRow(index + 1)),
      ArrowLeft: () =>
        isOpen
          ? actions.toggle(id, false)
          : focusRow(rows.findLastIndex((row, at) => at < index && row.depth === depth - 1)),
      Enter: () => actions.show(id),
      " ": () => actions.show(id),
      F2: () => setRenamingId(id),
      Insert: () => actions.addBelow(id),
      Delete: () => {
        focusRow(Math.max(0, index - 1));
        actions.remove(id);
      },
    }) as Readonly<Record<string, () => void>>;

  return (
    <div
      ref={scroller}
      role="tree"
      aria-label="Documents"
      tabIndex={-1}
      className="min-h-0 flex-1 overflow-y-auto overscroll-contain px-2 pb-4"
    >
      <div role="none" className="relative" style={{ height: virtualizer.getTotalSize() }}>
        {virtualizer.getVirtualItems().map(({ index, key, start }) => {
          const row = rows[index];
          return row ? (
            <Node
              key={key}
              row={row}
              start={start}
              isShown={row.line.id === openId}
              isTabStop={row.line.id === tabStop}
              isRenaming={row.line.id === renamingId}
              actions={actions}
              onFocus={() => setTabId(row.line.id)}
              onKeyDown={(event) => onKeyDown(event, index)}
              onRename={(title) => {
                setRenamingId(null);
                if (title !== null) actions.rename(row.line.id, title);
                focusRow(index);
              }}
            />
          ) : null;
        })}
      </div>
    </div>
  );
};

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

const Node = ({ row, start, isShown, isTabStop, isRenaming, actions, onFocus, onKeyDown, onRename }: NodeProps) => {
  const { projectId } = useProject();
  const { line, depth, hasChildren, isOpen, position, siblings } = row;
  const [where, setWhere] = useState<Drop["where"] | null>(null);
  const dragging = {
    draggable: !isRenaming,
    onDragStart: (event: DragEvent) => event.dataTransfer.setData(dragType, line.id),
    onDragOver: (event: DragEvent) => {
      if (!event.dataTransfer.types.includes(dragType)) return;
      event.preventDefault();
      setWhere(findWhere(event));
    },
    onDragLeave: () => setWhere(null),
    onDrop: (event: DragEvent) => {
      event.preventDefault();
      setWhere(null);
      actions.drop({ id: event.dataTransfer.getData(dragType), targetId: line.id, where: findWhere(event) });
    },
  };
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
      {...dragging}
      style={{ transform: `translateY(${start}px)`, height: rowPx, paddingInlineStart: `${(depth - 1) * 1.1}rem` }}
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
        <TitleField title={line.title} onDone={onRename} />
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
      <span className="hidden flex-none group-focus/node:flex group-hover/node:flex pointer-coarse:flex">
        <IconButton
          label={`Add a document below ${line.title}`}
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
          label={`Delete ${line.title}`}
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
    </div>
  );
};

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

type FieldProps = { readonly title: string; readonly onDone: (title: string | null) => void };

const TitleField = ({ title, onDone }: FieldProps) => {
  const settled = useRef(false);
  const finish = (value: string | null) => {
    if (settled.current) return;
    settled.current = true;
    const next = value?.trim() ?? "";
    onDone(next === "" || next === title ? null : next);
  };
  return (
    <input
      autoFocus
      dir="auto"
      aria-label="Document title"
      defaultValue={title}
      maxLength={projectLimits.titleCharacters}
      onClick={(event) => event.stopPropagation()}
      onFocus={(event) => event.currentTarget.select()}
      onBlur={(event) => finish(event.currentTarget.value)}
      onKeyDown={(event) => {
        event.stopPropagation();
        if (event.nativeEvent.isComposing) return;
        if (event.key === "Enter") finish(event.currentTarget.value);
        if (event.key === "Escape") finish(null);
      }}
      className="min-w-0 flex-1 rounded-lg bg-raised px-1 py-1"
    />
  );
};
