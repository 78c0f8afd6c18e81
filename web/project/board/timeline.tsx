import { ChevronLeft, ChevronRight } from "lucide-react";
import { useVirtualizer } from "@tanstack/react-virtual";
import { useCallback, useLayoutEffect, useRef, useState, type KeyboardEvent } from "react";
import { useNow } from "../../lib/use-now.ts";
import { focusSoon, scrollSoon } from "../../lib/focus-soon.ts";
import { useMedia } from "../../lib/use-media.ts";
import { addDays, formatDay, toMonday, toToday } from "../../lib/dates.ts";
import { blocksPerSide, findBlock, toBlockStart } from "./day-layout.ts";
import { IconButton } from "../../ui/icon-button.tsx";
import { Weeks } from "./weeks.tsx";
import { project as strings } from "../../strings/project/page.ts";

const steps: Readonly<Record<string, number>> = { ArrowLeft: -1, ArrowRight: 1, ArrowUp: -7, ArrowDown: 7 };
const wideBlockPx = 4 * 129;
const narrowBlockPx = 28 * 37 + 64;

/** A scrolling calendar of events, milestones and due dates. Clicking a day adds to it. */
export const Timeline = () => {
  const now = useNow();
  const today = toToday(now);
  const [monday] = useState(() => toMonday(today));
  const [tabDay, setTabDay] = useState(today);
  const [addingDay, setAddingDay] = useState<string | null>(null);
  const isWide = useMedia("(min-width: 75rem)");
  const scroller = useRef<HTMLDivElement>(null);
  const virtualizer = useVirtualizer({
    count: 2 * blocksPerSide + 1,
    getScrollElement: () => scroller.current,
    estimateSize: () => (isWide ? wideBlockPx : narrowBlockPx),
    overscan: 1,
  });
  const showDay = useCallback(
    (day: string) => {
      setTabDay(day);
      virtualizer.scrollToIndex(findBlock(monday, day), { align: "start" });
      focusSoon(() => scroller.current?.querySelector<HTMLElement>(`[data-day="${day}"]`));
    },
    [virtualizer, monday],
  );
  useLayoutEffect(() => {
    virtualizer.scrollToIndex(blocksPerSide, { align: "start" });
  }, [virtualizer]);
  const onKeyDown = (event: KeyboardEvent) => {
    const day = event.target instanceof HTMLElement ? event.target.dataset["day"] : undefined;
    const step = steps[event.key];
    if (day === undefined || step === undefined) return;
    event.preventDefault();
    const next = addDays(day, step);
    const there = scroller.current?.querySelector<HTMLElement>(`[data-day="${next}"]`);
    if (there) there.focus();
    else showDay(next);
  };
  const shown = virtualizer.getVirtualItems();
  const offset = (virtualizer.scrollOffset ?? 0) + 40;
  const top = shown.find(({ end }) => end > offset);
  const week = top ? Math.max(0, Math.floor(((offset - top.start) / top.size) * 4)) : 0;
  // The Sunday of the first visible week: a week belongs to the month that begins in it.
  const month = addDays(toBlockStart(monday, top?.index ?? blocksPerSide), 7 * week + 6);
  const showMonth = (by: 1 | -1) => {
    const date = new Date(`${month.slice(0, 7)}-01T00:00:00Z`);
    date.setUTCMonth(date.getUTCMonth() + by);
    const first = date.toISOString().slice(0, 10);
    virtualizer.scrollToIndex(findBlock(monday, first), { align: "start" });
    scrollSoon(() => scroller.current?.querySelector(`[data-day="${first}"]`)?.closest("ol"));
  };
  return (
    <div className="@container flex min-h-0 flex-1 flex-col px-4 sm:px-8">
      <Bar month={month} onMonth={showMonth} onToday={() => showDay(today)} onAdd={addOnTabDay} />
      <Weekdays monday={monday} />
      <div
        ref={scroller}
        role="region"
        aria-label={strings.timeline.title}
        tabIndex={-1}
        onKeyDown={onKeyDown}
        className="min-h-0 flex-1 overflow-y-auto overscroll-contain pb-4"
      >
        <div className="relative" style={{ height: virtualizer.getTotalSize() }}>
          {shown.map(({ index, key, start }) => (
            <div
              key={key}
              ref={virtualizer.measureElement}
              data-index={index}
              className="absolute inset-x-0 top-0"
              style={{ transform: `translateY(${start}px)` }}
            >
              <Weeks
                first={toBlockStart(monday, index)}
                today={today}
                now={now}
                tabDay={tabDay}
                addingDay={addingDay}
                onAdd={setAddingDay}
                onFocusDay={setTabDay}
              />
            </div>
          ))}
        </div>
      </div>
    </div>
  );

  function addOnTabDay() {
    showDay(tabDay);
    setAddingDay(tabDay);
  }
};

type BarProps = {
  /** A day of the month that is shown. */
  readonly month: string;
  readonly onMonth: (by: 1 | -1) => void;
  readonly onToday: () => void;
  readonly onAdd: () => void;
};

const Bar = ({ month, onMonth, onToday, onAdd }: BarProps) => (
  <div className="flex flex-none flex-wrap items-center gap-x-3 gap-y-1 pb-2">
    <h2 className="font-serif text-xl tracking-tight">{formatDay(month, "month")}</h2>
    <span className="flex">
      <IconButton label={strings.timeline.previousMonth} onClick={() => onMonth(-1)}>
        <ChevronLeft aria-hidden="true" className="size-4.5 rtl:-scale-x-100" />
      </IconButton>
      <IconButton label={strings.timeline.nextMonth} onClick={() => onMonth(1)}>
        <ChevronRight aria-hidden="true" className="size-4.5 rtl:-scale-x-100" />
      </IconButton>
    </span>
    <button type="button" className="plain-button min-h-8" onClick={onToday}>
      {strings.timeline.today}
    </button>
    <button type="button" className="plain-button strong-button ms-auto min-h-8" onClick={onAdd}>
      {strings.timeline.add}
    </button>
  </div>
);

const Weekdays = ({ monday }: { readonly monday: string }) => (
  <div aria-hidden="true" className="hidden flex-none grid-cols-7 gap-px pb-1 text-xs text-soft @3xl:grid">
    {[0, 1, 2, 3, 4, 5, 6].map((offset) => (
      <span key={offset} className="px-2.5">
        {formatDay(addDays(monday, offset), "weekdayShort")}
      </span>
    ))}
  </div>
);
