type Reviver = (this: unknown, key: string, value: unknown, context: { readonly source?: string }) => unknown;
// Node 24 has both; the types of ES2024 do not.
const parse = JSON.parse as (text: string, reviver: Reviver) => unknown;
const { rawJSON, isRawJSON } = JSON as unknown as {
  readonly rawJSON: (text: string) => unknown;
  readonly isRawJSON: (value: unknown) => boolean;
};

/** A number of `parseExactly` that is kept as its text. */
export const isNumberText = isRawJSON;

/** Like JSON.parse, but JSON.stringify writes every number of the result with the digits that it had in the text. */
export const parseExactly = (text: string): unknown =>
  parse(text, (_, value, { source }) =>
    typeof value === "number" && source !== undefined && String(value) !== source ? rawJSON(source) : value,
  );

/** An integer in the text that JavaScript cannot represent, such as a 64-bit id; undefined if there is none. O(n). */
export function findInexactInteger(text: string): string | undefined {
  if (!/\d{16}/.test(text)) return undefined;
  let found: string | undefined;
  parse(text, (_, value, { source }) => {
    if (typeof value === "number" && source !== undefined && /^-?\d{16,}$/.test(source) && String(value) !== source)
      found ??= source;
    return value;
  });
  return found;
}
