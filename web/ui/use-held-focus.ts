import { useEffect, useRef, type RefObject } from "react";
import { composerFieldId } from "../composer/composer.tsx";

type Held = { readonly element: HTMLElement; readonly label: string; readonly row: string | null };

/**
 * What has the focus may go, or be drawn anew, with what it did: another variant, an answer that was stopped, a message that
 * no longer waits. Then the focus goes to what took its place, or else to the message field, not to the top of the page.
 */
export function useRestoredFocus(scope: RefObject<HTMLElement | null>): void {
  const held = useRef<Held | null>(null);
  useEffect(() => {
    const onFocusIn = ({ target }: FocusEvent) => {
      const isHere = target instanceof HTMLElement && scope.current?.contains(target);
      held.current = isHere ? toHeld(target) : null;
    };
    document.addEventListener("focusin", onFocusIn);
    return () => document.removeEventListener("focusin", onFocusIn);
  }, [scope]);
  // After every drawing: what is gone is seen at once.
  useEffect(() => {
    const before = held.current;
    if (!before || document.activeElement !== document.body || isUsable(before.element)) return;
    const rows = scope.current?.querySelectorAll<HTMLElement>(`[data-index="${before.row}"]`) ?? [];
    // Its place may be on its way: the next drawing looks again.
    if (before.row !== null && rows.length === 0) return;
    held.current = null;
    findNext(scope.current, before)?.focus({ preventScroll: true });
  });
}

const toHeld = (element: HTMLElement): Held => ({
  element,
  label: element.ariaLabel ?? "",
  row: element.closest<HTMLElement>("[data-index]")?.dataset["index"] ?? null,
});

const isUsable = (element: HTMLElement): boolean => element.isConnected && !element.matches(":disabled");

function findNext(scope: HTMLElement | null, { label, row }: Held): HTMLElement | null {
  const others = row === null ? [] : [...(scope?.querySelectorAll<HTMLElement>(`[data-index="${row}"] button`) ?? [])];
  const usable = others.filter(isUsable);
  const same = usable.find(({ ariaLabel }) => label !== "" && ariaLabel === label);
  const isVariant = (name: string | null) => name?.endsWith(" variant") === true;
  const likeIt = isVariant(label) ? usable.find(({ ariaLabel }) => isVariant(ariaLabel)) : undefined;
  // On a touch screen the field would bring up the keyboard.
  const canType = matchMedia("(hover: hover)").matches;
  const last = canType ? document.getElementById(composerFieldId) : scope?.querySelector<HTMLElement>("[role=region]");
  return same ?? likeIt ?? last ?? null;
}
