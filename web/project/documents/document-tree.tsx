import { useVirtualizer } from "@tanstack/react-virtual";
import { useEffect, useRef, useState, type KeyboardEvent } from "react";
import { focusSoon } from "../../lib/focus-soon.ts";
import { TreeNode, treeRowPx, type TreeActions } from "./tree-node.tsx";
import type { TreeRow } from "./tree-rows.ts";
import { documents as strings } from "../../strings/project/documents.ts";
import { isArrowKey } from "../../lib/row-keys.ts";

type Props = {
  readonly rows: readonly TreeRow[];
  readonly openId: string | null;
  readonly actions: TreeActions;
};

/** The tree of documents. Arrow keys move the focus, with Alt the document; F2 renames, Delete deletes, Insert adds a child. */
export const DocumentTree = ({ rows, openId, actions }: Props) => {
  const scroller = useRef<HTMLDivElement>(null);
  const [tabId, setTabId] = useState<string | null>(null);
  const [renamingId, setRenamingId] = useState<string | null>(null);
  const virtualizer = useVirtualizer({
    count: rows.length,
    getScrollElement: () => scroller.current,
    getItemKey: (index) => rows[index]?.line.id ?? index,
    estimateSize: () => treeRowPx,
    overscan: 12,
  });
  const preferredId = tabId ?? openId;
  const tabStop = rows.some(({ line }) => line.id === preferredId) ? preferredId : rows[0]?.line.id;
  const focusRow = (index: number) => {
    const id = rows[index]?.line.id;
    if (id === undefined) return;
    virtualizer.scrollToIndex(index);
    focusSoon(() => scroller.current?.querySelector<HTMLElement>(`[data-node="${id}"]`));
  };
  // A document moved with the keyboard keeps the focus in its new row.
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
      if (!isArrowKey(event.key)) return;
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
      aria-label={strings.title}
      tabIndex={-1}
      className="min-h-0 flex-1 overflow-y-auto overscroll-contain px-2 pb-4"
    >
      <div role="none" className="relative" style={{ height: virtualizer.getTotalSize() }}>
        {virtualizer.getVirtualItems().map(({ index, key, start }) => {
          const row = rows[index];
          return row ? (
            <TreeNode
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
