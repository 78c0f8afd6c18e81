import { Search } from "lucide-react";
import { useCallback, useRef, useState, type KeyboardEvent } from "react";
import { findKind, priorities } from "../../../protocol/project/kinds.ts";
import type { EntityLine, EntityOp } from "../../../protocol/project/project.ts";
import { useNow } from "../../lib/use-now.ts";
import { Select } from "../../ui/select.tsx";
import { useProject } from "../../state/project/project-context.ts";
import { useDebounced } from "../../lib/use-debounced.ts";
import { capital } from "../../lib/format.ts";
import { toMove, toCardPosition, toReorder, type BoardSort, type CardPosition } from "./board-moves.ts";
import { Column, type CardEdge, type ColumnHandle } from "./column.tsx";
import type { BoardFilter } from "./use-column.ts";
import { nameKinds, namePriority, nameState } from "../../labels/entities.ts";
import { project as strings } from "../../strings/project/page.ts";
import { isArrowKey } from "../../lib/row-keys.ts";

type Props = { readonly kind: string; readonly openId: string | null };

/** Entities of a kind in columns by state. Arrow keys move the focus, arrow keys with Alt move the card; cards can be dragged. */
export const Board = ({ kind, openId }: Props) => {
  const { projectId, writer } = useProject();
  const states = findKind(kind)?.states ?? [];
  const now = useNow();
  const [filter, setFilter] = useState<BoardFilter>({ query: "", minimum: "none", sort: "position" });
  const debounced = useDebounced(filter);
  const columns = useRef<(ColumnHandle | null)[]>([]);
  const following = useRef<string | null>(null);
  const { announcement, setAnnouncement, move } = useAnnouncedMoves();
  const isManual = debounced.sort === "position" && debounced.minimum === "none";
  const place = useCallback(
    (card: EntityLine, toIndex: (others: readonly EntityLine[], at: number) => number) => {
      const cards = columns.current.map((column) => column?.cards() ?? []).find((list) => list.includes(card)) ?? [];
      const others = cards.filter((other) => other !== card);
      const op = toReorder(cards, card.id, toIndex(others, cards.indexOf(card)));
      if (!op) return;
      setAnnouncement(strings.board.reordered(card.title));
      void writer.act([op], { offer: true, seen: [card] });
    },
    [writer, setAnnouncement],
  );
  const shift = useCallback((card: EntityLine, by: 1 | -1) => place(card, (_, at) => at + by), [place]);
  const onKeyDown = useCallback(
    (event: KeyboardEvent, card: EntityLine, position: CardPosition) => {
      if (event.altKey || event.ctrlKey || event.metaKey) {
        if (isManual && (event.key === "ArrowUp" || event.key === "ArrowDown")) {
          event.preventDefault();
          following.current = card.id;
          return shift(card, event.key === "ArrowUp" ? -1 : 1);
        }
        const op = toMove(event.key, card, findKind(kind)?.states ?? []);
        if (!op && !isArrowKey(event.key)) return;
        event.preventDefault();
        if (!op || op.do !== "update") return;
        following.current = card.id;
        setAnnouncement(describeMove(card, op));
        return void writer.act([op], { offer: true, seen: [card] });
      }
      if (event.key === "Delete") {
        const { id, version } = card;
        columns.current[position.column]?.focus(Math.max(0, position.row - 1));
        return void writer.act([{ do: "delete", id, version }], { offer: true });
      }
      const next = toCardPosition(
        event.key,
        position,
        columns.current.map((column) => column?.count() ?? 0),
      );
      if (!next) return;
      event.preventDefault();
      columns.current[next.column]?.focus(next.row);
    },
    [kind, writer, isManual, shift, setAnnouncement],
  );
  const drop = useCallback(
    (cardId: string, state: string, near: CardEdge | null) => {
      const card = columns.current.map((column) => column?.find(cardId)).find((found) => found !== undefined);
      if (!card) return;
      if (card.state !== state) return move(card, state);
      if (isManual && near && near.cardId !== cardId)
        place(card, (others) => others.findIndex(({ id }) => id === near.cardId) + (near.isAfter ? 1 : 0));
    },
    [move, place, isManual],
  );
  return (
    <div className="flex min-h-0 flex-1 flex-col">
      <Filters kind={kind} filter={filter} onChange={setFilter} />
      <p role="status" className="sr-only">
        {announcement}
      </p>
      <div
        role="group"
        aria-label={strings.board.title}
        className="flex min-h-0 flex-1 snap-x snap-mandatory scroll-px-4 gap-3 overflow-x-auto overscroll-x-contain px-4 pb-4 sm:snap-none sm:scroll-px-8 sm:px-8"
      >
        {states.map((state, index) => (
          <Column
            key={state}
            ref={(handle) => {
              columns.current[index] = handle;
            }}
            projectId={projectId}
            kind={kind}
            index={index}
            states={states}
            filter={debounced}
            now={now}
            openId={openId}
            following={following}
            onKeyDown={onKeyDown}
            onMove={move}
            onShift={shift}
            onDrop={drop}
          />
        ))}
      </div>
    </div>
  );
};

/** Moves cards to another state, and says so to screen readers. */
function useAnnouncedMoves() {
  const { writer } = useProject();
  const [announcement, setAnnouncement] = useState("");
  const move = useCallback(
    (card: EntityLine, state: string) => {
      if (state === card.state) return;
      setAnnouncement(strings.board.moved(card.title, capital(nameState(state))));
      void writer.act([{ do: "update", id: card.id, version: card.version, state }], { offer: true, seen: [card] });
    },
    [writer],
  );
  return { announcement, setAnnouncement, move };
}

type Update = Extract<EntityOp, { do: "update" }>;

const describeMove = (card: EntityLine, { state, priority }: Update): string =>
  state === undefined
    ? strings.board.priorityChanged(card.title, namePriority(priority ?? "none"))
    : strings.board.moved(card.title, capital(nameState(state)));

type FiltersProps = {
  readonly kind: string;
  readonly filter: BoardFilter;
  readonly onChange: (filter: BoardFilter) => void;
};

const sorts: readonly BoardSort[] = ["position", "priority", "due", "updated", "title"];

const Filters = ({ kind, filter, onChange }: FiltersProps) => (
  <div
    role="search"
    aria-label={strings.list.filterKind(nameKinds(kind))}
    className="flex flex-none flex-wrap gap-2 px-4 pb-3 sm:px-8"
  >
    <span className="relative min-w-40 flex-1 sm:max-w-72">
      <Search
        aria-hidden="true"
        className="pointer-events-none absolute start-3 top-1/2 size-4 -translate-y-1/2 text-soft"
      />
      <input
        type="search"
        dir="auto"
        aria-label={strings.list.filterLabel}
        placeholder={strings.list.filter}
        value={filter.query}
        maxLength={200}
        onChange={(event) => onChange({ ...filter, query: event.target.value })}
        className="h-9 w-full rounded-xl bg-hover ps-9 pe-3 text-sm placeholder:text-soft pointer-coarse:h-11"
      />
    </span>
    <Select
      label={strings.board.minimumPriority}
      value={filter.minimum}
      choices={priorities}
      words={strings.board.priorities}
      onChoose={(minimum) => onChange({ ...filter, minimum })}
    />
    <Select
      label={strings.list.sort}
      value={filter.sort}
      choices={sorts}
      words={strings.list.sorts}
      onChoose={(sort) => onChange({ ...filter, sort })}
    />
  </div>
);
