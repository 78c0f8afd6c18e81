import { memoryFields } from "../../protocol/memory/memory.ts";
import type { RowOf } from "../store/schema.ts";

type Row = Pick<RowOf<"memory">, "field" | "value">;

/** Fields that hold something, by name: what a prompt says, to be compared with what holds later. */
export const toTold = (rows: readonly Row[]): Readonly<Record<string, string>> => {
  const values = new Map(rows.map(({ field, value }) => [field, value]));
  return Object.fromEntries(
    memoryFields.flatMap((field) => {
      const value = values.get(field) ?? "";
      return value === "" ? [] : [[field, value]];
    }),
  );
};

/**
 * What is remembered, for the head of a prompt: always the same bytes for the same values, each quoted, so that nothing in it
 * can pass for more than data. Empty when nothing is.
 */
export function tellMemory(rows: readonly Row[]): string {
  const lines = Object.entries(toTold(rows)).map(([field, value]) => `${field}: ${quoteValue(value)}`);
  return lines.length === 0 ? "" : `<memory about="the person">\n${lines.join("\n")}\n</memory>`;
}

/** The fields whose value differs from what was last told; empty: forgotten. */
export function diffMemory(
  told: Readonly<Record<string, string>>,
  rows: readonly Row[],
): Readonly<Record<string, string>> {
  const now = toTold(rows);
  const fields = memoryFields.filter((field) => (told[field] ?? "") !== (now[field] ?? ""));
  return Object.fromEntries(fields.map((field) => [field, now[field] ?? ""]));
}

/** A difference in words, for the turn in which it is noticed; later wins over the head. Empty when there is none. */
export function tellMemoryChanges(changes: Readonly<Record<string, string>>): string {
  const lines = memoryFields.flatMap((field) => {
    const value = changes[field];
    if (value === undefined) return [];
    return [value === "" ? `${field}: forgotten, do not use it` : `${field}: ${quoteValue(value)}`];
  });
  return lines.length === 0
    ? ""
    : `<memory about="the person" changed="since told above">\n${lines.join("\n")}\n</memory>`;
}

/** Neither a line nor a tag can be begun from inside. */
export const quoteValue = (value: string): string =>
  JSON.stringify(value).replace(
    /[<>\u2028\u2029\u0085]/g,
    (sign) => `\\u${sign.charCodeAt(0).toString(16).padStart(4, "0")}`,
  );
