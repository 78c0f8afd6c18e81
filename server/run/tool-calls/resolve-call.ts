import type { PartOf } from "../../../protocol/parts.ts";
import type { Catalog } from "../../tools/catalog.ts";
import { USE_TOOL } from "../../tools/gate.ts";
import type { Tool } from "../../tools/tool.ts";

/** The tool of a call and its arguments. For `use_tool` it is the tool named in the arguments. */
export type ResolvedCall = { readonly name: string; readonly tool: Tool | undefined; readonly input: unknown };

export function resolveCall(part: Pick<PartOf<"tool">, "name" | "input">, catalog: Catalog): ResolvedCall {
  if (part.name !== USE_TOOL) return find(part.name, part.input, catalog);
  const { name, input } = (part.input ?? {}) as { name?: unknown; input?: unknown };
  return find(typeof name === "string" && name !== USE_TOOL ? name : "", input ?? {}, catalog);
}

/** Finds the tool by name or alias and returns its canonical name. */
function find(called: string, input: unknown, catalog: Catalog): ResolvedCall {
  const tool = catalog.find(called);
  return { name: tool?.name ?? called, tool, input };
}

/** The part with new arguments for its resolved tool. */
export const withInput = (part: PartOf<"tool">, input: unknown): PartOf<"tool"> =>
  part.name === USE_TOOL ? { ...part, input: { ...(part.input as object), input } } : { ...part, input };
