import { createHash } from "node:crypto";

/** Hash of the content, independent of the order of keys. */
export function hashOf(content: object): string {
  const sorted = JSON.stringify(content, (_, value: unknown) =>
    typeof value === "object" && value !== null && !Array.isArray(value)
      ? Object.fromEntries(Object.entries(value).toSorted(([a], [b]) => (a < b ? -1 : 1)))
      : value,
  );
  return createHash("sha256").update(sorted).digest("base64url");
}
