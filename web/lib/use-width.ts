import { useEffect, useState, type RefObject } from "react";

/** Width of an element in pixels, kept up to date; `first` until it is measured. A hidden element keeps its last width. */
export function useWidth(element: RefObject<HTMLElement | null>, first = 440): number {
  const [width, setWidth] = useState(first);
  useEffect(() => {
    if (!element.current) return;
    const observer = new ResizeObserver(([entry]) => {
      const next = Math.floor(entry?.contentRect.width ?? 0);
      if (next > 0) setWidth(next);
    });
    observer.observe(element.current);
    return () => observer.disconnect();
  }, [element]);
  return width;
}
