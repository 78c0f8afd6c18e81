import { z } from "zod";
import type { ToolSpec } from "../../protocol/model.ts";
import { rank } from "../rank/rank.ts";
import { defineTool, type Tool, type ToolContext } from "./tool.ts";

export const FIND_TOOLS = "find_tools";
export const USE_TOOL = "use_tool";

const MOST_FOUND = 5;

const Find = z.object({ query: z.string().trim().min(1).max(200).describe("What you want to do, in a few words") });
const Use = z.object({
  name: z.string().min(1).max(200).describe("As find_tools gave it"),
  input: z.looseObject({}).describe("Its arguments, by the schema that find_tools gave"),
});

/** Tools that are there but do not stand in this prompt. */
type ListTools = (context: ToolContext) => readonly ToolSpec[];

/**
 * The way to tools whose schemas do not stand in the prompt, so that its beginning stays the same: one finds them, the other
 * calls them. `use_tool` is no tool of its own: the run calls what it names, by that tool's policy.
 */
export const createCatalogTools = (list: ListTools): readonly Tool[] => [
  defineTool({
    name: FIND_TOOLS,
    description: `More tools than these: finds some by what they do, with their arguments. Call one by ${USE_TOOL}.`,
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
    description: `Calls a tool that ${FIND_TOOLS} gave.`,
    input: Use,
    repeat: "once",
    effects: ["read", "write", "egress", "destructive", "spend"],
    limits: { timeoutMs: 1000 },
    describe: ({ name }) => `Use ${name}`,
    execute: async () => {
      throw new Error("Handled by the run: this tool only stands for the one it names.");
    },
  }),
];

export type FindToolsResult = {
  readonly tools: readonly { readonly name: string; readonly description: string; readonly input: object }[];
  readonly note?: string;
};

/** The best first. Names count as words: `create_task` answers to "task". */
export function findTools(query: string, specs: readonly ToolSpec[]): FindToolsResult {
  const others = specs.filter(({ name }) => name !== FIND_TOOLS && name !== USE_TOOL);
  const scores = rank(query, others.map(toSearchText));
  const matching = others
    .map((spec, at) => ({ spec, score: scores[at] ?? 0 }))
    .filter(({ score }) => score > 0)
    .toSorted((a, b) => b.score - a.score || (a.spec.name < b.spec.name ? -1 : 1));
  if (matching.length === 0) return { tools: [], note: toNothing(others) };
  const tools = matching
    .slice(0, MOST_FOUND)
    .map(({ spec: { name, description, inputSchema } }) => ({ name, description, input: inputSchema }));
  const rest = matching.slice(MOST_FOUND).map(({ spec }) => spec.name);
  return rest.length === 0 ? { tools } : { tools, note: `Less fitting: ${toList(rest)}.` };
}

/** Of a tool's words: its name in parts, what it says of itself, and what its arguments are called. */
export function toSearchText({ name, description, inputSchema }: ToolSpec): string {
  const { properties = {} } = inputSchema as { properties?: Readonly<Record<string, unknown>> };
  return [name, ...Object.keys(properties)].map(toWords).join(" ") + ` ${description}`;
}

const toWords = (name: string): string => name.replace(/([\p{Ll}\d])(\p{Lu})/gu, "$1 $2").replace(/[_\-./:]+/g, " ");

const toNothing = (others: readonly ToolSpec[]): string =>
  others.length === 0
    ? "There are no further tools."
    : `None fits. There are ${toList(others.map(({ name }) => name))}.`;

const MOST_NAMED = 40;
const toList = (names: readonly string[]): string =>
  names.length <= MOST_NAMED
    ? names.join(", ")
    : `${names.slice(0, MOST_NAMED).join(", ")} and ${names.length - MOST_NAMED} more`;
