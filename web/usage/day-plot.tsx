import { useId, useMemo, useRef, useState, type KeyboardEvent } from "react";
import type { CostRow } from "../../protocol/cost.ts";
import { formatDay } from "../lib/dates.ts";
import { useWidth } from "../lib/use-width.ts";
import { describeRow } from "./describe-costs.ts";
import { layoutDays, type Day } from "./day-layout.ts";
import { measures, type Measure } from "./measures.ts";
import { usage as strings } from "../strings/usage.ts";

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
  const [chosenKey, setChosenKey] = useState<string | null>(null);
  const found = days.findIndex(({ key }) => key === chosenKey);
  const lastUsed = days.findLastIndex(({ row }) => row !== null);
  const selected = found >= 0 ? found : lastUsed >= 0 ? lastUsed : days.length - 1;
  const pitch = Math.max(2, (width - gutter) / days.length);
  const bar = Math.max(1.5, Math.min(28, pitch * 0.72));
  const { format, formatShort } = measures[measure];
  const toX = (index: number) => gutter + index * pitch + (pitch - bar) / 2;
  const toY = (value: number) => 8 + (height - 8) * (1 - value / top);
  const onKeyDown = (event: KeyboardEvent) => {
    const next = toNext(event.key, selected, days.length);
    if (next === null) return;
    event.preventDefault();
    setChosenKey(days[next]?.key ?? null);
  };
  const day = days[selected];
  return (
    <div className="grid gap-1.5">
      <div ref={box}>
        <div
          role="listbox"
          aria-label={strings.days.label(measures[measure].name)}
          aria-orientation="horizontal"
          aria-activedescendant={day ? `${id}-${selected}` : undefined}
          tabIndex={0}
          dir="ltr"
          onKeyDown={onKeyDown}
          onPointerMove={(event) => {
            const x = event.clientX - event.currentTarget.getBoundingClientRect().left - gutter;
            setChosenKey(days[Math.max(0, Math.min(days.length - 1, Math.floor(x / pitch)))]?.key ?? null);
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
                <GridLine key={tick} y={toY(tick)} width={width} label={formatShort(tick)} />
              ))}
              {toAxisLabels(days).map(({ index, text }) => (
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
                aria-selected={index === selected}
                aria-label={describeDay(one, format)}
              >
                <rect
                  x={gutter + index * pitch}
                  y={0}
                  width={pitch}
                  height={height}
                  rx={4}
                  className={index === selected ? "fill-hover" : "fill-transparent"}
                />
                {one.value > 0 && (
                  <rect
                    x={toX(index)}
                    y={Math.min(toY(one.value), height - 2)}
                    width={bar}
                    height={Math.max(2, height - toY(one.value))}
                    rx={Math.min(3, bar / 2)}
                    className={index === selected ? "fill-accent-strong" : "fill-accent"}
                  />
                )}
              </g>
            ))}
          </svg>
        </div>
      </div>
      {day && <DayDetails day={day} measure={measure} />}
    </div>
  );
};

type GridLineProps = { readonly y: number; readonly width: number; readonly label: string };

const GridLine = ({ y, width, label }: GridLineProps) => (
  <g>
    <line x1={gutter} x2={width} y1={y} y2={y} className="stroke-line" />
    <text x={gutter - 6} y={y + 3.5} textAnchor="end" className="fill-soft text-[0.65rem]">
      {label}
    </text>
  </g>
);

const describeDay = ({ key, row, value }: Day, format: (value: number) => string): string =>
  row ? strings.days.day(formatDay(key), format(value), describeRow(row)) : strings.days.emptyDay(formatDay(key));

/** The selected day in words; hidden from screen readers, which read the option instead. */
const DayDetails = ({ day: { key, row, value }, measure }: { readonly day: Day; readonly measure: Measure }) => (
  <p aria-hidden="true" className="min-h-10 rounded-xl bg-raised px-3.5 py-2 text-sm tabular-nums">
    <span className="font-medium">{formatDay(key)}</span>
    <span className="ms-2">{row ? measures[measure].format(value) : strings.days.noUsage}</span>
    {row && <span className="block text-xs text-soft">{describeRow(row)}</span>}
  </p>
);

/** A few labels along the bottom, including the last day. A single day is named below. */
function toAxisLabels(days: readonly Day[]): readonly { readonly index: number; readonly text: string }[] {
  if (days.length === 1) return [];
  const step = Math.max(1, Math.ceil(days.length / 5));
  const marks: { index: number; text: string }[] = [];
  for (let index = days.length - 1; index >= 0; index -= step) {
    const day = days[index];
    if (day) marks.push({ index, text: formatDay(day.key, "dateInYear") });
  }
  return marks;
}

function toNext(key: string, selected: number, count: number): number | null {
  if (count === 0) return null;
  if (key === "ArrowRight") return Math.min(selected + 1, count - 1);
  if (key === "ArrowLeft") return Math.max(selected - 1, 0);
  if (key === "Home") return 0;
  if (key === "End") return count - 1;
  return null;
}
