import { useId, useMemo, useRef, useState, type KeyboardEvent } from "react";
import type { CostRow } from "../../protocol/cost.ts";
import { useWidth } from "../lib/use-width.ts";
import { describeRow } from "./describe-costs.ts";
import { layoutDays, type Day } from "./day-layout.ts";
import { measures, type Measure } from "./measures.ts";

type Props = {
  readonly rows: readonly CostRow[];
  readonly from: number;
  readonly to: number;
  readonly measure: Measure;
};

const height = 150;
const foot = 20;
const gutter = 42;

/** One column per day. One tab stop: arrow keys move between days, and each is announced. */
export const DayPlot = ({ rows, from, to, measure }: Props) => {
  const id = useId();
  const box = useRef<HTMLDivElement>(null);
  const width = useWidth(box, 600);
  const { days, top, ticks } = useMemo(() => layoutDays(rows, { from, to }, measure), [rows, from, to, measure]);
  const [picked, setPicked] = useState<string | null>(null);
  const found = days.findIndex(({ key }) => key === picked);
  const lastUsed = days.findLastIndex(({ row }) => row !== null);
  const at = found >= 0 ? found : lastUsed >= 0 ? lastUsed : days.length - 1;
  const pitch = Math.max(2, (width - gutter) / days.length);
  const bar = Math.max(1.5, Math.min(28, pitch * 0.72));
  const { say, brief } = measures[measure];
  const toX = (index: number) => gutter + index * pitch + (pitch - bar) / 2;
  const toY = (value: number) => 8 + (height - 8) * (1 - value / top);
  const onKeyDown = (event: KeyboardEvent) => {
    const next = toNext(event.key, at, days.length);
    if (next === null) return;
    event.preventDefault();
    setPicked(days[next]?.key ?? null);
  };
  const day = days[at];
  return (
    <div className="grid gap-1.5">
      <div ref={box}>
        <div
          role="listbox"
          aria-label={`${measures[measure].name} by day`}
          aria-orientation="horizontal"
          aria-activedescendant={day ? `${id}-${at}` : undefined}
          tabIndex={0}
          dir="ltr"
          onKeyDown={onKeyDown}
          onPointerMove={(event) => {
            const x = event.clientX - event.currentTarget.getBoundingClientRect().left - gutter;
            setPicked(days[Math.max(0, Math.min(days.length - 1, Math.floor(x / pitch)))]?.key ?? null);
          }}
          className="rounded-xl focus-visible:outline-offset-4"
        >
          <svg
            role="presentation"
            width={width}
            height={height + foot}
            viewBox={`0 0 ${width} ${height + foot}`}
            className="block max-w-full"
          >
            <g aria-hidden="true">
              {[0, ...ticks].map((tick) => (
                <g key={tick}>
                  <line x1={gutter} x2={width} y1={toY(tick)} y2={toY(tick)} className="stroke-line" />
                  <text x={gutter - 6} y={toY(tick) + 3.5} textAnchor="end" className="fill-soft text-[0.65rem]">
                    {brief(tick)}
                  </text>
                </g>
              ))}
              {toMarks(days).map(({ index, text }) => (
                <text
                  key={text}
                  x={toX(index) + bar / 2}
                  y={height + 14}
                  textAnchor={index === days.length - 1 ? "end" : "middle"}
                  className="fill-soft text-[0.65rem]"
                >
                  {text}
                </text>
              ))}
            </g>
            {days.map((one, index) => (
              <g
                key={one.key}
                id={`${id}-${index}`}
                role="option"
                aria-selected={index === at}
                aria-label={`${toDay(one.key)}: ${one.row ? `${say(one.value)}. ${describeRow(one.row)}` : "nothing"}`}
              >
                <rect
                  x={gutter + index * pitch}
                  y={0}
                  width={pitch}
                  height={height}
                  rx={4}
                  className={index === at ? "fill-hover" : "fill-transparent"}
                />
                {one.value > 0 && (
                  <rect
                    x={toX(index)}
                    y={Math.min(toY(one.value), height - 2)}
                    width={bar}
                    height={Math.max(2, height - toY(one.value))}
                    rx={Math.min(3, bar / 2)}
                    className={index === at ? "fill-accent-strong" : "fill-accent"}
                  />
                )}
              </g>
            ))}
          </svg>
        </div>
      </div>
      {day && <Told day={day} measure={measure} />}
    </div>
  );
};

const Told = ({ day: { key, row, value }, measure }: { readonly day: Day; readonly measure: Measure }) => (
  <p aria-hidden="true" className="min-h-10 rounded-xl bg-raised px-3.5 py-2 text-sm tabular-nums">
    <span className="font-medium">{toDay(key)}</span>
    <span className="ms-2">{row ? measures[measure].say(value) : "nothing"}</span>
    {row && <span className="block text-xs text-soft">{describeRow(row)}</span>}
  </p>
);

const toDate = (key: string): Date => new Date(`${key}T00:00:00Z`);
const toDay = (key: string): string =>
  toDate(key).toLocaleDateString(undefined, { dateStyle: "medium", timeZone: "UTC" });
const toShortDay = (key: string): string =>
  toDate(key).toLocaleDateString(undefined, { day: "numeric", month: "short", timeZone: "UTC" });

/** A few labels along the bottom, including the last day. */
function toMarks(days: readonly Day[]): readonly { readonly index: number; readonly text: string }[] {
  const step = Math.max(1, Math.ceil(days.length / 5));
  const marks: { index: number; text: string }[] = [];
  for (let index = days.length - 1; index >= 0; index -= step) {
    const day = days[index];
    if (day) marks.push({ index, text: toShortDay(day.key) });
  }
  return marks;
}

function toNext(key: string, at: number, count: number): number | null {
  if (count === 0) return null;
  if (key === "ArrowRight") return Math.min(at + 1, count - 1);
  if (key === "ArrowLeft") return Math.max(at - 1, 0);
  if (key === "Home") return 0;
  if (key === "End") return count - 1;
  return null;
}
