import type { Change } from "../../protocol/project/project.ts";
import { describeDay } from "../lib/dates.ts";
import { capital } from "../lib/format.ts";
import { own } from "../lib/own.ts";

/** One field of a change: what it was, and what it became. Empty: it was not there. */
export type FieldChange = {
  readonly name: string;
  readonly before: string;
  readonly after: string;
  /** A text of many lines, worth a look of its own. */
  readonly isLong: boolean;
};

const names: Readonly<Record<string, string>> = {
  startsAt: "Starts",
  endsAt: "Ends",
  parentId: "Place",
  body: "Text",
};
/** Of the record itself, not of what it says. */
const hidden = new Set(["id", "projectId", "position", "version", "createdAt", "updatedAt", "deleted", "seq", "hash"]);
const longCharacters = 80;

export function describeChange({ before, after }: Change, now: number): readonly FieldChange[] {
  const keys = [...new Set([...Object.keys(before ?? {}), ...Object.keys(after ?? {})])];
  return keys
    .filter((key) => !hidden.has(key))
    .map((key) => toField(key, [before?.[key], after?.[key]], now))
    .filter(({ before: was, after: is }) => was !== is);
}

function toField(key: string, [was, is]: readonly [unknown, unknown], now: number): FieldChange {
  const [before, after] = [toWords(key, was, now), toWords(key, is, now)];
  const isLong = [before, after].some((text) => text.length > longCharacters || text.includes("\n"));
  return { name: own(names, key) ?? capital(key), before, after, isLong };
}

function toWords(key: string, value: unknown, now: number): string {
  if (value === null || value === undefined) return "";
  if (key === "parentId") return "elsewhere";
  if ((key === "startsAt" || key === "endsAt") && typeof value === "number") return describeDay(value, now);
  if (typeof value === "boolean") return value ? "yes" : "no";
  return typeof value === "string" || typeof value === "number" ? String(value) : JSON.stringify(value);
}

/** What happened to it, in a word. */
export function toVerb({ before, after }: Pick<Change, "before" | "after">): "created" | "deleted" | "changed" {
  if (before === null) return "created";
  return after === null ? "deleted" : "changed";
}
