import type { KeyboardEvent as ReactKeyboardEvent } from "react";

/** Of a form inside a panel: Escape leaves the form, and the panel stays. */
export const leaveBy = (onLeave: () => void) => ({
  "data-leaves": true,
  onKeyDown: (event: ReactKeyboardEvent) => {
    if (event.key !== "Escape" || event.nativeEvent.isComposing) return;
    event.preventDefault();
    event.stopPropagation();
    onLeave();
  },
});

/** Of the panel: a dialog hears Escape before its forms do. */
export const stayForForms = (event: KeyboardEvent): void => {
  if (event.target instanceof Element && event.target.closest("[data-leaves]")) event.preventDefault();
};
