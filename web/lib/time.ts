import { formatMoment } from "./dates.ts";
import { dates as strings } from "../strings/dates.ts";

const minute = 60_000;
const hour = 60 * minute;
const day = 24 * hour;

/** Relative time in short form; after a month, the date. Times in the future are "just now". */
export function toRelativeTime(at: number, now: number): string {
  const ago = now - at;
  if (ago < minute) return strings.justNow;
  if (ago < hour) return strings.minutesAgo(Math.floor(ago / minute));
  if (ago < day) return strings.hoursAgo(Math.floor(ago / hour));
  if (ago < 30 * day) return strings.daysAgo(Math.floor(ago / day));
  return formatMoment(at, "date");
}

/** Date and time. */
export const toMoment = (at: number): string => formatMoment(at);

export const toDay = (at: number): string => formatMoment(at, "date");
