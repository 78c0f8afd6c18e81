import { z } from "zod";
import type { JsonObject } from "./definition.ts";
import { checkSchema } from "./check-schema.ts";

/**
 * A stranger's JSON Schema as an input of ours. The value goes on as it is, with nothing added or left out, and what a model is
 * shown is the server's own schema: zod writes `meta` as it stands over a schema that says nothing itself.
 */
export function toInput(schema: JsonObject): z.ZodType {
  const { $schema: _dialect, $id: _address, id: _old, ...shown } = schema;
  return z
    .unknown()
    .superRefine((value, context) => {
      for (const { path, message } of checkSchema(schema, value))
        context.addIssue({ code: "custom", path: [...path], message });
    })
    .meta({ ...shown, type: "object" });
}
