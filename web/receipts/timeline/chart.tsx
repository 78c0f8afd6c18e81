import { useId, useLayoutEffect, useRef, type KeyboardEvent, type MouseEvent } from "react";
import { toShort } from "../../labels/model.ts";
import { prefersReducedMotion } from "../../state/look.ts";
import { describeLine } from "./describe-line.ts";
import { findColumn, type Chart } from "./timeline-layout.ts";

type Props = {
  readonly chart: Chart;
  readonly label: string;
  readonly at: number;
  /** The call whose receipt is open. */
  readonly currentId: string | null;
  /** Scrolls to the selected call, but not while it is hovered. */
  readonly isFollowed: boolean;
  readonly onMove: (at: number, by: "key" | "pointer") => void;
  readonly onOpen: (at: number) => void;
};

const height = 96;
const ground = 12;

/** One column per call: cached part, new part, compactions and cache misses. One tab stop. */
export const TimelineChart = ({ chart, label, at, currentId, isFollowed, onMove, onOpen }: Props) => {
  const id = useId();
  const scroller = useRef<HTMLDivElement>(null);
  const drawn = useRef<SVGSVGElement>(null);
  const { columns, width, barWidth, top, ticks } = chart;
  const x = columns[at]?.x ?? 0;
  const count = columns.length;
  // Starts at the newest; the selected column is scrolled into view.
  useLayoutEffect(() => {
    const box = scroller.current;
    if (!box || !isFollowed) return;
    const hidden = x < box.scrollLeft + 24 || x + barWidth > box.scrollLeft + box.clientWidth - 24;
    if (hidden)
      box.scrollTo({ left: x - box.clientWidth / 2, behavior: prefersReducedMotion() ? "instant" : "smooth" });
  }, [x, barWidth, count, isFollowed]);
  const onKeyDown = (event: KeyboardEvent) => {
    const next = toNext(event.key, at, columns.length);
    if (next !== null) onMove(next, "key");
    else if (event.key === "Enter" || event.key === " ") onOpen(at);
    else return;
    event.preventDefault();
  };
  const find = (event: MouseEvent) =>
    findColumn(chart, event.clientX - (drawn.current?.getBoundingClientRect().left ?? 0));
  return (
    <div className="relative" dir="ltr">
      <Ticks ticks={ticks} top={top} />
      <div
        ref={scroller}
        role="listbox"
        aria-label={label}
        aria-orientation="horizontal"
        aria-activedescendant={columns[at] ? `${id}-${at}` : undefined}
        tabIndex={0}
        onKeyDown={onKeyDown}
        onPointerMove={(event) => event.pointerType === "mouse" && onMove(find(event), "pointer")}
        onClick={(event) => onOpen(find(event))}
        className="overflow-x-auto overflow-y-hidden rounded-lg [scrollbar-width:thin] focus-visible:-outline-offset-2"
      >
        <svg
          ref={drawn}
          role="presentation"
          width={width}
          height={height + ground}
          viewBox={`0 0 ${width} ${height + ground}`}
          className="block cursor-pointer"
        >
          {columns.map(({ line, x: left, total, shared, isCompaction, hasCacheMiss }, index) => {
            const isActive = index === at;
            return (
              <g
                key={line.id}
                id={`${id}-${index}`}
                role="option"
                aria-selected={line.id === currentId}
                aria-label={describeLine(line, { n: index + 1, of: columns.length })}
              >
                {isActive && (
                  <rect x={left - 2} y={0} width={barWidth + 4} height={height} rx={4} className="fill-press" />
                )}
                {isCompaction && (
                  <line x1={left - 2} x2={left - 2} y1={0} y2={height} strokeDasharray="3 3" className="stroke-soft" />
                )}
                <rect
                  x={left}
                  y={height - total * height}
                  width={barWidth}
                  height={Math.max(2, (total - shared) * height)}
                  rx={1}
                  className={hasCacheMiss ? "fill-(--slot-head)" : "fill-(--slot-log)"}
                />
                <rect
                  x={left}
                  y={height - shared * height}
                  width={barWidth}
                  height={shared * height}
                  className="fill-(--slot-system)"
                />
                {hasCacheMiss && (
                  <path
                    d={`M ${left + barWidth / 2} ${height - total * height - 9} l 4 6 h -8 z`}
                    className="fill-danger"
                  />
                )}
                {line.id === currentId && (
                  <circle cx={left + barWidth / 2} cy={height + 7} r={3} className="fill-accent" />
                )}
                {isCompaction && (
                  <circle cx={left - 2} cy={height + 7} r={2.5} className="fill-none stroke-soft" strokeWidth={1.5} />
                )}
              </g>
            );
          })}
        </svg>
      </div>
    </div>
  );
};

const Ticks = ({ ticks, top }: Pick<Chart, "ticks" | "top">) => (
  <div aria-hidden="true" className="pointer-events-none absolute inset-x-0 top-0" style={{ height }}>
    {ticks.map((tick) => (
      <span
        key={tick}
        className="absolute inset-x-0 border-t border-line text-[0.65rem] leading-none text-soft"
        style={{ bottom: `${(tick / top) * 100}%` }}
      >
        <span className="absolute end-0 bottom-0.5 bg-sunk/80 px-0.5 tabular-nums">{toTick(tick)}</span>
      </span>
    ))}
  </div>
);

const toTick = (tokens: number): string => (tokens >= 1000 ? toShort(tokens) : String(tokens));

function toNext(key: string, at: number, count: number): number | null {
  if (count === 0) return null;
  if (key === "ArrowRight") return Math.min(at + 1, count - 1);
  if (key === "ArrowLeft") return Math.max(at - 1, 0);
  if (key === "Home") return 0;
  if (key === "End") return count - 1;
  if (key === "PageUp") return Math.max(at - 10, 0);
  if (key === "PageDown") return Math.min(at + 10, count - 1);
  return null;
}
