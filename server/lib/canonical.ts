/**
 * Canonical JSON: keys sorted by code unit, no spaces, values that JSON cannot represent omitted as in JSON.stringify.
 * It does not depend on locale or insertion order, so equal values have equal bytes everywhere.
 */
export function toCanonical(value: unknown): string {
  return write(value) ?? "null";
}

function write(value: unknown): string | undefined {
  if (typeof value === "string") return JSON.stringify(value.toWellFormed());
  if (typeof value !== "object" || value === null) return JSON.stringify(value);
  if (Array.isArray(value)) return `[${value.map((item) => write(item) ?? "null").join(",")}]`;
  const fields = Object.entries(value)
    .sort(([a], [b]) => (a < b ? -1 : a > b ? 1 : 0))
    .flatMap(([key, item]) => {
      const text = write(item);
      return text === undefined ? [] : [`${JSON.stringify(key.toWellFormed())}:${text}`];
    });
  return `{${fields.join(",")}}`;
}
