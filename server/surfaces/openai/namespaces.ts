import { z } from "zod";
import { ApiError } from "../../../protocol/errors.ts";
import { FunctionFields, limits, Name, Text } from "./parse.ts";

/** A group of tools. Models are offered its functions under joined names; its other tools are not offered. */
export const NamespaceTool = z.object({
  type: z.literal("namespace"),
  name: Name,
  description: Text.nullish(),
  tools: z
    .array(
      z.union([
        FunctionFields.extend({ type: z.literal("function") }),
        z.looseObject({
          type: z
            .string()
            .max(100)
            .refine((type) => type !== "function"),
        }),
      ]),
    )
    .max(limits.tools),
});
type NamespaceTool = z.infer<typeof NamespaceTool>;

/** Names of namespaces often end with the separator, as in `mcp__mail__`. */
export const toJoinedName = (namespace: string, name: string): string =>
  namespace.endsWith("__") ? namespace + name : `${namespace}__${name}`;

export function listFunctions({ name: namespace, tools }: NamespaceTool) {
  return tools.flatMap((tool) => {
    if (tool.type !== "function") return [];
    const fields = FunctionFields.parse(tool);
    const name = toJoinedName(namespace, fields.name);
    if (Name.safeParse(name).success) return [{ ...fields, name }];
    throw new ApiError("invalid", `The name "${name.slice(0, 200)}" of a tool and its namespace is too long.`);
  });
}

export const listUnsupported = ({ name: namespace, tools }: NamespaceTool): readonly object[] =>
  tools.flatMap(({ type, name }) =>
    type === "function" ? [] : [{ type, ...(typeof name === "string" ? { name: name.slice(0, 200) } : {}), namespace }],
  );

export type CalledName = { readonly name: string; readonly namespace?: string };

/** The names of called functions as the caller knows them, from the tools that are stored with a response. */
export function readNames({ tools }: Readonly<Record<string, unknown>>): (name: string) => CalledName {
  const names = new Map<string, CalledName>();
  for (const tool of Array.isArray(tools) ? (tools as readonly Partial<NamespaceTool>[]) : [])
    if (tool.type === "namespace")
      for (const { type, name } of tool.tools ?? [])
        if (type === "function")
          names.set(toJoinedName(String(tool.name), String(name)), {
            name: String(name),
            namespace: String(tool.name),
          });
  return (name) => names.get(name) ?? { name };
}
