import type { KeyboardEvent } from "react";

/** Grows a field with its text where the browser does not do it by itself (`field-sizing`). */
export function fitHeight(field: HTMLTextAreaElement | null): void {
  if (!field || CSS.supports("field-sizing", "content")) return;
  field.style.height = "auto";
  field.style.height = `${field.scrollHeight}px`;
}

/** Enter that sends: not while letters are being composed, and on a touch screen only with Control, since Enter ends a line there. */
export function isSendKey(event: KeyboardEvent): boolean {
  // 229 is what an input method reports for the Enter that ends a composition in Safari.
  if (event.key !== "Enter" || event.shiftKey || event.nativeEvent.isComposing || event.keyCode === 229) return false;
  return event.ctrlKey || event.metaKey || !matchMedia("(hover: none) and (pointer: coarse)").matches;
}
