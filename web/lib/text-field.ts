import type { KeyboardEvent } from "react";

/** Grows a text field with its text in browsers without `field-sizing`. */
export function fitHeight(field: HTMLTextAreaElement | null): void {
  if (!field || CSS.supports("field-sizing", "content")) return;
  field.style.height = "auto";
  field.style.height = `${field.scrollHeight}px`;
}

/**
 * Whether this Enter sends: not during IME composition, and on a touch screen only with Ctrl, because Enter inserts a line
 * break there.
 */
export function isSendKey(event: KeyboardEvent): boolean {
  // Safari reports key code 229 for the Enter that ends a composition.
  if (event.key !== "Enter" || event.shiftKey || event.nativeEvent.isComposing || event.keyCode === 229) return false;
  return event.ctrlKey || event.metaKey || !matchMedia("(hover: none) and (pointer: coarse)").matches;
}
