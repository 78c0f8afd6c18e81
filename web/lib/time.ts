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
  // Without `Intl`, whose first use delays the whole list.
  const date = new Date(at);
  return `${date.getDate()} ${strings.months[date.getMonth()]} ${date.getFullYear()}`;
}

/** Date and time in the reader's locale. */
export const toMoment = (at: number): string =>
  new Date(at).toLocaleString(undefined, { dateStyle: "medium", timeStyle: "short" });

export const toDay = (at: number): string => new Date(at).toLocaleDateString(undefined, { dateStyle: "medium" });
