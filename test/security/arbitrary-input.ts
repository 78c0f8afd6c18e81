import fc from "../support/fast-check.ts";
import { z } from "zod";

type Schema = {
  readonly type?: string | readonly string[];
  readonly enum?: readonly unknown[];
  readonly pattern?: string;
  readonly minLength?: number;
  readonly maxLength?: number;
  readonly minimum?: number;
  readonly maximum?: number;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly required?: readonly string[];
  readonly anyOf?: readonly Schema[];
  readonly oneOf?: readonly Schema[];
  readonly const?: unknown;
  /** Accepted values, where the schema has a rule that JSON Schema cannot express. */
  readonly examples?: readonly unknown[];
  readonly items?: Schema;
  readonly minItems?: number;
};

/** Generates values a schema accepts from its JSON Schema. Supports only the keywords our schemas use and throws on others. */
export const accepted = (schema: z.ZodObject): fc.Arbitrary<Record<string, unknown>> =>
  fromObject(z.toJSONSchema(schema, { io: "input" }) as Schema);

function fromObject({ properties = {}, required = [] }: Schema): fc.Arbitrary<Record<string, unknown>> {
  const fields = Object.fromEntries(Object.entries(properties).map(([name, field]) => [name, fromField(field)]));
  return fc.record(fields, { requiredKeys: [...required] });
}

function fromField(schema: Schema): fc.Arbitrary<unknown> {
  if (schema.enum) return fc.constantFrom(...schema.enum);
  if (schema.examples) return fc.constantFrom(...schema.examples);
  if (schema.const !== undefined) return fc.constant(schema.const);
  const choices = schema.anyOf ?? schema.oneOf;
  if (choices) return fc.oneof(...choices.map(fromField));
  if (Array.isArray(schema.type)) return fc.oneof(...schema.type.map((type) => fromField({ ...schema, type })));
  switch (schema.type) {
    case "null":
      return fc.constant(null);
    case "number":
      return fc.double({ min: 0.001, max: schema.maximum ?? 1000, noNaN: true });
    case "object":
      return fromObject(schema);
    case "array":
      // No duplicates: some lists reject them, which JSON Schema does not express.
      return fc.uniqueArray(schema.items ? fromField(schema.items) : fc.constant(null), {
        minLength: schema.minItems ?? 0,
        maxLength: 3,
        selector: (item) => JSON.stringify(item),
      });
    case "boolean":
      return fc.boolean();
    case "integer":
      return fc.integer({ min: Math.max(schema.minimum ?? 0, 0), max: Math.min(schema.maximum ?? 1000, 2 ** 31 - 1) });
    case "string":
      return schema.pattern ? fc.stringMatching(new RegExp(schema.pattern)) : plainText(schema);
    default:
      throw new Error(`no arbitrary for ${JSON.stringify(schema)}`);
  }
}

const plainText = ({ minLength = 0, maxLength = 100 }: Schema): fc.Arbitrary<string> =>
  fc
    .string({ unit: "grapheme", minLength, maxLength: Math.min(maxLength, 60) })
    .map((text) => (text.trim() === "" ? "text" : text.trim().replaceAll("\0", "")))
    .map((text) => text.slice(0, maxLength));

/** Values that no field expects: other types, other sizes, names that mean something to JavaScript. */
export const hostileValue: fc.Arbitrary<unknown> = fc.oneof(
  fc.constantFrom<unknown>(
    null,
    "",
    " ",
    -1,
    0.5,
    1e308,
    -0,
    2 ** 53,
    true,
    [],
    {},
    [[]],
    "\u0000",
    "\ud800",
    "a\r\nb",
    "../../etc/passwd",
    "__proto__",
    "x".repeat(200),
    "NaN",
    "1e9",
    "0x10",
  ),
  fc.jsonValue({ maxDepth: 4 }),
  fc.string({ unit: "binary", maxLength: 200 }),
);
