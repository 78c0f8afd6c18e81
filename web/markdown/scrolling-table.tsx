import { useEffect, useRef, type ReactNode } from "react";
import { markdown as strings } from "../strings/markdown.ts";

/** A table that scrolls sideways if it has to. It fades out at each edge that hides a part of it. */
export const ScrollingTable = ({ children }: { readonly children?: ReactNode }) => {
  const box = useRef<HTMLDivElement>(null);
  useEffect(() => {
    if (!box.current) return;
    const observer = new ResizeObserver(() => markEdges(box.current));
    // The table itself grows while it is written.
    for (const element of [box.current, ...box.current.children]) observer.observe(element);
    return () => observer.disconnect();
  }, []);
  return (
    <div
      ref={box}
      dir="auto"
      className="table-scroll"
      tabIndex={0}
      role="group"
      aria-label={strings.table}
      onScroll={(event) => markEdges(event.currentTarget)}
    >
      <table>{children}</table>
    </div>
  );
};

function markEdges(box: HTMLDivElement | null): void {
  if (!box) return;
  // Negative where the table begins at the right.
  const before = Math.abs(box.scrollLeft);
  box.toggleAttribute("data-more-before", before >= 1);
  box.toggleAttribute("data-more-after", box.scrollWidth - box.clientWidth - before >= 1);
}
