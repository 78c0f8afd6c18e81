import { useLayoutEffect, useRef, type FocusEvent } from "react";

/**
 * When the row that has the focus leaves its list, or one that a dialog would give it back to, the row that takes its place gets
 * it. Out: what the list does with each focus in it.
 */
export function useLostRowFocus(ids: readonly string[], focusRow: (id: string) => void) {
  const held = useRef<string | null>(null);
  const before = useRef(ids);
  useLayoutEffect(() => {
    const index = before.current.findIndex((id) => id === held.current);
    before.current = ids;
    const isLost = index >= 0 && document.activeElement === document.body;
    if (!isLost || ids.some((id) => id === held.current)) return;
    held.current = null;
    const next = ids[index] ?? ids.at(-1);
    if (next !== undefined) focusRow(next);
  });
  return (event: FocusEvent) => {
    // A menu of the row is drawn elsewhere, and the row still holds the place.
    if (event.currentTarget.contains(event.target)) held.current = toRowId(event);
  };
}

/** The row that something in it has the focus of. */
export const toRowId = ({ target }: FocusEvent): string | null =>
  target.closest("li")?.querySelector<HTMLElement>("[data-row]")?.dataset["row"] ?? null;
