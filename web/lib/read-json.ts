/** Reads tool outputs, whose shape may change: missing or unexpected fields are ignored and never throw. */
export type JsonRecord = Readonly<Record<string, unknown>>;

export const asRecord = (value: unknown): JsonRecord =>
  typeof value === "object" && value !== null && !Array.isArray(value) ? (value as JsonRecord) : {};

export const asList = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : []);

/** The first of these fields that is a string or a number. */
export function textAt(value: unknown, ...keys: readonly string[]): string {
  const record = asRecord(value);
  const found = keys.map((key) => record[key]).find((field) => typeof field === "string" || typeof field === "number");
  return found === undefined ? "" : String(found);
}

export function numberAt(value: unknown, ...keys: readonly string[]): number | undefined {
  const record = asRecord(value);
  return keys.map((key) => record[key]).find((field) => typeof field === "number");
}

/** The first of these fields that is an array. */
export function listAt(value: unknown, ...keys: readonly string[]): readonly unknown[] {
  const record = asRecord(value);
  return asList(keys.map((key) => record[key]).find((field) => Array.isArray(field)));
}
