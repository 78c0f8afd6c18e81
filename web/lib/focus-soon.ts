/** About two seconds: a list with unmeasured rows scrolls to a distant one in many steps. */
const frames = 120;

/** Focuses an element that is rendered shortly after it was scrolled to, unless the user moves the focus elsewhere first. */
export function focusSoon(find: () => HTMLElement | null | undefined): void {
  const before = document.activeElement;
  const attempt = (left: number): void => {
    const found = find();
    if (found) return found.focus({ preventScroll: true });
    const now = document.activeElement;
    // The focused row may have been removed while the list scrolled.
    const isUnmoved = now === before || now === document.body || now === null;
    if (left > 0 && isUnmoved) requestAnimationFrame(() => attempt(left - 1));
  };
  attempt(frames);
}

/** Scrolls to an element that is rendered shortly after its list was scrolled near it. */
export function scrollSoon(find: () => Element | null | undefined): void {
  const attempt = (left: number): void => {
    const found = find();
    if (found) return found.scrollIntoView({ block: "start" });
    if (left > 0) requestAnimationFrame(() => attempt(left - 1));
  };
  attempt(frames);
}
