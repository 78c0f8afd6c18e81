import type { PartOf } from "../../../protocol/parts.ts";
import type { Catalog } from "../../tools/catalog.ts";
import { USE_TOOL } from "../../tools/gate.ts";
import type { Tool } from "../../tools/tool.ts";

/** The tool that a call means, with its arguments: of `use_tool` that is the one it names. */
export type Resolved = { readonly name: string; readonly tool: Tool | undefined; readonly input: unknown };

export function resolveCall(part: Pick<PartOf<"tool">, "name" | "input">, catalog: Catalog): Resolved {
  if (part.name !== USE_TOOL) return { name: part.name, tool: catalog.find(part.name), input: part.input };
  const { name, input } = (part.input ?? {}) as { name?: unknown; input?: unknown };
  const inner = typeof name === "string" && name !== USE_TOOL ? name : "";
  return { name: inner, tool: catalog.find(inner), input: input ?? {} };
}

/** The part with other arguments for the tool it means. */
export const withInput = (part: PartOf<"tool">, input: unknown): PartOf<"tool"> =>
  part.name === USE_TOOL ? { ...part, input: { ...(part.input as object), input } } : { ...part, input };
