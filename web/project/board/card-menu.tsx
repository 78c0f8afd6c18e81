import { ArrowDown, ArrowUp, Ellipsis } from "lucide-react";
import { DropdownMenu } from "radix-ui";
import { useState } from "react";
import type { EntityLine } from "../../../protocol/project/project.ts";
import { StateDot } from "../entity-marks.tsx";
import { capital } from "../../lib/format.ts";
import { project as strings } from "../../strings/project/page.ts";
import { nameState } from "../../labels/entities.ts";

type Props = {
  readonly card: EntityLine;
  readonly states: readonly string[];
  readonly onMove: (card: EntityLine, state: string) => void;
  /** null: the cards are not in manual order. */
  readonly onShift: ((card: EntityLine, by: 1 | -1) => void) | null;
};

const button = (card: EntityLine) => ({
  type: "button" as const,
  tabIndex: -1,
  "aria-label": strings.board.moveCard(card.title),
  className: "icon-button size-7 pointer-coarse:size-10",
});

const itemLook =
  "flex cursor-pointer items-center gap-2.5 rounded-lg px-2.5 py-1.5 text-sm outline-none data-highlighted:bg-hover pointer-coarse:py-2.5";

/** Moves a card to another state or place without dragging or the keyboard. */
export const CardMenu = ({ card, states, onMove, onShift }: Props) => {
  const [isUsed, setUsed] = useState(false);
  const dots = <Ellipsis aria-hidden="true" className="size-4" />;
  if (!isUsed)
    return (
      <button {...button(card)} aria-haspopup="menu" aria-expanded={false} onClick={() => setUsed(true)}>
        {dots}
      </button>
    );
  return (
    <DropdownMenu.Root defaultOpen modal={false}>
      <DropdownMenu.Trigger asChild>
        <button {...button(card)}>{dots}</button>
      </DropdownMenu.Trigger>
      <DropdownMenu.Portal container={document.querySelector("main")}>
        <DropdownMenu.Content
          align="end"
          sideOffset={4}
          className="z-50 min-w-44 animate-rise rounded-xl bg-raised p-1.5 shadow-float"
        >
          <DropdownMenu.Label className="px-2.5 py-1 text-xs text-soft">{strings.board.moveTo}</DropdownMenu.Label>
          {states
            .filter((state) => state !== card.state)
            .map((state) => (
              <DropdownMenu.Item key={state} onSelect={() => onMove(card, state)} className={itemLook}>
                <StateDot kind={card.kind} state={state} />
                {capital(nameState(state))}
              </DropdownMenu.Item>
            ))}
          {onShift && (
            <>
              <DropdownMenu.Item className={itemLook} onSelect={() => onShift(card, -1)}>
                <ArrowUp aria-hidden="true" className="size-4 text-soft" />
                {strings.board.moveUp}
              </DropdownMenu.Item>
              <DropdownMenu.Item className={itemLook} onSelect={() => onShift(card, 1)}>
                <ArrowDown aria-hidden="true" className="size-4 text-soft" />
                {strings.board.moveDown}
              </DropdownMenu.Item>
            </>
          )}
        </DropdownMenu.Content>
      </DropdownMenu.Portal>
    </DropdownMenu.Root>
  );
};
