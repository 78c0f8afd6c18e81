import { memo, useEffect, useMemo } from "react";
import type { EntityLine } from "../../../protocol/project/project.ts";
import { isEnded } from "../../../protocol/project/kinds.ts";
import { toProjectPath } from "../../state/route.ts";
import { KindMark } from "../entity-marks.tsx";
import { useProject } from "../../state/project/project-context.ts";
import { useEntities } from "../../state/project/use-entities.ts";
import { addDays, formatDay } from "../../lib/dates.ts";
import { isOverdue, nameKind, toneDots, toTone } from "../../labels/entities.ts";
import { capital } from "../../lib/format.ts";
import { AddOnDay } from "./add-on-day.tsx";
import { blockDays, layoutDays, type DayItem } from "./day-layout.ts";
import { entities as entityStrings } from "../../strings/project/entities.ts";
import { project as strings } from "../../strings/project/page.ts";

type Props = {
  readonly first: string;
  readonly today: string;
  readonly now: number;
  /** The day in the tab order. */
  readonly tabDay: string;
  readonly addingDay: string | null;
  readonly onAdd: (day: string | null) => void;
  readonly onFocusDay: (day: string) => void;
};

const dayMs = 86_400_000;
const pageSize = 500;

/** Four weeks with their entities. */
export const Weeks = memo(({ first, ...rest }: Props) => {
  const from = Date.parse(`${first}T00:00:00Z`);
  // One more day on each side, because days start at different times in other time zones.
  const range = { from: from - dayMs, to: from + (blockDays + 1) * dayMs };
  const { lines, hasMore, more } = useEntities({ ...range, sort: "due", limit: pageSize }, hasDate);
  useEffect(() => {
    if (hasMore) more();
  }, [hasMore, more]);
  const days = useMemo(() => layoutDays(lines, first), [lines, first]);
  return [0, 7, 14, 21].map((offset) => <Week key={offset} monday={addDays(first, offset)} days={days} {...rest} />);
});

const hasDate = ({ startsAt, endsAt }: EntityLine): boolean => startsAt !== null || endsAt !== null;

type WeekProps = Omit<Props, "first"> & {
  readonly monday: string;
  readonly days: ReadonlyMap<string, readonly DayItem[]>;
};

const Week = ({ monday, days, ...rest }: WeekProps) => (
  <ol
    aria-label={strings.timeline.week(formatDay(monday))}
    className="grid gap-px pb-px @max-3xl:pb-4 @3xl:min-h-32 @3xl:grid-cols-7"
  >
    {[0, 1, 2, 3, 4, 5, 6].map((offset) => {
      const day = addDays(monday, offset);
      return <Day key={day} day={day} items={days.get(day) ?? none} {...rest} />;
    })}
  </ol>
);

const none: readonly DayItem[] = [];

type DayProps = Omit<WeekProps, "monday" | "days"> & { readonly day: string; readonly items: readonly DayItem[] };

const Day = ({ day, items, today, now, tabDay, addingDay, onAdd, onFocusDay }: DayProps) => {
  const name = `${formatDay(day, "weekday")} ${formatDay(day)}`;
  const isToday = day === today;
  const button = (
    <button
      type="button"
      data-day={day}
      tabIndex={day === tabDay ? 0 : -1}
      aria-current={isToday ? "date" : undefined}
      onFocus={() => onFocusDay(day)}
      onClick={() => onAdd(day)}
      className={`flex h-7 flex-none items-center gap-1.5 rounded-lg px-1.5 text-xs tabular-nums @max-3xl:w-20 ${isToday ? "font-semibold text-accent" : day < today ? "text-soft" : ""}`}
    >
      <span aria-hidden="true" className="contents">
        <span className="@3xl:hidden">{formatDay(day, "weekdayShort")}</span>
        <span
          className={
            isToday ? "grid min-w-6 place-items-center rounded-full bg-accent px-1.5 py-0.5 text-on-accent" : ""
          }
        >
          {Number(day.slice(8))}
        </span>
        {(day.endsWith("-01") || isToday) && <span>{formatDay(day, "monthOnly")}</span>}
      </span>
      <span className="sr-only">{isToday ? strings.timeline.addToToday(name) : strings.timeline.addToDay(name)}</span>
    </button>
  );
  return (
    <li
      onClick={(event) => event.target === event.currentTarget && onAdd(day)}
      className={`flex min-w-0 cursor-default gap-1 rounded-xl p-1 @3xl:flex-col @3xl:gap-0 ${isToday ? "bg-raised" : "bg-sunk/60 hover:bg-sunk"}`}
    >
      {day === addingDay ? (
        <AddOnDay day={day} name={name} onClose={() => onAdd(null)}>
          {button}
        </AddOnDay>
      ) : (
        button
      )}
      {items.length > 0 && (
        <ul className="grid min-w-0 flex-1 content-start gap-0.5">
          {items.map((item) => (
            <Item key={item.line.id} item={item} now={now} />
          ))}
        </ul>
      )}
    </li>
  );
};

const Item = ({ item: { line, time, isDue }, now }: { readonly item: DayItem; readonly now: number }) => {
  const { projectId } = useProject();
  const isLate = isOverdue(line, now);
  const isOver = isEnded(line.kind, line.state);
  return (
    <li className="min-w-0">
      <a
        href={toProjectPath(projectId, "timeline", line.id)}
        title={`${capital(nameKind(line.kind))}: ${line.title}`}
        className={`flex min-h-6 min-w-0 items-center gap-1.5 rounded-lg px-1.5 py-0.5 text-xs hover:bg-hover pointer-coarse:min-h-9 ${isDue ? "" : "bg-accent-wash/60"} ${isLate ? "text-danger" : ""}`}
      >
        {isDue ? (
          <KindMark kind={line.kind} className="size-3.5" />
        ) : (
          <span
            aria-hidden="true"
            className={`size-1.5 flex-none rounded-full ${toneDots[toTone(line.kind, line.state)]}`}
          />
        )}
        {time !== "" && <span className="flex-none tabular-nums text-soft">{time}</span>}
        <span dir="auto" className={`min-w-0 truncate ${isOver ? "text-soft line-through" : ""}`}>
          {line.title}
        </span>
        {isDue && <span className="sr-only">{isLate ? entityStrings.overdue : entityStrings.due}</span>}
      </a>
    </li>
  );
};
