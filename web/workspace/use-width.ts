import { useEffect, useState, type RefObject } from "react";

/** How wide an element is drawn, in pixels; 0 until that is known. */
export function useWidth(element: RefObject<HTMLElement | null>): number {
  const [width, setWidth] = useState(0);
  useEffect(() => {
    if (!element.current) return;
    const observer = new ResizeObserver(([entry]) => {
      const next = Math.round(entry?.contentRect.width ?? 0);
      // Nothing while it is hidden: it comes back as wide as it was.
      if (next > 0) setWidth(next);
    });
    observer.observe(element.current);
    return () => observer.disconnect();
  }, [element]);
  return width;
}
