const frames = 20;

/** Focuses what is drawn a moment after it was scrolled to. */
export function focusSoon(find: () => HTMLElement | null | undefined, tries = frames): void {
  const found = find();
  if (found) found.focus({ preventScroll: true });
  else if (tries > 0) requestAnimationFrame(() => focusSoon(find, tries - 1));
}
