import { useEffect, useRef, type RefObject } from "react";
import { toPhrasePattern } from "../../lib/marks.ts";
import { findRanges, type Hit } from "./find-hits.ts";

type Options = {
  readonly scroller: RefObject<HTMLElement | null>;
  readonly query: string;
  readonly hit: Hit | null;
  /** Scrolls to a row that is not rendered. */
  readonly onScrollTo: (index: number) => void;
};

/** Frames in which the hit may move while rows around it are measured. */
const mostFrames = 90;
const steadyFrames = 4;

/** Marks the words in the rendered rows without changing the document, and scrolls to the current hit. */
export function useFindMarks({ scroller, query, hit, onScrollTo }: Options): void {
  const scrollTo = useRef(onScrollTo);
  useEffect(() => {
    scrollTo.current = onScrollTo;
  });
  useEffect(() => {
    const box = scroller.current;
    const pattern = toPhrasePattern(query);
    if (!box || !pattern) return;
    let frame = 0;
    let frames = hit === null ? mostFrames : 0;
    let steady = 0;
    const paint = (): void => {
      frame = 0;
      const current = hit === null ? undefined : mark(box, pattern, hit);
      if (hit === null) mark(box, pattern, null);
      if (frames >= mostFrames || hit === null) return;
      frames += 1;
      if (!current) scrollTo.current(hit.depth - 1);
      steady = current && show(box, current) ? steady + 1 : 0;
      if (steady >= steadyFrames) frames = mostFrames;
      schedule();
    };
    const schedule = (): void => {
      frame ||= requestAnimationFrame(paint);
    };
    // The user scrolls: the hit is not followed any longer.
    const release = (): void => {
      frames = mostFrames;
    };
    const observer = new MutationObserver(schedule);
    observer.observe(box, { childList: true, characterData: true, subtree: true });
    for (const type of ["wheel", "touchmove"]) box.addEventListener(type, release, { passive: true });
    schedule();
    return () => {
      cancelAnimationFrame(frame);
      observer.disconnect();
      for (const type of ["wheel", "touchmove"]) box.removeEventListener(type, release);
      for (const name of [all, one]) CSS.highlights?.delete(name);
    };
  }, [scroller, query, hit]);
}

const all = "find";
const one = "find-current";

/** Returns the range of the hit if its message is rendered. Browsers without highlights only scroll. */
function mark(box: HTMLElement, pattern: RegExp, hit: Hit | null): Range | undefined {
  const ranges = findIn(box, pattern);
  const row = hit && box.querySelector(`[data-index="${hit.depth - 1}"]`);
  const own = row ? findIn(row, pattern) : [];
  const current = own[Math.min(hit?.nth ?? 0, own.length - 1)];
  if (CSS.highlights) {
    CSS.highlights.set(all, new Highlight(...ranges));
    const highlight = new Highlight(...(current ? [current] : []));
    highlight.priority = 1;
    CSS.highlights.set(one, highlight);
  }
  return current;
}

const findIn = (element: Element, pattern: RegExp): readonly Range[] =>
  [...element.querySelectorAll("[data-said]")].flatMap((text) => findRanges(text, pattern));

/** True if the range was in view, below the bar. Otherwise scrolls it there. */
function show(box: HTMLElement, range: Range): boolean {
  const [outer, inner] = [box.getBoundingClientRect(), range.getBoundingClientRect()];
  const barPx = 64;
  if (inner.height === 0) return true;
  if (inner.top >= outer.top + barPx && inner.bottom <= outer.bottom) return true;
  box.scrollTop += inner.top - outer.top - outer.height / 3;
  return false;
}
