/** What a person has selected inside of this message; nothing when the selection is elsewhere. */
export function readSelected(article: Element | null): string {
  const selection = getSelection();
  const isInside = selection?.anchorNode && article?.contains(selection.anchorNode);
  return isInside ? selection.toString().trim() : "";
}
