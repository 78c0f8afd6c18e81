/** Grows a field with its text where the browser does not do it by itself (`field-sizing`). */
export function fitHeight(field: HTMLTextAreaElement | null): void {
  if (!field || CSS.supports("field-sizing", "content")) return;
  field.style.height = "auto";
  field.style.height = `${field.scrollHeight}px`;
}
