import { z } from "zod";
import type { ToolSpec } from "../../protocol/model.ts";
import { rank } from "../rank/rank.ts";
import { defineTool, type Tool, type ToolContext } from "./tool.ts";

export const FIND_TOOLS = "find_tools";
export const USE_TOOL = "use_tool";

const MAX_FOUND = 5;

const Find = z.object({ query: z.string().trim().min(1).max(200).describe("What you want to do, in a few words") });
const Use = z.object({
  name: z.string().min(1).max(200).describe("The name that find_tools returned"),
  input: z.looseObject({}).describe("Arguments that match the schema find_tools returned"),
});

/** Lists the tools that can be found. */
type ListTools = (context: ToolContext) => readonly ToolSpec[];

/**
 * Access to tools whose schemas are not in the prompt, so that the prompt prefix stays stable: `find_tools` finds them and
 * `use_tool` calls them. The run unwraps `use_tool` and applies the policy of the tool it names.
 */
export const createCatalogTools = (list: ListTools): readonly Tool[] => [
  defineTool({
    name: FIND_TOOLS,
    description: `Finds more tools than the ones listed here by what they do, with their arguments. Call them with ${USE_TOOL}.`,
    input: Find,
    repeat: "pure",
    effects: ["read"],
    limits: { timeoutMs: 2000, resultTokens: 4000 },
    describe: ({ query }) => `Look for a tool: ${query}`,
    summarize: (_, output) =>
      `found ${(output as FindToolsResult).tools.map(({ name }) => name).join(", ") || "no tool"}`,
    execute: async ({ query }, context) => ({ output: findTools(query, list(context)) }),
  }),
  defineTool({
    name: USE_TOOL,
    description: `Calls a tool that ${FIND_TOOLS} returned.`,
    input: Use,
    repeat: "once",
    effects: ["read", "write", "egress", "destructive", "spend"],
    limits: { timeoutMs: 1000 },
    describe: ({ name }) => `Use ${name}`,
    execute: async () => {
      throw new Error("use_tool is handled by the run, which calls the tool it names.");
    },
  }),
];

export type FindToolsResult = {
  readonly tools: readonly { readonly name: string; readonly description: string; readonly input: object }[];
  readonly note?: string;
};

/** Best match first. Names are split into words, so "task" finds `create_task`. */
export function findTools(query: string, specs: readonly ToolSpec[]): FindToolsResult {
  const others = specs.filter(({ name }) => name !== FIND_TOOLS && name !== USE_TOOL);
  const scores = rank(query, others.map(toSearchText));
  const matching = others
    .map((spec, at) => ({ spec, score: scores[at] ?? 0 }))
    .filter(({ score }) => score > 0)
    .toSorted((a, b) => b.score - a.score || (a.spec.name < b.spec.name ? -1 : 1));
  if (matching.length === 0) return { tools: [], note: describeNoMatch(others) };
  const tools = matching
    .slice(0, MAX_FOUND)
    .map(({ spec: { name, description, inputSchema } }) => ({ name, description, input: inputSchema }));
  const rest = matching.slice(MAX_FOUND).map(({ spec }) => spec.name);
  return rest.length === 0 ? { tools } : { tools, note: `Weaker matches: ${toList(rest)}.` };
}

/** The text a tool is searched by: the words of its name, its argument names and its description. */
export function toSearchText({ name, description, inputSchema }: ToolSpec): string {
  const { properties = {} } = inputSchema as { properties?: Readonly<Record<string, unknown>> };
  return [name, ...Object.keys(properties)].map(toWords).join(" ") + ` ${description}`;
}

const toWords = (name: string): string => name.replace(/([\p{Ll}\d])(\p{Lu})/gu, "$1 $2").replace(/[_\-./:]+/g, " ");

const describeNoMatch = (others: readonly ToolSpec[]): string =>
  others.length === 0
    ? "There are no other tools."
    : `No tool matches. Available tools: ${toList(others.map(({ name }) => name))}.`;

const MAX_NAMED = 40;
const toList = (names: readonly string[]): string =>
  names.length <= MAX_NAMED
    ? names.join(", ")
    : `${names.slice(0, MAX_NAMED).join(", ")} and ${names.length - MAX_NAMED} more`;
