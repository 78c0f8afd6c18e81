import type { KeyboardEvent as ReactKeyboardEvent } from "react";

/** Attributes of a form inside a panel: Escape closes the form and not the panel. */
export const escapeProps = (onLeave: () => void) => ({
  "data-leaves": true,
  onKeyDown: (event: ReactKeyboardEvent) => {
    if (event.key !== "Escape" || event.nativeEvent.isComposing) return;
    event.preventDefault();
    event.stopPropagation();
    onLeave();
  },
});

/** Key handler of the panel: a dialog handles Escape before its forms do, so it ignores the key inside a form. */
export const stayForForms = (event: KeyboardEvent): void => {
  if (event.target instanceof Element && event.target.closest("[data-leaves]")) event.preventDefault();
};
