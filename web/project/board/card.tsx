import { memo, type KeyboardEvent } from "react";
import type { EntityLine } from "../../../protocol/project/project.ts";
import { toProjectPath } from "../../state/route.ts";
import { DueMark, PriorityMark } from "../entity-marks.tsx";
import { CardMenu } from "./card-menu.tsx";

type Props = {
  readonly projectId: string;
  readonly card: EntityLine;
  readonly now: number;
  readonly isOpen: boolean;
  readonly isDone: boolean;
  readonly states: readonly string[];
  readonly tabIndex: 0 | -1;
  readonly row: number;
  readonly onKeyDown: (event: KeyboardEvent, card: EntityLine, row: number) => void;
  readonly onFocus: (row: number) => void;
  readonly onMove: (card: EntityLine, state: string) => void;
  readonly onShift: ((card: EntityLine, by: 1 | -1) => void) | null;
};

/** Drag-and-drop data type of a card. */
export const cardType = "application/x-stonechat-card";

export const Card = memo((props: Props) => {
  const { projectId, card, now, isOpen, isDone, states, tabIndex, row, onKeyDown, onFocus, onMove, onShift } = props;
  return (
    <div className="group/card relative pb-2">
      <a
        href={toProjectPath(projectId, "tasks", card.id)}
        data-card={card.id}
        draggable
        tabIndex={tabIndex}
        aria-current={isOpen ? "true" : undefined}
        aria-keyshortcuts="Alt+ArrowLeft Alt+ArrowRight Alt+ArrowUp Alt+ArrowDown"
        onFocus={() => onFocus(row)}
        onKeyDown={(event) => onKeyDown(event, card, row)}
        onDragStart={(event) => {
          event.dataTransfer.setData(cardType, card.id);
          event.dataTransfer.effectAllowed = "move";
        }}
        className={`block rounded-2xl bg-raised px-3.5 py-2.5 shadow-[0_1px_2px_var(--shadow)] transition-shadow hover:shadow-float focus-visible:-outline-offset-2 ${isOpen ? "ring-2 ring-accent/50" : ""}`}
      >
        <span
          dir="auto"
          className={`line-clamp-3 pe-4 text-sm leading-snug wrap-anywhere ${isDone ? "text-soft" : ""}`}
        >
          {card.title}
        </span>
        {(card.priority !== "none" || card.endsAt !== null) && (
          <span className="mt-1.5 flex flex-wrap items-center gap-x-3 gap-y-0.5">
            <PriorityMark priority={card.priority} />
            <DueMark entity={card} now={now} />
          </span>
        )}
      </a>
      <span className="absolute end-1 top-1 opacity-0 transition-opacity group-focus-within/card:opacity-100 group-hover/card:opacity-100 pointer-coarse:opacity-100">
        <CardMenu card={card} states={states} onMove={onMove} onShift={onShift} />
      </span>
    </div>
  );
});
