import { z } from "zod";
import type { JsonObject } from "./definition.ts";

type SchemaIssue = { readonly path: readonly (string | number)[]; readonly message: string };

const MAX_ISSUES = 8;
const MAX_STEPS = 50_000;
const MAX_DEPTH = 100;

/**
 * Checks a value against an untrusted JSON Schema in bounded time: types, properties, enums and sizes. Does not check patterns,
 * formats and conditions, because the server's regular expressions are not run here; the server checks those itself. If the
 * schema is too complex, the value passes.
 */
export function checkSchema(root: JsonObject, value: unknown): readonly SchemaIssue[] {
  const issues: SchemaIssue[] = [];
  check({ root, issues, steps: { left: MAX_STEPS } }, root, { value, path: [], depth: 0 });
  return issues.slice(0, MAX_ISSUES);
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

type Work = { readonly root: JsonObject; readonly issues: SchemaIssue[]; readonly steps: { left: number } };
type Location = { readonly value: unknown; readonly path: readonly (string | number)[]; readonly depth: number };

function check(work: Work, schema: unknown, place: Location): void {
  work.steps.left -= 1;
  if (work.steps.left < 0 || place.depth > MAX_DEPTH || work.issues.length >= MAX_ISSUES) return;
  if (schema === false) return addIssue(work, place, "is not allowed");
  if (!isObject(schema)) return;
  if (typeof schema["$ref"] === "string") check(work, resolve(work.root, schema["$ref"]), deeper(place));
  checkType(work, schema, place);
  checkChoice(work, schema, place);
  checkSize(work, schema, place);
  if (isObject(place.value)) checkObject(work, schema, place, place.value);
  if (Array.isArray(place.value)) checkArray(work, schema, place, place.value);
  for (const part of toList(schema["allOf"])) check(work, part, deeper(place));
  for (const word of ["anyOf", "oneOf"]) checkAlternatives(work, toList(schema[word]), place);
}

const deeper = (place: Location): Location => ({ ...place, depth: place.depth + 1 });

const addIssue = ({ issues }: Work, { path }: Location, message: string): void => void issues.push({ path, message });

function checkType(work: Work, { type }: JsonObject, place: Location): void {
  const types = (Array.isArray(type) ? type : [type]).filter((one) => typeof one === "string");
  if (types.length === 0 || types.some((one) => isOfType(place.value, one))) return;
  addIssue(work, place, `expected ${types.join(" or ")}, not ${typeOf(place.value)}`);
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
  const given = JSON.stringify(place.value);
  if (choices.some((choice) => JSON.stringify(choice) === given)) return;
  addIssue(work, place, `expected one of ${JSON.stringify(choices).slice(0, 500)}`);
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
  for (const name of toList(schema["required"])) {
    if (typeof name === "string" && !Object.hasOwn(value, name))
      addIssue(work, inside(place, name, undefined), "is missing");
  }
  for (const [name, one] of Object.entries(value)) {
    const isNamed = Object.hasOwn(properties, name);
    const rest = schema["patternProperties"] === undefined ? schema["additionalProperties"] : undefined;
    check(work, isNamed ? properties[name] : rest, inside(place, name, one));
  }
}

function checkArray(work: Work, schema: JsonObject, place: Location, items: readonly unknown[]): void {
  const first = toList(schema["prefixItems"] ?? (Array.isArray(schema["items"]) ? schema["items"] : undefined));
  const rest = Array.isArray(schema["items"]) ? schema["additionalItems"] : schema["items"];
  for (const [index, item] of items.entries())
    check(work, index < first.length ? first[index] : rest, inside(place, index, item));
}

const inside = ({ path, depth }: Location, step: string | number, value: unknown): Location => ({
  value,
  path: [...path, step],
  depth: depth + 1,
});

function checkAlternatives(work: Work, alternatives: readonly unknown[], place: Location): void {
  if (alternatives.length === 0) return;
  const tried = alternatives.map((alternative) => {
    const issues: SchemaIssue[] = [];
    check({ ...work, issues }, alternative, deeper(place));
    return issues;
  });
  if (tried.some((issues) => issues.length === 0)) return;
  const nearest = tried.toSorted((a, b) => a.length - b.length)[0] ?? [];
  addIssue(work, place, "matches none of the alternatives");
  work.issues.push(...nearest);
}

/** Resolves references within the same schema only. */
function resolve(root: JsonObject, pointer: string): unknown {
  if (!pointer.startsWith("#")) return undefined;
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
