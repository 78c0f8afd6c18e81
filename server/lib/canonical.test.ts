import fc from "../../test/support/fast-check.ts";
import { expect, test } from "vitest";
import { toCanonical } from "./canonical.ts";

test("sorts keys by code unit at every depth", () => {
  expect(toCanonical({ b: 1, a: { Z: 1, ä: 2, z: 3 }, 10: 0, 9: 0 })).toBe(
    '{"10":0,"9":0,"a":{"Z":1,"z":3,"ä":2},"b":1}',
  );
});

test("omits values that JSON cannot represent, and writes null for them in arrays", () => {
  expect(toCanonical({ a: undefined, b: [undefined, () => 1, Number.NaN], c: -0 })).toBe(
    '{"b":[null,null,null],"c":0}',
  );
  expect(toCanonical(undefined)).toBe("null");
});

test("replaces unpaired surrogates, so that every reader decodes the same text", () => {
  expect(JSON.parse(toCanonical({ "\ud83e": "a\ud83e" }))).toEqual({ "\ufffd": "a\ufffd" });
});

test("equal values have equal bytes regardless of key order, and the bytes parse back to the value", () => {
  fc.assert(
    fc.property(fc.jsonValue(), (value) => {
      const text = toCanonical(value);
      expect(toCanonical(reverseKeys(value))).toBe(text);
      expect(JSON.parse(text)).toEqual(JSON.parse(JSON.stringify(value)));
    }),
    { numRuns: 500 },
  );
});

const reverseKeys = (value: unknown): unknown => {
  if (typeof value !== "object" || value === null) return value;
  if (Array.isArray(value)) return value.map(reverseKeys);
  return Object.fromEntries(
    Object.entries(value)
      .map(([key, item]) => [key, reverseKeys(item)])
      .reverse(),
  );
};
