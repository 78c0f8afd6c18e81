import { findKind } from "../../../protocol/project/kinds.ts";
import type { EntityLine } from "../../../protocol/project/project.ts";
import { addDays, asMoment, countDays, fromDay, toDayKey, toTime } from "../../lib/dates.ts";

export const blockDays = 28;
/** Blocks before and after the current one: about five years each. */
export const blocksPerSide = 65;

export const toBlockStart = (monday: string, index: number): string =>
  addDays(monday, (index - blocksPerSide) * blockDays);

/** Index of the block that contains a day. */
export function findBlock(monday: string, day: string): number {
  return blocksPerSide + Math.floor(countDays(monday, day) / blockDays);
}

/** An entity on one day. */
export type DayItem = {
  readonly line: EntityLine;
  /** Start time, if it starts on this day at a time. */
  readonly time: string;
  readonly isDue: boolean;
};

const maxDays = 366;

/** Entities by day, for `count` days from `first`, each on all of its days. A due item is marked on its due date. */
export function layoutDays(lines: readonly EntityLine[], first: string, count = blockDays) {
  const days = new Map<string, DayItem[]>();
  const put = (day: string, item: DayItem) => {
    const at = countDays(first, day);
    if (at >= 0 && at < count) days.set(day, [...(days.get(day) ?? []), item]);
  };
  for (const line of lines) {
    const isDue = findKind(line.kind)?.ends === "due";
    const start = line.startsAt ?? line.endsAt;
    if (start === null) continue;
    const end = line.endsAt ?? start;
    const [from, to] = [toDayKey(start), toDayKey(end)];
    const length = Math.max(0, countDays(from, to));
    if (isDue) put(to, { line, time: toTime(end), isDue });
    for (let day = 0; day <= Math.min(maxDays, isDue ? length - 1 : length); day += 1)
      put(addDays(from, day), { line, time: day === 0 && !isDue ? toTime(start) : "", isDue: false });
  }
  return new Map([...days].map(([day, items]) => [day, items.toSorted(byTime)]));
}

const byTime = (a: DayItem, b: DayItem): number =>
  a.time.localeCompare(b.time) || a.line.title.localeCompare(b.line.title);

const hourMs = 3_600_000;

/** Parses an entry: "14:00 Standup" starts at 14:00 and lasts an hour; without a time it takes the whole day, or is due then. */
export function readEntry(text: string, day: string, kind: string) {
  const timed = /^(\d{1,2})[:.](\d{2})\s+(\S.*)$/s.exec(text.trim());
  const [hours, minutes] = [Number(timed?.[1]), Number(timed?.[2])];
  const isTimed = timed !== null && hours < 24 && minutes < 60;
  const title = (isTimed ? (timed[3] ?? "") : text).trim();
  const time = isTimed ? `${String(hours).padStart(2, "0")}:${String(minutes).padStart(2, "0")}` : "";
  if (findKind(kind)?.ends === "due") return { title, startsAt: null, endsAt: fromDay(day, "end", time) };
  const startsAt = fromDay(day, "start", time);
  return { title, startsAt, endsAt: isTimed && startsAt !== null ? asMoment(startsAt + hourMs) : fromDay(day, "end") };
}
