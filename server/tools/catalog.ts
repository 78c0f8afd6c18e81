import { z } from "zod";
import type { ToolSpec } from "../../protocol/model.ts";
import { createCatalogTools } from "./find-tools.ts";
import type { Tool } from "./tool.ts";

export type Catalog = {
  /** By name or alias. */
  readonly find: (name: string) => Tool | undefined;
  /** The name of the tool that has this name or alias; an unknown name as it is. */
  readonly nameOf: (name: string) => string;
  /** As offered to a model. Sorted by name, so the same tools give the same bytes. */
  readonly specs: readonly ToolSpec[];
  /** Specifications of the tools with these names or aliases; of all tools if `names` is undefined. */
  readonly specsOf: (names: readonly string[] | undefined) => readonly ToolSpec[];
  readonly tools: readonly Tool[];
};

const MAX_SETS = 64;

export function createCatalog(tools: readonly Tool[]): Catalog {
  // The same names return the same array, so callers can use it as a cache key.
  const sets = new Map<string, readonly ToolSpec[]>();
  const byName = new Map(tools.map((tool) => [tool.name, tool]));
  const byAlias = new Map(tools.flatMap((tool) => (tool.aliases ?? []).map((alias) => [alias, tool] as const)));
  const find = (name: string): Tool | undefined => byName.get(name) ?? byAlias.get(name);
  const nameOf = (name: string): string => find(name)?.name ?? name;
  const specs = [...byName.values()]
    .toSorted((a, b) => (a.name < b.name ? -1 : 1))
    .map(({ name, description, input }) => ({ name, description, inputSchema: toSchema(input) }));
  return {
    find,
    nameOf,
    specs,
    specsOf: (names) => {
      if (!names) return specs;
      const key = names.join();
      let chosen = sets.get(key);
      if (!chosen) {
        if (sets.size >= MAX_SETS) sets.clear();
        const wanted = new Set(names.map(nameOf));
        sets.set(key, (chosen = specs.filter(({ name }) => wanted.has(name))));
      }
      return chosen;
    },
    tools,
  };
}

function toSchema(input: z.ZodType): object {
  const { $schema: _, ...schema } = z.toJSONSchema(input);
  return schema;
}

/** These tools, and find_tools/use_tool for those that are not in the prompt. */
export function createFullCatalog(tools: readonly Tool[]): Catalog {
  const catalog: Catalog = createCatalog([...tools, ...createCatalogTools(() => catalog.specs)]);
  return catalog;
}

/** A user's catalog: the built-in tools, the tools of their MCP servers, and find_tools/use_tool for tools not in the prompt. */
export type GetCatalog = (userId: string) => Promise<Catalog>;

export function createCatalogs(
  builtIn: readonly Tool[],
  listUserTools: (userId: string) => Promise<readonly Tool[]>,
): GetCatalog {
  const shared = createFullCatalog(builtIn);
  return async (userId) => {
    const userTools = await listUserTools(userId);
    return userTools.length === 0 ? shared : createFullCatalog([...builtIn, ...userTools]);
  };
}
