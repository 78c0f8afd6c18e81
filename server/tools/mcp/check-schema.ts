import { z } from "zod";
import type { JsonObject } from "./definition.ts";

type SchemaIssue = { readonly path: readonly (string | number)[]; readonly message: string };

const MAX_ISSUES = 8;
const MAX_STEPS = 50_000;
const MAX_DEPTH = 100;
/** Steps for a name in a list or a character of a text, of which a schema or a value can have many. */
const OF_MANY = 0.01;

/**
 * Checks a value against an untrusted JSON Schema in bounded time: types, properties, enums and sizes. Does not check patterns,
 * formats and conditions, because the server's regular expressions are not run here; the server checks those itself. If the
 * schema is too complex, the value passes.
 */
export function checkSchema(root: JsonObject, value: unknown): readonly SchemaIssue[] {
  const issues: Issue[] = [];
  check({ root, issues, refs: new Map(), steps: { left: MAX_STEPS } }, root, { value, path: [], depth: 0 });
  return issues.slice(0, MAX_ISSUES).map(({ path, toMessage }) => ({ path, message: toMessage() }));
}

/**
 * A server's JSON Schema as a zod type. Values pass through unchanged, and the model sees the server's own schema: zod emits
 * `meta` unchanged for a type without constraints.
 */
export function toZodSchema(schema: JsonObject): z.ZodType {
  const { $schema: _dialect, $id: _address, id: _old, ...shown } = schema;
  return z
    .unknown()
    .superRefine((value, context) => {
      for (const { path, message } of checkSchema(schema, value))
        context.addIssue({ code: "custom", path: [...path], message });
    })
    .meta({ ...shown, type: "object" });
}

/** Only issues that are returned get a text, which may be as long as the schema. */
type Issue = Pick<SchemaIssue, "path"> & { readonly toMessage: () => string };
type Work = {
  readonly root: JsonObject;
  readonly issues: Issue[];
  /** Resolved references. */
  readonly refs: Map<string, unknown>;
  readonly steps: { left: number };
};
type Location = { readonly value: unknown; readonly path: readonly (string | number)[]; readonly depth: number };

/** Charges work that grows with the schema or the value. False: the check ends. */
function spend({ steps }: Work, count: number): boolean {
  steps.left -= count;
  return steps.left >= 0;
}

function check(work: Work, schema: unknown, place: Location): void {
  if (!spend(work, 1) || place.depth > MAX_DEPTH || work.issues.length >= MAX_ISSUES) return;
  if (schema === false) return addIssue(work, place, "is not allowed");
  if (!isObject(schema)) return;
  if (typeof schema["$ref"] === "string") check(work, resolve(work, schema["$ref"]), deeper(place));
  checkType(work, schema, place);
  checkChoice(work, schema, place);
  checkSize(work, schema, place);
  if (isObject(place.value)) checkObject(work, schema, place, place.value);
  if (Array.isArray(place.value)) checkArray(work, schema, place, place.value);
  for (const part of toList(schema["allOf"])) check(work, part, deeper(place));
  for (const word of ["anyOf", "oneOf"]) checkAlternatives(work, toList(schema[word]), place);
}

const deeper = (place: Location): Location => ({ ...place, depth: place.depth + 1 });

const addIssue = ({ issues }: Work, { path }: Location, message: string | (() => string)): void =>
  void issues.push({ path, toMessage: typeof message === "string" ? () => message : message });

function checkType(work: Work, { type }: JsonObject, place: Location): void {
  if (Array.isArray(type) && !spend(work, type.length * OF_MANY)) return;
  const types = (Array.isArray(type) ? type : [type]).filter((one) => typeof one === "string");
  if (types.length === 0 || types.some((one) => isOfType(place.value, one))) return;
  addIssue(work, place, () => `expected ${types.join(" or ")}, not ${typeOf(place.value)}`);
}

function isOfType(value: unknown, type: string): boolean {
  if (type === "integer") return Number.isInteger(value);
  return type === typeOf(value) || !known.has(type);
}

const known = new Set(["null", "array", "object", "string", "number", "boolean"]);

const typeOf = (value: unknown): string =>
  value === null ? "null" : Array.isArray(value) ? "array" : value === undefined ? "nothing" : typeof value;

function checkChoice(work: Work, schema: JsonObject, place: Location): void {
  const choices = Object.hasOwn(schema, "const") ? [schema["const"]] : schema["enum"];
  if (!Array.isArray(choices)) return;
  if (!spend(work, choices.length * OF_MANY)) return;
  if (choices.some((choice) => isSame(work, choice, place.value, place.depth))) return;
  addIssue(work, place, () => `expected one of ${JSON.stringify(choices).slice(0, 500)}`);
}

/** True also if the check ran out of steps. Different values usually differ in their first members. */
function isSame(work: Work, a: unknown, b: unknown, depth: number): boolean {
  if (typeof a === "string" && typeof b === "string")
    return a.length === b.length && (!spend(work, a.length * OF_MANY) || a === b);
  if (typeof a !== "object" || typeof b !== "object" || a === null || b === null) return a === b;
  if (Array.isArray(a) !== Array.isArray(b)) return false;
  if (!spend(work, 1) || depth > MAX_DEPTH) return true;
  const at = (of: object, key: string | number): unknown => (of as JsonObject)[key];
  if (Array.isArray(a) && Array.isArray(b))
    return a.length === b.length && a.every((one, index) => isSame(work, one, at(b, index), depth + 1));
  const names = Object.keys(a);
  const count = Object.keys(b).length;
  if (!spend(work, (names.length + count) * OF_MANY)) return true;
  return (
    names.length === count &&
    names.every((name) => Object.hasOwn(b, name) && isSame(work, at(a, name), at(b, name), depth + 1))
  );
}

function checkSize(work: Work, schema: JsonObject, place: Location): void {
  const { value } = place;
  const limit = (word: string): number | undefined => (typeof schema[word] === "number" ? schema[word] : undefined);
  const within = (size: number, least: string, most: string, what: string): void => {
    const [low = -Infinity, high = Infinity] = [limit(least), limit(most)];
    if (size < low) addIssue(work, place, `expected at least ${low}${what}`);
    if (size > high) addIssue(work, place, `expected at most ${high}${what}`);
  };
  if (typeof value === "string") within(value.length, "minLength", "maxLength", " characters");
  if (Array.isArray(value)) within(value.length, "minItems", "maxItems", " items");
  if (typeof value !== "number") return;
  within(value, "minimum", "maximum", "");
  if (value <= (limit("exclusiveMinimum") ?? -Infinity))
    addIssue(work, place, `expected more than ${limit("exclusiveMinimum")}`);
  if (value >= (limit("exclusiveMaximum") ?? Infinity))
    addIssue(work, place, `expected less than ${limit("exclusiveMaximum")}`);
}

function checkObject(work: Work, schema: JsonObject, place: Location, value: JsonObject): void {
  const properties = isObject(schema["properties"]) ? schema["properties"] : {};
  const required = toList(schema["required"]);
  if (!spend(work, required.length * OF_MANY)) return;
  for (const name of required) {
    if (typeof name === "string" && !Object.hasOwn(value, name))
      addIssue(work, inside(place, name, undefined), "is missing");
  }
  for (const [name, one] of Object.entries(value)) {
    if (work.steps.left < 0) return;
    const isNamed = Object.hasOwn(properties, name);
    const rest = schema["patternProperties"] === undefined ? schema["additionalProperties"] : undefined;
    check(work, isNamed ? properties[name] : rest, inside(place, name, one));
  }
}

function checkArray(work: Work, schema: JsonObject, place: Location, items: readonly unknown[]): void {
  const first = toList(schema["prefixItems"] ?? (Array.isArray(schema["items"]) ? schema["items"] : undefined));
  const rest = Array.isArray(schema["items"]) ? schema["additionalItems"] : schema["items"];
  for (const [index, item] of items.entries()) {
    if (work.steps.left < 0) return;
    check(work, index < first.length ? first[index] : rest, inside(place, index, item));
  }
}

const inside = ({ path, depth }: Location, step: string | number, value: unknown): Location => ({
  value,
  path: [...path, step],
  depth: depth + 1,
});

function checkAlternatives(work: Work, alternatives: readonly unknown[], place: Location): void {
  if (alternatives.length === 0) return;
  const tried = alternatives.map((alternative) => {
    const issues: Issue[] = [];
    check({ ...work, issues }, alternative, deeper(place));
    return issues;
  });
  if (tried.some((issues) => issues.length === 0)) return;
  const nearest = tried.toSorted((a, b) => a.length - b.length)[0] ?? [];
  addIssue(work, place, "matches none of the alternatives");
  work.issues.push(...nearest);
}

/** Resolves references within the same schema only, each once. */
function resolve({ root, refs }: Work, pointer: string): unknown {
  if (!pointer.startsWith("#")) return undefined;
  if (!refs.has(pointer)) refs.set(pointer, follow(root, pointer));
  return refs.get(pointer);
}

function follow(root: JsonObject, pointer: string): unknown {
  const steps = pointer.slice(1).split("/").filter(Boolean);
  return steps.reduce<unknown>((at, step) => {
    const key = decode(step).replaceAll("~1", "/").replaceAll("~0", "~");
    return typeof at === "object" && at !== null && Object.hasOwn(at, key) ? (at as JsonObject)[key] : undefined;
  }, root);
}

function decode(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

const isObject = (value: unknown): value is JsonObject =>
  typeof value === "object" && value !== null && !Array.isArray(value);

const toList = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : []);
