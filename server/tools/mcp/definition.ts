import { createHash } from "node:crypto";
import { z } from "zod";
import { removeInvisible } from "./clean-text.ts";

/** A tool as described by its server: untrusted text, limited in size and without invisible characters. */
export type Definition = {
  readonly name: string;
  readonly title: string;
  readonly description: string;
  readonly inputSchema: JsonObject;
  readonly outputSchema: JsonObject | null;
  readonly hints: {
    readonly readOnly: boolean | null;
    readonly destructive: boolean | null;
    readonly idempotent: boolean | null;
  };
};

export type JsonObject = Readonly<Record<string, unknown>>;

const MAX_NAME_LENGTH = 200;
const MAX_DESCRIPTION_LENGTH = 4000;
const MAX_SCHEMA_LENGTH = 40_000;
const MAX_DEPTH = 60;

const object = z.record(z.string(), z.unknown());
const hint = z.boolean().nullable().catch(null).default(null);
const ToolEntry = z.object({
  name: z.string().min(1).max(MAX_NAME_LENGTH),
  title: z.string().catch("").default(""),
  description: z.string().catch("").default(""),
  inputSchema: object,
  outputSchema: object.nullable().catch(null).default(null),
  annotations: z
    .object({
      title: z.string().catch("").default(""),
      readOnlyHint: hint,
      destructiveHint: hint,
      idempotentHint: hint,
    })
    .catch({ title: "", readOnlyHint: null, destructiveHint: null, idempotentHint: null })
    .prefault({}),
  execution: z.object({ taskSupport: z.string().optional() }).catch({}).default({}),
});

/** Parses one tool of a list. Returns the reason as a string if it cannot be offered. */
export function toDefinition(entry: unknown): Definition | string {
  const parsed = ToolEntry.safeParse(entry);
  if (!parsed.success) return `${nameOf(entry)} has an invalid definition.`;
  const { name, title, description, annotations, execution } = parsed.data;
  if (toSafeText(name) !== name) return `${nameOf(entry)} has invisible or invalid characters in its name.`;
  if (execution.taskSupport === "required") return `"${name}" only runs as a task, which is not supported.`;
  const inputSchema = cleanSchema(parsed.data.inputSchema);
  if (!inputSchema)
    return `"${name}" has a schema that is longer than ${MAX_SCHEMA_LENGTH} characters or nested too deeply.`;
  return {
    name,
    title: toSafeText(toSafeText(title || annotations.title).slice(0, MAX_NAME_LENGTH)),
    description: cut(toSafeText(description)),
    inputSchema,
    outputSchema: parsed.data.outputSchema && cleanSchema(parsed.data.outputSchema),
    hints: {
      readOnly: annotations.readOnlyHint,
      destructive: annotations.destructiveHint,
      idempotent: annotations.idempotentHint,
    },
  };
}

function nameOf(entry: unknown): string {
  const name = typeof entry === "object" && entry !== null && "name" in entry ? entry.name : undefined;
  return typeof name === "string" && name !== "" ? `"${toSafeText(name.slice(0, 80))}"` : "A tool without a name";
}

const cut = (text: string): string =>
  text.length > MAX_DESCRIPTION_LENGTH ? `${text.slice(0, MAX_DESCRIPTION_LENGTH).toWellFormed()}…` : text;

/** Text that every database and provider accepts: no control characters, no lone surrogates. */
const toSafeText = (text: string): string => removeInvisible(text).toWellFormed();

function cleanSchema(schema: JsonObject): JsonObject | null {
  if (isDeeper(schema, MAX_DEPTH)) return null;
  const json = JSON.stringify(schema);
  return json.length > MAX_SCHEMA_LENGTH ? null : (cleanAll(JSON.parse(json)) as JsonObject);
}

function cleanAll(value: unknown): unknown {
  if (typeof value === "string") return toSafeText(value);
  if (Array.isArray(value)) return value.map(cleanAll);
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, one]) => [toSafeText(key), cleanAll(one)]));
}

const isDeeper = (value: unknown, levels: number): boolean =>
  typeof value === "object" &&
  value !== null &&
  (levels === 0 || Object.values(value).some((one) => isDeeper(one, levels - 1)));

/** Independent of the order of keys. */
export const hashDefinition = (definition: Definition): string =>
  createHash("sha256")
    .update(JSON.stringify(sortKeys(definition)))
    .digest("hex");

function sortKeys(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sortKeys);
  if (typeof value !== "object" || value === null) return value;
  const entries = Object.entries(value).toSorted(([a], [b]) => (a < b ? -1 : 1));
  return Object.fromEntries(entries.map(([key, one]) => [key, sortKeys(one)]));
}

/** The definition as lines, for a diff shown to the user. */
export function toLines(definition: Definition): readonly string[] {
  const { title, description, ...rest } = definition;
  return [title, ...description.split("\n"), ...JSON.stringify(sortKeys(rest), null, 2).split("\n")].filter(Boolean);
}
