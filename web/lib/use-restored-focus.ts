import { useEffect, useRef, type RefObject } from "react";

type FocusedElement = { readonly element: HTMLElement; readonly label: string; readonly row: string | null };

/**
 * Keeps the focus inside `scope` when the focused element disappears: another variant is shown, an answer is stopped, a queued
 * message is sent. The focus goes to the equivalent button in the same row, else to the element with `fallbackId`.
 */
export function useRestoredFocus(scope: RefObject<HTMLElement | null>, fallbackId: string): void {
  const focused = useRef<FocusedElement | null>(null);
  useEffect(() => {
    const onFocusIn = ({ target }: FocusEvent) => {
      const isInScope = target instanceof HTMLElement && scope.current?.contains(target);
      focused.current = isInScope ? describe(target) : null;
    };
    document.addEventListener("focusin", onFocusIn);
    return () => document.removeEventListener("focusin", onFocusIn);
  }, [scope]);
  // Runs after every render, so that a lost focus is noticed at once.
  useEffect(() => {
    const before = focused.current;
    if (!before || document.activeElement !== document.body || isUsable(before.element)) return;
    const rows = scope.current?.querySelectorAll<HTMLElement>(`[data-index="${before.row}"]`) ?? [];
    // The row may not be rendered yet: try again after the next render.
    if (before.row !== null && rows.length === 0) return;
    focused.current = null;
    findNext(scope.current, before, fallbackId)?.focus({ preventScroll: true });
  });
}

const describe = (element: HTMLElement): FocusedElement => ({
  element,
  label: element.ariaLabel ?? "",
  row: element.closest<HTMLElement>("[data-index]")?.dataset["index"] ?? null,
});

const isUsable = (element: HTMLElement): boolean => element.isConnected && !element.matches(":disabled");

function findNext(scope: HTMLElement | null, { label, row }: FocusedElement, fallbackId: string): HTMLElement | null {
  const others = row === null ? [] : [...(scope?.querySelectorAll<HTMLElement>(`[data-index="${row}"] button`) ?? [])];
  const usable = others.filter(isUsable);
  const same = usable.find(({ ariaLabel }) => label !== "" && ariaLabel === label);
  const isVariant = (name: string | null) => name?.endsWith(" variant") === true;
  const similar = isVariant(label) ? usable.find(({ ariaLabel }) => isVariant(ariaLabel)) : undefined;
  // On a touch screen, focusing a text field would open the keyboard.
  const canType = matchMedia("(hover: hover)").matches;
  const last = canType ? document.getElementById(fallbackId) : scope?.querySelector<HTMLElement>("[role=region]");
  return same ?? similar ?? last ?? null;
}
