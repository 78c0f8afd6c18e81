const minute = 60_000;
const hour = 60 * minute;
const day = 24 * hour;

/** How long ago, in the fewest words; after a month, the date. A clock that runs ahead of ours is "just now". */
export function toRelativeTime(at: number, now: number): string {
  const ago = now - at;
  if (ago < minute) return "just now";
  if (ago < hour) return `${Math.floor(ago / minute)}m ago`;
  if (ago < day) return `${Math.floor(ago / hour)}h ago`;
  if (ago < 30 * day) return `${Math.floor(ago / day)}d ago`;
  const date = new Date(at);
  return `${date.getDate()} ${months[date.getMonth()]} ${date.getFullYear()}`;
}

/** Not by `Intl`, whose first use holds up the whole list. */
const months = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"];

/** A date and a time as the reader writes them. */
export const toMoment = (at: number): string =>
  new Date(at).toLocaleString(undefined, { dateStyle: "medium", timeStyle: "short" });

export const toDay = (at: number): string => new Date(at).toLocaleDateString(undefined, { dateStyle: "medium" });
