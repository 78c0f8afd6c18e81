import { useVirtualizer } from "@tanstack/react-virtual";
import {
  useCallback,
  useEffect,
  useImperativeHandle,
  useRef,
  useState,
  type DragEvent,
  type KeyboardEvent,
  type Ref,
  type RefObject,
} from "react";
import type { EntityLine } from "../../../protocol/project/project.ts";
import { isEnded } from "../../../protocol/project/kinds.ts";
import { capital, groupDigits } from "../../lib/format.ts";
import { focusSoon } from "../../lib/focus-soon.ts";
import { StateDot } from "../entity-marks.tsx";
import { QuickAdd } from "../quick-add.tsx";
import { Failed, Waiting } from "../../ui/section.tsx";
import type { CardPosition } from "./board-moves.ts";
import { Card, cardType } from "./card.tsx";
import { useColumn, type BoardFilter } from "./use-column.ts";
import type { Entities } from "../../state/project/use-entities.ts";
import { project as strings } from "../../strings/project/page.ts";
import { nameKind, nameState } from "../../labels/entities.ts";

/** Methods of a column that the board uses. */
export type ColumnHandle = {
  readonly count: () => number;
  readonly cards: () => readonly EntityLine[];
  readonly find: (cardId: string) => EntityLine | undefined;
  readonly focus: (row: number) => void;
};

type Props = {
  readonly projectId: string;
  readonly kind: string;
  readonly index: number;
  readonly states: readonly string[];
  readonly filter: BoardFilter;
  readonly now: number;
  readonly openId: string | null;
  /** Id of a card moved with the keyboard, which keeps the focus. */
  readonly following: RefObject<string | null>;
  readonly onKeyDown: (event: KeyboardEvent, card: EntityLine, position: CardPosition) => void;
  readonly onMove: (card: EntityLine, state: string) => void;
  readonly onShift: (card: EntityLine, by: 1 | -1) => void;
  readonly onDrop: (cardId: string, state: string, near: CardEdge | null) => void;
  readonly ref?: Ref<ColumnHandle>;
};

/** One state of the board: its cards, and a drop target that moves a card to it. */
export const Column = (props: Props) => {
  const { kind, index, states, filter, onDrop } = props;
  const state = states[index] ?? "";
  const entities = useColumn(kind, state, filter);
  const [isOver, setOver] = useState(false);
  return (
    <section
      aria-label={capital(nameState(state))}
      onDragOver={(event) => {
        if (!event.dataTransfer.types.includes(cardType)) return;
        event.preventDefault();
        setOver(true);
      }}
      onDragLeave={(event) => {
        if (!(event.relatedTarget instanceof Node && event.currentTarget.contains(event.relatedTarget))) setOver(false);
      }}
      onDrop={(event) => {
        event.preventDefault();
        setOver(false);
        onDrop(event.dataTransfer.getData(cardType), state, findEdge(event));
      }}
      className={`flex h-full w-[min(18rem,82vw)] flex-none snap-start flex-col rounded-3xl bg-sunk transition-colors lg:w-auto lg:min-w-40 lg:flex-1 ${isOver ? "bg-accent-wash" : ""}`}
    >
      <h2 className="flex flex-none items-center gap-2 px-4 pt-3 pb-1 text-sm font-medium">
        <StateDot kind={kind} state={state} />
        {capital(nameState(state))}
        <span className="text-xs font-normal text-soft tabular-nums">{groupDigits(entities.total)}</span>
      </h2>
      <QuickAdd
        kind={kind}
        label={strings.add.labelInState(nameKind(kind), nameState(state))}
        hint={strings.add.label(nameKind(kind))}
        given={{ state }}
        className="mx-1.5 flex-none"
      />
      <CardList {...props} entities={entities} />
    </section>
  );
};

/** The edge of a card next to which another one is dropped. */
export type CardEdge = { readonly cardId: string; readonly isAfter: boolean };

function findEdge({ target, clientY }: DragEvent): CardEdge | null {
  const card = target instanceof Element ? target.closest<HTMLElement>("[data-card]") : null;
  if (!card) return null;
  const { top, height } = card.getBoundingClientRect();
  return { cardId: card.dataset["card"] ?? "", isAfter: clientY > top + height / 2 };
}

const estimatedPx = 72;

/**
 * Sorting or filtering loads the list again: the card that had the focus gets it back when it is there again. React reports no
 * blur for an element that it removes. Call the returned function with the card that has the focus.
 */
function useHeldFocus(lines: readonly EntityLine[], focus: (row: number) => void): (card: HTMLElement | null) => void {
  const held = useRef<string | null>(null);
  useEffect(() => {
    const row = lines.findIndex(({ id }) => id === held.current);
    if (row >= 0 && document.activeElement === document.body) focus(row);
  }, [lines, focus]);
  return (card) => {
    held.current = card?.dataset["card"] ?? null;
  };
}

/** The cards of a column. Only visible ones are rendered. */
const CardList = (props: Props & { readonly entities: Entities }) => {
  const {
    projectId,
    index: column,
    states,
    now,
    openId,
    following,
    entities,
    filter,
    onKeyDown,
    onMove,
    onShift,
    ref,
  } = props;
  const { lines, total, hasMore, more, phase } = entities;
  const scroller = useRef<HTMLDivElement>(null);
  const [tabRow, setTabRow] = useState(0);
  const virtualizer = useVirtualizer({
    count: lines.length,
    getScrollElement: () => scroller.current,
    getItemKey: (index) => lines[index]?.id ?? index,
    estimateSize: () => estimatedPx,
    overscan: 6,
    paddingStart: 2,
  });
  const items = virtualizer.getVirtualItems();
  const lastIndex = items.at(-1)?.index ?? 0;
  useEffect(() => {
    if (hasMore && lastIndex >= lines.length - 20) more();
  }, [hasMore, lastIndex, lines.length, more]);
  const focus = useCallback(
    (row: number) => {
      virtualizer.scrollToIndex(row);
      focusSoon(() => scroller.current?.querySelector<HTMLElement>(`[data-card="${lines[row]?.id}"]`));
    },
    [virtualizer, lines],
  );
  useImperativeHandle(ref, () => ({
    count: () => lines.length,
    cards: () => lines,
    find: (cardId) => lines.find(({ id }) => id === cardId),
    focus,
  }));
  useEffect(() => {
    const row = lines.findIndex(({ id }) => id === following.current);
    if (row < 0) return;
    following.current = null;
    focus(row);
  }, [lines, following, focus]);
  const hold = useHeldFocus(lines, focus);
  const onKey = useCallback(
    (event: KeyboardEvent, card: EntityLine, row: number) => onKeyDown(event, card, { column, row }),
    [onKeyDown, column],
  );
  return (
    <div
      ref={scroller}
      tabIndex={-1}
      onFocus={({ target }) => hold(target.closest("li")?.querySelector<HTMLElement>("[data-card]") ?? null)}
      onBlur={() => hold(null)}
      className="min-h-0 flex-1 overflow-y-auto overscroll-contain px-2 pb-2"
    >
      {phase === "loading" && <Waiting />}
      {phase === "failed" && <Failed text={entities.text} onRetry={entities.reload} />}
      <ul className="relative" style={{ height: virtualizer.getTotalSize() }}>
        {items.map(({ index, key, start }) => {
          const card = lines[index];
          return card ? (
            <li
              key={key}
              ref={virtualizer.measureElement}
              data-index={index}
              aria-setsize={total}
              aria-posinset={index + 1}
              className="absolute inset-x-0 top-0 px-0.5"
              style={{ transform: `translateY(${start}px)` }}
            >
              <Card
                projectId={projectId}
                card={card}
                now={now}
                states={states}
                isOpen={card.id === openId}
                isDone={isEnded(card.kind, card.state)}
                row={index}
                tabIndex={index === Math.min(tabRow, lines.length - 1) ? 0 : -1}
                onFocus={setTabRow}
                onKeyDown={onKey}
                onMove={onMove}
                onShift={filter.sort === "position" ? onShift : null}
              />
            </li>
          ) : null;
        })}
      </ul>
    </div>
  );
};
