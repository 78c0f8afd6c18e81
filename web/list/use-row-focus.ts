import { useLayoutEffect, useRef, type FocusEvent } from "react";

/** When the focused row leaves the list, focuses the row that takes its position. Returns the list's focus handler. */
export function useLostRowFocus(ids: readonly string[], focusRow: (id: string) => void) {
  const focusedId = useRef<string | null>(null);
  const before = useRef(ids);
  useLayoutEffect(() => {
    const index = before.current.findIndex((id) => id === focusedId.current);
    before.current = ids;
    const isLost = index >= 0 && document.activeElement === document.body;
    if (!isLost || ids.some((id) => id === focusedId.current)) return;
    focusedId.current = null;
    const next = ids[index] ?? ids.at(-1);
    if (next !== undefined) focusRow(next);
  });
  return (event: FocusEvent) => {
    // A row's menu is rendered elsewhere; the row keeps its position.
    if (event.currentTarget.contains(event.target)) focusedId.current = toRowId(event);
  };
}

/** The id of the row that contains the focused element. */
export const toRowId = ({ target }: FocusEvent): string | null =>
  target.closest("li")?.querySelector<HTMLElement>("[data-row]")?.dataset["row"] ?? null;
