import type { PartOf } from "../../../protocol/parts.ts";
import type { Catalog } from "../../tools/catalog.ts";
import { USE_TOOL } from "../../tools/gate.ts";
import type { Tool } from "../../tools/tool.ts";

/** The tool that a call means, with its arguments: of `use_tool` that is the one it names. */
export type Resolved = { readonly name: string; readonly tool: Tool | undefined; readonly input: unknown };

export function resolveCall(part: Pick<PartOf<"tool">, "name" | "input">, catalog: Catalog): Resolved {
  if (part.name !== USE_TOOL) return find(part.name, part.input, catalog);
  const { name, input } = (part.input ?? {}) as { name?: unknown; input?: unknown };
  return find(typeof name === "string" && name !== USE_TOOL ? name : "", input ?? {}, catalog);
}

/** By whatever name it was called, it counts under its own. */
function find(called: string, input: unknown, catalog: Catalog): Resolved {
  const tool = catalog.find(called);
  return { name: tool?.name ?? called, tool, input };
}

/** The part with other arguments for the tool it means. */
export const withInput = (part: PartOf<"tool">, input: unknown): PartOf<"tool"> =>
  part.name === USE_TOOL ? { ...part, input: { ...(part.input as object), input } } : { ...part, input };
