import { useState } from "react";

/**
 * For a dialog that no button of its own opened: when it closes, the focus goes back to where it was. What was opened
 * meanwhile, and took it, keeps it.
 */
export function useFocusBack(): (event: Event) => void {
  const [before] = useState(() => document.activeElement);
  return (event) => {
    event.preventDefault();
    const isFree = document.activeElement === null || document.activeElement === document.body;
    if (isFree && before instanceof HTMLElement && before.isConnected) before.focus({ preventScroll: true });
  };
}
