import type { ToolSpec } from "../../protocol/model.ts";
import { rank } from "../rank/rank.ts";
import type { Catalog } from "./catalog.ts";
import { FIND_TOOLS, toSearchText, USE_TOOL } from "./find-tools.ts";
import type { ToolGroup } from "./group.ts";
import { parseCommands } from "./commands.ts";

export { USE_TOOL };

/** `tools`: names of the tools that the message called. */
export type GateMessage = {
  readonly role: "user" | "assistant";
  readonly text: string;
  readonly tools?: readonly string[];
};

export type GateInput = {
  readonly catalog: Pick<Catalog, "specs" | "nameOf" | "find">;
  /** `tools`: the profile's fixed list; null selects tools by the conversation. */
  readonly profile: { readonly name: string; readonly tools: readonly string[] | null };
  /** Whether the thread belongs to a project. */
  readonly inProject?: boolean;
  /** Newest last. Only the last few messages are read. */
  readonly exchange: readonly GateMessage[];
};

/** Models choose worse among more tools than this. */
const MAX_OFFERED = 24;
const RECENT_MESSAGES = 6;
const MAX_MESSAGE_CHARACTERS = 4000;

/** Groups that a profile always offers. The other groups are offered when the conversation contains one of their examples. */
const alwaysOffered: Readonly<Record<string, readonly string[]>> = {
  stone: ["web", "weather", "memory"],
  autopilot: ["web"],
  project: ["project"],
  builder: ["files"],
};

/**
 * Selects the tools to put in the prompt, by name. Pure: the caller reuses the result for as long as the prompt prefix must
 * stay the same. The model can still reach the other tools by find_tools, so a message that no example matches costs one
 * extra step.
 */
export function chooseTools(input: GateInput): readonly string[] {
  const { catalog, profile, inProject = false } = input;
  // An empty list means no tools at all, not even find_tools and use_tool.
  if (profile.tools?.length === 0) return [];
  const specs = catalog.specs.filter(({ name }) => !isCatalogTool(name));
  const ranking = toRanking(input, specs);
  const { named, active } = ranking;
  const fixed = profile.tools && new Set(profile.tools.map(catalog.nameOf));
  const isChosen = ({ name }: ToolSpec): boolean => {
    const tool = catalog.find(name);
    const group = tool?.group;
    if (named.has(name) || (inProject && group?.name === "project")) return true;
    if (fixed) return fixed.has(name);
    return tool?.always === true || group === undefined || active.has(group);
  };
  const chosen = specs.filter(isChosen);
  const offered = fixed ? chosen : bound(chosen, ranking);
  const names = offered.map(({ name }) => name);
  const isAll = names.length === specs.length;
  const catalogTools = isAll ? [] : catalog.specs.filter(({ name }) => isCatalogTool(name));
  return [...names, ...catalogTools.map(({ name }) => name)].toSorted();
}

export const isCatalogTool = (name: string): boolean => name === FIND_TOOLS || name === USE_TOOL;

/** How many tokens the definitions of these tools take. */
type CountTools = (specs: readonly ToolSpec[]) => number;

type FittedTools = { readonly names: readonly string[]; readonly leftOut: number };

/**
 * Keeps the offered tools that fit `budget` tokens, in this order: named by the user, find_tools and use_tool, always
 * offered, groups with a matching example, then by similarity to the conversation.
 */
export function fitTools(offered: readonly string[], input: GateInput, budget: number, count: CountTools): FittedTools {
  const specs = input.catalog.specs.filter(({ name }) => offered.includes(name));
  if (count(specs) <= budget) return { names: offered, leftOut: 0 };
  const ranking = toRanking(input, specs);
  const toTier = ({ name }: ToolSpec): number => Number(isCatalogTool(name)) + Number(ranking.named.has(name)) * 2;
  const rated = rate(specs, ranking).toSorted((a, b) => toTier(b) - toTier(a));
  let left = budget;
  const kept = rated.filter((spec) => {
    const tokens = count([spec]);
    if (tokens > left) return false;
    left -= tokens;
    return true;
  });
  // find_tools and use_tool are useless without each other.
  const names = kept.map(({ name }) => name);
  const isWhole = names.filter(isCatalogTool).length !== 1;
  const useful = isWhole ? names : names.filter((name) => !isCatalogTool(name));
  return { names: useful.toSorted(), leftOut: specs.length - useful.length };
}

type Ranking = {
  readonly find: Catalog["find"];
  /** Tools that were called, or named by a command. */
  readonly named: ReadonlySet<string>;
  /** Groups that the profile always offers, and those with an example in the conversation. */
  readonly active: ReadonlySet<ToolGroup>;
  readonly text: string;
};

function toRanking({ catalog, profile, inProject = false, exchange }: GateInput, specs: readonly ToolSpec[]): Ranking {
  const recent = exchange.slice(-RECENT_MESSAGES);
  const called = recent.flatMap(({ tools = [] }) => tools.map(catalog.nameOf));
  const text = toConversationText(recent);
  const groups = new Set(catalog.specs.flatMap(({ name }) => catalog.find(name)?.group ?? []));
  const isActive = ({ name, examples }: ToolGroup): boolean =>
    alwaysOffered[profile.name]?.includes(name) === true || (inProject && name === "project") || examples.test(text);
  return {
    find: catalog.find,
    named: new Set([...findNamed(recent, specs), ...called]),
    active: new Set([...groups].filter(isActive)),
    text,
  };
}

/** Tools that the user named by a command. */
const findNamed = (recent: readonly GateMessage[], specs: readonly ToolSpec[]): readonly string[] => {
  const names = specs.map(({ name }) => name);
  return recent
    .filter(({ role }) => role === "user")
    .flatMap(({ text }) => parseCommands(text, names).commands.map(({ tool }) => tool));
};

/** The recent user messages and the last answer, because a "yes" refers to it. */
function toConversationText(recent: readonly GateMessage[]): string {
  const last = recent.findLast(({ role }) => role === "assistant");
  return recent
    .filter((message) => message.role === "user" || message === last)
    .map(({ text }) => text.slice(0, MAX_MESSAGE_CHARACTERS))
    .join("\n");
}

/** Keeps the best `MAX_OFFERED` tools; see `rate` for the order. */
function bound(chosen: readonly ToolSpec[], ranking: Ranking): readonly ToolSpec[] {
  return chosen.length <= MAX_OFFERED ? chosen : rate(chosen, ranking).slice(0, MAX_OFFERED);
}

/** Named tools first, then those always offered, then groups with a matching example, then by similarity to the conversation. */
function rate(chosen: readonly ToolSpec[], { find, named, active, text }: Ranking): readonly ToolSpec[] {
  const scores = rank(text, chosen.map(toSearchText));
  const toTier = (name: string): number => {
    if (named.has(name)) return 3;
    const tool = find(name);
    if (tool?.always) return 2;
    return tool?.group && active.has(tool.group) ? 1 : 0;
  };
  const rated = chosen.map((spec, at) => ({ spec, worth: toTier(spec.name) + (scores[at] ?? 0) }));
  return rated.toSorted((a, b) => b.worth - a.worth || (a.spec.name < b.spec.name ? -1 : 1)).map(({ spec }) => spec);
}
