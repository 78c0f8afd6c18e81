import { useState } from "react";

/**
 * Used by dialogs without a trigger button: returns the focus to where it was when the dialog closes, unless something else has
 * taken it.
 */
export function useFocusBack(): (event: Event) => void {
  const [before] = useState(() => document.activeElement);
  return (event) => {
    event.preventDefault();
    const isFree = document.activeElement === null || document.activeElement === document.body;
    if (isFree && before instanceof HTMLElement && before.isConnected) before.focus({ preventScroll: true });
  };
}
