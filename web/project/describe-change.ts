import type { Change } from "../../protocol/project/project.ts";
import { describeDay } from "../lib/dates.ts";
import { capital } from "../lib/format.ts";
import { own } from "../lib/own.ts";
import { entities } from "../strings/project/entities.ts";
import { nameKind, namePriority, nameState } from "../labels/entities.ts";

const strings = entities.changes;

/** One changed field with its old and new value; "" if it had none. */
export type FieldChange = {
  readonly name: string;
  readonly before: string;
  readonly after: string;
  /** Long or multi-line text, shown as a block. */
  readonly isLong: boolean;
};

/** Internal fields of the record. */
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
  const [before, after] = [toText(key, was, now), toText(key, is, now)];
  const isLong = [before, after].some((text) => text.length > longCharacters || text.includes("\n"));
  return { name: own<string>(strings.fields, key) ?? capital(key), before, after, isLong };
}

function toText(key: string, value: unknown, now: number): string {
  if (value === null || value === undefined) return "";
  if (key === "parentId") return strings.otherParent;
  if ((key === "startsAt" || key === "endsAt") && typeof value === "number") return describeDay(value, now);
  if (key === "state" && typeof value === "string") return nameState(value);
  if (key === "priority" && typeof value === "string") return namePriority(value);
  if (key === "kind" && typeof value === "string") return nameKind(value);
  if (typeof value === "boolean") return value ? strings.yes : strings.no;
  return typeof value === "string" || typeof value === "number" ? String(value) : JSON.stringify(value);
}

export function toVerb({ before, after }: Pick<Change, "before" | "after">): "created" | "deleted" | "changed" {
  if (before === null) return "created";
  return after === null ? "deleted" : "changed";
}
