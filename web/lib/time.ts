const minute = 60_000;
const hour = 60 * minute;
const day = 24 * hour;

/** Relative time in short form; after a month, the date. Times in the future are "just now". */
export function toRelativeTime(at: number, now: number): string {
  const ago = now - at;
  if (ago < minute) return "just now";
  if (ago < hour) return `${Math.floor(ago / minute)}m ago`;
  if (ago < day) return `${Math.floor(ago / hour)}h ago`;
  if (ago < 30 * day) return `${Math.floor(ago / day)}d ago`;
  const date = new Date(at);
  return `${date.getDate()} ${months[date.getMonth()]} ${date.getFullYear()}`;
}

/** Avoids `Intl`, whose first use delays the whole list. */
const months = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"];

/** Date and time in the reader's locale. */
export const toMoment = (at: number): string =>
  new Date(at).toLocaleString(undefined, { dateStyle: "medium", timeStyle: "short" });

export const toDay = (at: number): string => new Date(at).toLocaleDateString(undefined, { dateStyle: "medium" });
