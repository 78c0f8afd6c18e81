import { getLanguage, getLocale, isRightToLeft } from "../strings/language.ts";

/**
 * 1234567 as 1,234,567, or as the page's language writes it. English avoids `Intl`, whose first use takes longer than rendering
 * the thread list.
 */
export const groupDigits = (count: number): string =>
  getLanguage() === "en"
    ? String(Math.round(count)).replace(/\B(?=(?:\d{3}){1,8}$)/g, ",")
    : (numbers ??= new Intl.NumberFormat(getLocale())).format(Math.round(count));

let numbers: Intl.NumberFormat | undefined;

/** "a, b, c" as the page's language writes it. */
export const joinList = (words: readonly string[]): string =>
  getLanguage() === "en"
    ? words.join(", ")
    : new Intl.ListFormat(getLocale(), { type: "conjunction", style: "narrow" }).format(words);

const english = { byte: "B", kilobyte: "kB", megabyte: "MB", gigabyte: "GB", second: "s", minute: "min" } as const;
type Unit = keyof typeof english;
const units = new Map<string, Intl.NumberFormat>();

/** A number with its unit, as the page's language writes it. `decimals` are also written if they are zero. */
function withUnit(value: number, unit: Unit, decimals = 0): string {
  if (getLanguage() === "en") return `${decimals === 0 ? value : value.toFixed(decimals)} ${english[unit]}`;
  const key = `${getLocale()} ${unit} ${decimals}`;
  const digits = { minimumFractionDigits: decimals, maximumFractionDigits: 1 };
  const format = units.get(key) ?? new Intl.NumberFormat(getLocale(), { style: "unit", unit, ...digits });
  units.set(key, format);
  return format.format(value);
}

/** Human-readable file size. */
export function toSize(bytes: number): string {
  if (bytes < 1000) return withUnit(bytes, "byte");
  if (bytes < 999_500) return withUnit(Math.round(bytes / 1000), "kilobyte");
  return bytes < 999_500_000
    ? withUnit(Math.round(bytes / 1e5) / 10, "megabyte")
    : withUnit(Math.round(bytes / 1e8) / 10, "gigabyte");
}

/** 400 ms as "0.4 s", 12,345 ms as "12 s", 65,000 ms as "1 min 5 s". */
export function describeElapsed(elapsedMs: number, decimals = 1): string {
  const seconds = Math.max(0, elapsedMs) / 1000;
  if (seconds < 9.95) return withUnit(seconds, "second", decimals);
  const whole = Math.round(seconds);
  if (whole < 60) return withUnit(whole, "second");
  const minutes = withUnit(Math.floor(whole / 60), "minute");
  return whole % 60 === 0 ? minutes : `${minutes} ${withUnit(whole % 60, "second")}`;
}

type Timing = { readonly startedAt?: number | undefined; readonly endedAt?: number | undefined };

/** Time from the first start to the last end, or null if neither is known. */
export function spanOf(calls: readonly Timing[]): number | null {
  const starts = calls.flatMap(({ startedAt }) => startedAt ?? []);
  const ends = calls.flatMap(({ endedAt }) => endedAt ?? []);
  return starts.length === 0 || ends.length === 0 ? null : Math.max(0, Math.max(...ends) - Math.min(...starts));
}

/** `in-progress` as "In progress". */
export const capital = (word: string): string => word.charAt(0).toUpperCase() + word.slice(1).replaceAll("-", " ");

/** Isolates Latin text inside a right-to-left sentence, so that its punctuation and arrows stay in order. */
export const isolate = (text: string): string =>
  text === "" || !isRightToLeft(getLanguage()) ? text : `\u2068${text}\u2069`;
