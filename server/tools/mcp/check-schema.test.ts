import { expect, test } from "vitest";
import { z } from "zod";
import { checkSchema, toZodSchema } from "./check-schema.ts";

const person = {
  type: "object",
  properties: {
    name: { type: "string", minLength: 1 },
    age: { type: "integer", minimum: 0, maximum: 150 },
    role: { enum: ["reader", "writer"] },
    friends: { type: "array", items: { $ref: "#" }, maxItems: 2 },
    contact: { anyOf: [{ type: "string" }, { type: "object", required: ["phone"] }] },
    pair: { type: "array", prefixItems: [{ type: "number" }, { type: "string" }] },
    note: { type: ["string", "null"] },
  },
  required: ["name"],
  additionalProperties: false,
};

test.each([
  [{ name: "Ann" }],
  [
    {
      name: "Ann",
      age: 3,
      role: "reader",
      friends: [{ name: "Ben" }],
      contact: { phone: 1 },
      pair: [1, "x"],
      note: null,
    },
  ],
])("%j fits", (value) => {
  expect(checkSchema(person, value)).toEqual([]);
});

test.each<[unknown, string, RegExp]>([
  [{}, "name", /is missing/],
  [{ name: 3 }, "name", /expected string, not number/],
  [{ name: "" }, "name", /at least 1/],
  [{ name: "a", age: 1.5 }, "age", /expected integer/],
  [{ name: "a", age: 200 }, "age", /at most 150/],
  [{ name: "a", role: "king" }, "role", /one of \["reader","writer"\]/],
  [{ name: "a", other: 1 }, "other", /not allowed/],
  [{ name: "a", friends: [{ name: "b" }, { name: 1 }] }, "friends.1.name", /expected string/],
  [{ name: "a", friends: [{ name: "b" }, { name: "c" }, { name: "d" }] }, "friends", /at most 2/],
  [{ name: "a", contact: {} }, "contact", /none of the alternatives/],
  [{ name: "a", pair: ["x"] }, "pair.0", /expected number/],
  [{ name: "a", note: 3 }, "note", /expected string or null/],
  ["text", "", /expected object/],
  [[], "", /expected object, not array/],
])("%j is invalid, with the path of the issue", (value, place, message) => {
  const [first] = checkSchema(person, value);
  expect(first?.path.join(".")).toBe(place);
  expect(first?.message).toMatch(message);
});

test("accepts any value for circular, exploding or costly schemas, in bounded time", () => {
  const circle = { $ref: "#", type: "object" };
  expect(checkSchema(circle, {})).toEqual([]);
  let tangled: object = { type: "string" };
  for (let depth = 0; depth < 40; depth += 1) tangled = { anyOf: [tangled, tangled] };
  checkSchema({ ...tangled }, 3);
  const costly = { type: "object", properties: { text: { type: "string", pattern: "^(a+)+$" } } };
  expect(checkSchema(costly, { text: `${"a".repeat(50)}!` })).toEqual([]);
});

/** Counts every read of a member, at any depth. */
function countReads<T extends object>(value: T): { readonly counted: T; readonly reads: () => number } {
  let reads = 0;
  const wrap = <V>(inner: V): V =>
    typeof inner !== "object" || inner === null
      ? inner
      : new Proxy(inner, {
          get: (of, key) => {
            reads += 1;
            return wrap(Reflect.get(of, key) as unknown);
          },
        });
  return { counted: wrap(value), reads: () => reads };
}

const large = { rows: Array.from({ length: 200_000 }, (_, index) => ({ id: index, text: "granite and basalt" })) };
const nearlySame = { rows: [...large.rows.slice(0, -1), { id: -1 }] };

test.each([
  ["primitive constants", (index: number) => ({ const: index })],
  ["constants that differ early", (index: number) => ({ const: { rows: [{ id: -1 - index }] } })],
  ["constants that differ at the end", () => ({ const: nearlySame })],
  ["references to one large constant", () => ({ $ref: "#/large" })],
])("compares a value of 8 MB with 3,000 alternatives in bounded time: %s", (_, toAlternative) => {
  const { counted, reads } = countReads(large);
  const schema = { large: { const: large }, anyOf: Array.from({ length: 3_000 }, (__, index) => toAlternative(index)) };
  checkSchema(schema, counted);
  expect(JSON.stringify(large).length).toBeGreaterThan(8_000_000);
  expect(reads()).toBeLessThan(1_000_000);
});

test("compares objects regardless of the order of their members", () => {
  const schema = { enum: [{ a: 1, b: [2, null] }, "x".repeat(10)] };
  expect(checkSchema(schema, { b: [2, null], a: 1 })).toEqual([]);
  expect(checkSchema(schema, "x".repeat(10))).toEqual([]);
  for (const other of [{ a: 1, b: [2] }, { a: 1 }, { a: 1, b: [2, null], c: 1 }, { a: 1, b: { 0: 2, 1: null } }, null])
    expect(checkSchema(schema, other)).toMatchObject([{ message: expect.stringContaining("expected one of") }]);
});

test("inherited object properties do not count as schema properties", () => {
  const schema = { type: "object", properties: {}, required: ["toString"], additionalProperties: false };
  expect(checkSchema(schema, {})).toMatchObject([{ path: ["toString"], message: "is missing" }]);
  expect(checkSchema(schema, JSON.parse('{"constructor":1,"toString":2}'))).toMatchObject([
    { path: ["constructor"] },
    { path: ["toString"] },
  ]);
});

test("the model sees the server's own schema, and values pass unchanged", () => {
  const schema = {
    ...person,
    $defs: { unused: { type: "number" } },
    description: "a person",
    examples: [{ name: "x" }],
  };
  const input = toZodSchema({ $schema: "http://json-schema.org/draft-07/schema#", $id: "x", ...schema });
  const { $schema: _, ...shown } = z.toJSONSchema(input);
  expect(shown).toEqual(schema);
  const value = { name: "Ann", friends: [] };
  expect(input.parse(value)).toBe(value);
  expect(input.safeParse({}).error?.issues).toMatchObject([{ path: ["name"], message: "is missing" }]);
});
