/** Required fields only: words go into texts, as many as fit; the rest of a schema gets its plainest value. */
export const fillInput = (schema: object, text: string): Record<string, unknown> => {
  const { properties, required } = schema as { properties?: Record<string, Field>; required?: readonly string[] };
  const input: Record<string, unknown> = {};
  for (const name of required ?? []) input[name] = toPlainest(properties?.[name] ?? {}, text);
  return input;
};

type Field = {
  readonly type?: unknown;
  readonly enum?: readonly unknown[];
  readonly default?: unknown;
  readonly maxLength?: number;
  readonly minItems?: number;
  readonly items?: Field;
  readonly minimum?: number;
  readonly maximum?: number;
};

const toPlainest = (field: Field, text: string): unknown => {
  if (field.default !== undefined) return field.default;
  if (field.enum !== undefined && field.enum.length > 0) return field.enum[0];
  switch (field.type) {
    case "number":
    case "integer": {
      const number = Number(/-?\d+(?:\.\d+)?/.exec(text)?.[0] ?? 1);
      return Math.min(field.maximum ?? Infinity, Math.max(field.minimum ?? -Infinity, number));
    }
    case "boolean":
      return true;
    case "array":
      return (field.minItems ?? 0) > 0 ? [toPlainest(field.items ?? {}, text)] : [];
    case "object":
      return fillInput(field, text);
    default:
      return text.slice(0, field.maxLength).toWellFormed();
  }
};
