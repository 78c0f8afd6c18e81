import { defaultRangeExtractor, useVirtualizer, type Range } from "@tanstack/react-virtual";
import {
  useCallback,
  useEffect,
  useLayoutEffect,
  useMemo,
  useRef,
  useState,
  type FocusEvent,
  type KeyboardEvent,
  type ReactNode,
} from "react";
import { useSelected } from "../lib/signal.ts";
import { usePage } from "../state/page.ts";
import { useThreadDrop } from "./dragged-thread.ts";
import { toRowId, useLostRowFocus } from "./use-row-focus.ts";
import { useRowActions } from "./use-row-actions.tsx";
import { isElsewhere, toNextRow } from "../lib/row-keys.ts";
import { ThreadRow } from "./thread-row.tsx";
import { useNow } from "../lib/use-now.ts";
import type { ListRow } from "./group-threads.ts";

type Props = {
  readonly label: string;
  readonly rows: readonly ListRow[];
  /** The end of the list is near. */
  readonly onNearEnd: () => void;
  /** A project's thread was dropped here; null: drops are ignored. */
  readonly onDropped: ((threadId: string) => void) | null;
  /** Content below the rows. */
  readonly children: ReactNode;
};

const estimatedPx = { heading: 34, thread: 58 } as const;
const nearEnd = 20;

/** A virtual list: only rows near the viewport, and the focused one, are in the document. */
export const VirtualRows = ({ label, rows, onNearEnd, onDropped, children }: Props) => {
  const scroller = useRef<HTMLElement>(null);
  const selectedId = useSelected(usePage().route, (route) => route.threadId);
  const now = useNow();
  const { actions, renamingId, dialog } = useRowActions();
  const positions = useMemo(() => toPositions(rows), [rows]);
  const { focusedId, onFocus, onKeyDown } = useRowFocus(scroller, positions);
  const alwaysRendered = useMemo(
    () => [focusedId, renamingId].flatMap((id) => (id === null ? [] : (positions.indexOf.get(id) ?? []))),
    [positions, focusedId, renamingId],
  );
  const virtualizer = useVirtualizer<HTMLElement, HTMLLIElement>({
    count: rows.length,
    getScrollElement: () => scroller.current,
    getItemKey: useCallback((index: number) => rows[index]?.key ?? index, [rows]),
    estimateSize: (index) => estimatedPx[rows[index]?.kind ?? "thread"],
    initialRect: { width: 288, height: innerHeight },
    overscan: 8,
    rangeExtractor: useCallback(
      (range: Range) => [...new Set([...defaultRangeExtractor(range), ...alwaysRendered])].toSorted((a, b) => a - b),
      [alwaysRendered],
    ),
  });
  const items = virtualizer.getVirtualItems();
  const last = virtualizer.range?.endIndex ?? 0;
  const isNearEnd = last >= rows.length - nearEnd;
  useEffect(() => {
    if (isNearEnd) onNearEnd();
  }, [isNearEnd, onNearEnd, rows]);
  const { isOver, target } = useThreadDrop((threadId) => onDropped?.(threadId), "in-project");

  return (
    <nav
      ref={scroller}
      aria-label={label}
      onFocus={onFocus}
      onKeyDown={onKeyDown}
      {...(onDropped ? target : {})}
      className={`min-h-0 flex-1 overflow-y-auto overscroll-contain px-2 pb-4 [overflow-anchor:none] ${isOver ? "bg-accent-wash" : ""}`}
    >
      <ul className="relative" style={{ height: virtualizer.getTotalSize() }}>
        {items.map(({ index, key, start }) => {
          const row = rows[index];
          if (!row) return null;
          const isThread = row.kind === "thread";
          return (
            <li
              key={key}
              ref={virtualizer.measureElement}
              data-index={index}
              className="absolute inset-x-0 top-0 min-w-0 pb-0.5"
              style={{ transform: `translateY(${start}px)` }}
              {...(isThread
                ? { "aria-setsize": positions.ids.length, "aria-posinset": positions.positionOf.get(row.key) }
                : {})}
            >
              {isThread ? (
                <ThreadRow
                  thread={row.thread}
                  now={now}
                  selected={row.key === selectedId}
                  renaming={row.key === renamingId}
                  actions={actions}
                />
              ) : (
                <h2 className="px-3 pt-3 pb-1 text-xs font-medium text-soft">{row.title}</h2>
              )}
            </li>
          );
        })}
      </ul>
      {children}
      {dialog}
    </nav>
  );
};

type Positions = {
  /** Ids of the threads, in order. */
  readonly ids: readonly string[];
  /** Position, starting at 1. */
  readonly positionOf: ReadonlyMap<string, number>;
  readonly indexOf: ReadonlyMap<string, number>;
};

function toPositions(rows: readonly ListRow[]): Positions {
  const ids = rows.flatMap((row) => (row.kind === "thread" ? [row.key] : []));
  return {
    ids,
    positionOf: new Map(ids.map((id, index) => [id, index + 1])),
    indexOf: new Map(rows.map((row, index) => [row.key, index])),
  };
}

/** Arrow keys, Home and End reach every row: a row outside the document is rendered first and then focused. */
function useRowFocus(scroller: React.RefObject<HTMLElement | null>, { ids }: Positions) {
  const [focusedId, setFocusedId] = useState<string | null>(null);
  const pendingId = useRef<string | null>(null);
  const focusPending = useCallback(() => {
    if (pendingId.current === null) return;
    const row = scroller.current?.querySelector<HTMLElement>(`[data-row="${CSS.escape(pendingId.current)}"]`);
    if (!row) return;
    pendingId.current = null;
    row.focus();
  }, [scroller]);
  useLayoutEffect(focusPending);
  const focusRow = (id: string) => {
    pendingId.current = id;
    setFocusedId(id);
    focusPending();
  };
  const onRowFocus = useLostRowFocus(ids, focusRow);
  return {
    focusedId,
    onFocus: (event: FocusEvent) => {
      onRowFocus(event);
      setFocusedId(toRowId(event));
    },
    onKeyDown: (event: KeyboardEvent<HTMLElement>) => {
      if (isElsewhere(event)) return;
      const here = document.activeElement instanceof HTMLElement ? document.activeElement.dataset["row"] : undefined;
      const next = toNextRow(event.key, here === undefined ? -1 : ids.indexOf(here), ids.length);
      const id = next === null ? undefined : ids[next];
      if (id === undefined) return;
      event.preventDefault();
      focusRow(id);
    },
  };
}
