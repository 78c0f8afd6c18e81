import { useEffect, useState, type RefObject } from "react";

/** How wide something is drawn, now and whenever that changes. */
export function useWidth(box: RefObject<HTMLElement | null>, first = 440): number {
  const [width, setWidth] = useState(first);
  useEffect(() => {
    const element = box.current;
    if (!element) return;
    const observer = new ResizeObserver(([entry]) => entry && setWidth(Math.floor(entry.contentRect.width)));
    observer.observe(element);
    return () => observer.disconnect();
  }, [box]);
  return width;
}
