import { dates as strings } from "../strings/dates.ts";
import { getLocale } from "../strings/language.ts";

/**
 * Dates with and without a time. A whole day is stored as its first moment in UTC for a start and its last for an end, so it
 * is the same day in every time zone; other moments are shown in the reader's time zone.
 */
export type Edge = "start" | "end";

const dayMs = 86_400_000;

export const isWholeDay = (at: number): boolean => at % dayMs === 0 || (at + 1) % dayMs === 0;

/** The day as `2026-11-20`. */
export function toDayKey(at: number): string {
  if (isWholeDay(at)) return new Date(at).toISOString().slice(0, 10);
  const date = new Date(at);
  return [date.getFullYear(), pad(date.getMonth() + 1), pad(date.getDate())].join("-");
}

/** `09:30`, or "" for a whole day. */
export function toTime(at: number): string {
  if (isWholeDay(at)) return "";
  const date = new Date(at);
  return `${pad(date.getHours())}:${pad(date.getMinutes())}`;
}

export function fromDay(day: string, edge: Edge, time = ""): number | null {
  const at = time === "" ? Date.parse(`${day}T${edges[edge]}Z`) : asMoment(Date.parse(`${day}T${time}`));
  return Number.isNaN(at) ? null : at;
}

const edges: Readonly<Record<Edge, string>> = { start: "00:00:00.000", end: "23:59:59.999" };

export const addDays = (day: string, count: number): string =>
  new Date(Date.parse(`${day}T00:00:00Z`) + count * dayMs).toISOString().slice(0, 10);

/** Number of days between two days. */
export const countDays = (from: string, to: string): number =>
  Math.round((Date.parse(`${to}T00:00:00Z`) - Date.parse(`${from}T00:00:00Z`)) / dayMs);

/** The Monday of its week. */
export const toMonday = (day: string): string => addDays(day, -((new Date(`${day}T00:00:00Z`).getUTCDay() + 6) % 7));

/** The page's date formats, in the reader's locale. */
const styles = {
  date: { day: "numeric", month: "short", year: "numeric" },
  dateInYear: { day: "numeric", month: "short" },
  moment: { day: "numeric", month: "short", year: "numeric", hour: "numeric", minute: "2-digit" },
  month: { month: "long", year: "numeric" },
  monthOnly: { month: "short" },
  weekday: { weekday: "long" },
  weekdayShort: { weekday: "short" },
} as const satisfies Readonly<Record<string, Intl.DateTimeFormatOptions>>;

type Style = keyof typeof styles;
const formats = new Map<string, Intl.DateTimeFormat>();

/** Formats are created on first use: that is slow, and most pages need one or two. */
function format(at: number, style: Style, timeZone: "UTC" | undefined): string {
  const key = `${style} ${timeZone}`;
  const found = formats.get(key) ?? new Intl.DateTimeFormat(getLocale(), { ...styles[style], timeZone });
  formats.set(key, found);
  return found.format(at);
}

/** A day such as `2026-11-20`. */
export const formatDay = (day: string, style: Style = "date"): string =>
  format(Date.parse(`${day}T00:00:00Z`), style, "UTC");

/** A moment in the reader's time zone. */
export const formatMoment = (at: number, style: Style = "moment"): string => format(at, style, undefined);

/** "Today", "Tomorrow", "Thursday", a date, with the year unless it is the current one, and the time where there is one. */
export function describeDay(at: number, now: number): string {
  const [day, today] = [toDayKey(at), toDayKey(asMoment(now))];
  const time = toTime(at);
  const name = nameDay(day, today);
  return time === "" ? name : `${name} ${time}`;
}

function nameDay(day: string, today: string): string {
  const days = countDays(today, day);
  if (days === 0) return strings.today;
  if (days === 1) return strings.tomorrow;
  if (days === -1) return strings.yesterday;
  if (days > 1 && days < 7) return formatDay(day, "weekday");
  return formatDay(day, day.slice(0, 4) === today.slice(0, 4) ? "dateInYear" : "date");
}

/** Marks a moment as not a whole day: exactly midnight in UTC is moved by a second. */
export const asMoment = (at: number): number => (isWholeDay(at) ? at + 1000 : at);

export const toToday = (now: number): string => toDayKey(asMoment(now));

const pad = (number: number): string => String(number).padStart(2, "0");
