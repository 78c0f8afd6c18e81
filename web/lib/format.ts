import { getLanguage, getLocale } from "../strings/language.ts";

/**
 * 1234567 as 1,234,567, or as the page's language writes it. English avoids `Intl`, whose first use takes longer than rendering
 * the thread list.
 */
export const groupDigits = (count: number): string =>
  getLanguage() === "en"
    ? String(Math.round(count)).replace(/\B(?=(?:\d{3}){1,8}$)/g, ",")
    : (numbers ??= new Intl.NumberFormat(getLocale())).format(Math.round(count));

let numbers: Intl.NumberFormat | undefined;

/** Human-readable file size. */
export function toSize(bytes: number): string {
  if (bytes < 1000) return `${bytes} B`;
  return bytes < 999_500 ? `${Math.round(bytes / 1000)} kB` : `${(bytes / 1e6).toFixed(1).replace(/\.0$/, "")} MB`;
}

/** 400 ms as "0.4 s", 12,345 ms as "12 s", 65,000 ms as "1 min 5 s". */
export function describeElapsed(elapsedMs: number): string {
  const seconds = Math.max(0, elapsedMs) / 1000;
  if (seconds < 9.95) return `${seconds.toFixed(1)} s`;
  if (seconds < 59.5) return `${Math.round(seconds)} s`;
  const whole = Math.round(seconds);
  return whole % 60 === 0 ? `${whole / 60} min` : `${Math.floor(whole / 60)} min ${whole % 60} s`;
}

type Timing = { readonly startedAt?: number | undefined; readonly endedAt?: number | undefined };

/** From the first start to the last end, or null if neither is known. */
export function spanOf(calls: readonly Timing[]): number | null {
  const starts = calls.flatMap(({ startedAt }) => startedAt ?? []);
  const ends = calls.flatMap(({ endedAt }) => endedAt ?? []);
  return starts.length === 0 || ends.length === 0 ? null : Math.max(0, Math.max(...ends) - Math.min(...starts));
}

/** `in-progress` as "In progress". */
export const capital = (word: string): string => word.charAt(0).toUpperCase() + word.slice(1).replaceAll("-", " ");
