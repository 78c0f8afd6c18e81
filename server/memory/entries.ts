import type { MemoryField } from "../../protocol/memory.ts";

/** The entries of a field: the items of its lines; for `extra`, its key-value pairs. */
export function listEntries(field: MemoryField, value: string): readonly string[] {
  if (value === "") return [];
  if (field === "extra") return listPairs(value).map(([key, held]) => toPair(key, held));
  return value
    .split("\n")
    .flatMap((line) => line.split(between))
    .map(toEntry)
    .filter((entry) => entry !== "");
}

/** Removes these entries. Lines without any of them are unchanged. */
export function withoutEntries(field: MemoryField, value: string, entries: ReadonlySet<string>): string {
  if (value === "" || entries.size === 0) return value;
  if (field === "extra") return withoutPairs(value, entries);
  const lines = value.split("\n").flatMap((line) => {
    const items = line.split(between);
    const kept = items.filter((item) => !entries.has(toEntry(item)));
    if (kept.length === items.length) return [line];
    return kept.length === 0 ? [] : [kept.join(", ")];
  });
  return lines.join("\n").trim();
}

function withoutPairs(value: string, entries: ReadonlySet<string>): string {
  const kept = listPairs(value).filter(([key, held]) => !entries.has(toPair(key, held)));
  return kept.length === 0 ? "" : JSON.stringify(Object.fromEntries(kept));
}

const between = /[,;]\s+/;
const toEntry = (item: string): string => item.trim().toLowerCase();
const toPair = (key: string, held: unknown): string => JSON.stringify([key, held]);

/** Stored values of `extra` are always JSON objects: every change checks it. */
const listPairs = (value: string): readonly (readonly [string, unknown])[] =>
  Object.entries(JSON.parse(value) as Readonly<Record<string, unknown>>);
