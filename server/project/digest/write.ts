import { priorities } from "../../../protocol/project/kinds.ts";
import { quoteValue } from "../../lib/prompt-tags.ts";
import type { OutlineRow } from "../../store/contract.ts";

/** Collapses whitespace and cuts the text to `most` characters. */
export function clipLine(text: string, most: number): string {
  const line = text.replaceAll(/\s+/gu, " ").trim();
  return line.length <= most ? line : `${line.slice(0, most - 1).toWellFormed()}…`;
}

const TITLE_CHARACTERS = 120;
export const quoteTitle = (title: string): string => quoteValue(clipLine(title, TITLE_CHARACTERS));

/** A date, or a date and time if it is not midnight, in UTC. */
export function toWhen(at: number): string {
  const iso = new Date(at).toISOString();
  return iso.endsWith("T00:00:00.000Z") ? iso.slice(0, 10) : `${iso.slice(0, 16)}Z`;
}

export const toIsoDay = (at: number): string => new Date(at).toISOString().slice(0, 10);

type Dates = { readonly starts: string | null; readonly ends: string | null };

export function renderRow(row: OutlineRow, dates: Dates, now: number): string {
  const priority = priorities[row.priority] ?? "none";
  return [
    `- ${row.id} ${quoteTitle(row.title)} ${row.state}`,
    ...(priority === "none" ? [] : [priority]),
    ...(row.starts_at === null ? [] : [`${dates.starts ?? "starts"} ${toWhen(row.starts_at)}`]),
    ...(row.ends_at === null ? [] : [`${dates.ends ?? "ends"} ${toWhen(row.ends_at)}`]),
    ...(isOverdue(row, dates, now) ? ["(overdue)"] : []),
  ].join(" ");
}

export const isOverdue = ({ ended, ends_at: at }: OutlineRow, { ends }: Dates, now: number): boolean =>
  ends === "due" && ended === 0 && at !== null && at < now;

/** Leaves out empty fields. */
export function toJsonLine(row: OutlineRow, { starts, ends }: Dates): Readonly<Record<string, unknown>> {
  const priority = priorities[row.priority] ?? "none";
  return {
    id: row.id,
    title: clipLine(row.title, TITLE_CHARACTERS),
    state: row.state,
    ...(priority === "none" ? {} : { priority }),
    ...(row.starts_at === null ? {} : { [starts ?? "starts"]: toWhen(row.starts_at) }),
    ...(row.ends_at === null ? {} : { [ends ?? "ends"]: toWhen(row.ends_at) }),
    ...(row.parent === null ? {} : { parent: row.parent }),
  };
}
