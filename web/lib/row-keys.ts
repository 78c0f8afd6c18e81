import type { KeyboardEvent } from "react";

/** Arrow keys, Home and End move between the rows of a list; Enter follows the row's link. */
export function moveAmongRows(event: KeyboardEvent<HTMLElement>): void {
  if (isElsewhere(event)) return;
  const rows = [...event.currentTarget.querySelectorAll<HTMLElement>("[data-row]")];
  const here = rows.findIndex((row) => row === document.activeElement);
  const next = toNextRow(event.key, here, rows.length);
  if (next === null) return;
  event.preventDefault();
  rows[next]?.focus();
}

export const isArrowKey = (key: string): boolean => /^Arrow(?:Up|Down|Left|Right)$/.test(key);

export function toNextRow(key: string, here: number, count: number): number | null {
  if (count === 0) return null;
  if (key === "ArrowDown") return Math.min(here + 1, count - 1);
  if (key === "ArrowUp") return Math.max(here - 1, 0);
  if (key === "Home") return 0;
  if (key === "End") return count - 1;
  return null;
}

/** Whether the event comes from outside the list's DOM: a row's menu is a portal, but its React events bubble to the list. */
export const isElsewhere = ({ currentTarget, target, defaultPrevented }: KeyboardEvent<HTMLElement>): boolean =>
  defaultPrevented || !(target instanceof Node) || !currentTarget.contains(target);
