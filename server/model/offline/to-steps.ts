import type { ToolSpec } from "../../../protocol/model.ts";
import type { Wish } from "./intents/wish.ts";
import { readJson } from "./outputs/read-json.ts";
import { listUrls, toFields, toList } from "./outputs/read-web.ts";
import { startResearch, toPageInput, type Step } from "./research/next-steps.ts";
import type { Input, Made } from "./turn.ts";

/** The calls that a wish comes to with the tools at hand; none when it cannot be had. */
export const toSteps = (wish: Wish, tools: readonly ToolSpec[]): readonly Step[] => {
  if (wish.kind === "ask") return [];
  if (wish.kind === "research") {
    const steps = startResearch(wish.subject, tools);
    return steps.length > 0 ? steps : lookFor("search_web", tools);
  }
  if (wish.kind === "steps") {
    const [{ name: first }] = wish.steps;
    return tools.some(({ name }) => name === first) ? wish.steps : lookFor(first, tools);
  }
  const tool = tools.find(({ name }) => name === wish.tool);
  if (tool !== undefined) return toCalls(tool, wish.input);
  return wish.isExplicit ? lookFor(wish.tool, tools) : [];
};

const toCalls = (tool: ToolSpec, input: Input): readonly Step[] =>
  tool.name === "scrape_webpage"
    ? listUrls(input).map((url) => ({ name: tool.name, input: toPageInput(tool, url) }))
    : [{ name: tool.name, input }];

/** A tool that does not stand in the prompt may be found, and used by name. */
const lookFor = (wanted: string, tools: readonly ToolSpec[]): readonly Step[] => {
  const has = (name: string): boolean => tools.some((tool) => tool.name === name);
  return has("find_tools") && has("use_tool")
    ? [{ name: "find_tools", input: { query: wanted.replace(/_/g, " ") } }]
    : [];
};

/** The call of a tool that was looked for, once it was found. */
export const callFound = (wish: Wish, made: readonly Made[]): readonly Step[] => {
  const looked = made.at(-1);
  if (looked?.name !== "find_tools" || looked.failed || wish.kind === "ask") return [];
  const found = toList(toFields(readJson(looked.text))?.["tools"]).map((tool) => toFields(tool) ?? {});
  const wanted = toName(wish);
  const tool = found.find(({ name }) => name === wanted);
  if (tool === undefined) return [];
  if (wish.kind === "research") return startResearch(wish.subject, [searchSpec]).map(toUse);
  if (wish.kind === "steps") return wish.steps.map(toUse);
  const spec = { name: wanted, description: "", inputSchema: toFields(tool["input"]) ?? {} };
  return toCalls(spec, wish.input).map(toUse);
};

const searchSpec: ToolSpec = { name: "search_web", description: "", inputSchema: {} };

const toName = (wish: Exclude<Wish, { kind: "ask" }>): string => {
  if (wish.kind === "research") return "search_web";
  return wish.kind === "steps" ? wish.steps[0].name : wish.tool;
};

/** A step by a tool that need not stand in the prompt. */
export const toOffered = (step: Step, tools: readonly ToolSpec[]): Step =>
  tools.some(({ name }) => name === step.name) ? step : toUse(step);

const toUse = ({ name, input }: Step): Step => ({ name: "use_tool", input: { name, input } });
