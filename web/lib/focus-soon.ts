const frames = 20;

/** Focuses an element that is rendered shortly after it was scrolled to. */
export function focusSoon(find: () => HTMLElement | null | undefined, tries = frames): void {
  const found = find();
  if (found) found.focus({ preventScroll: true });
  else if (tries > 0) requestAnimationFrame(() => focusSoon(find, tries - 1));
}
